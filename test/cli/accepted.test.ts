// `.assayignore`: what is accepted is shown, does not fail, and hides nothing else.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openAccepted } from '../../src/cli/accepted.ts'
import type { Registry } from '../../src/engine/registry.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { offline } from './offline.ts'

type Plain = Readonly<Record<string, unknown>>

const directory = temporaryDirectory()
const config = offline(directory, 'name_length')
const LONG = 'a-name-that-goes-on-and-on-and-on.org'

function fileOf(...lines: readonly string[]): string {
  const file = join(directory, 'ignore')
  writeFileSync(file, `# accepted\n\n${lines.join('\n')}\n`)
  return file
}

describe('accepted findings', () => {
  const check = (file: string, ...args: readonly string[]) =>
    assay('check', '--config', config, '--quiet', '--ignore', file, ...args)
  const file = () =>
    fileOf(
      `long_name *.${LONG} 2999-12-31 The registry's own.`,
      'long_name example.com 2999-12-31 Was true once.',
      `long_name ${LONG} 2020-01-01 Too old.`,
    )
  const outdated = `assay: ${join(directory, 'ignore')}:5: expired on 2020-01-01, so long_name of ${LONG} counts again\n`
  const unused = `assay: ${join(directory, 'ignore')}:4: example.com has no finding long_name; remove the line\n`

  it('are shown with their reason, and do not fail', async () => {
    const one = await check(file(), '--fail-on', 'suspicious', '--json', `www.${LONG}`)
    assert.deepEqual([one.code, one.err], [0, outdated])
    const { accepted, verdict } = JSON.parse(one.out) as Plain
    const shown = [{ id: 'long_name', until: '2999-12-31', reason: "The registry's own." }]
    assert.deepEqual([accepted, verdict], [shown, 'suspicious'])
    const many = await check(file(), '--fail-on', 'suspicious', '-f', 'sarif', `www.${LONG}`, 'example.com')
    assert.equal(many.code, 0)
    assert.ok(many.err.startsWith(outdated + unused), many.err)
    const [{ results }] = (JSON.parse(many.out) as { runs: [{ results: Plain[] }] }).runs
    assert.deepEqual(
      results.map(({ ruleId, suppressions }) => [ruleId, suppressions]).filter(([id]) => id === 'long_name'),
      [['long_name', [{ kind: 'external', justification: "The registry's own." }]]],
    )
    assert.match(
      (await check(file(), `www.${LONG}`)).out,
      /\n\nAccepted here:\n {2}long_name until 2999-12-31: The registry's own\.\n$/,
    )
  })

  it('leave what is not about a finding: the confidence is low', async () => {
    const { code, err } = await check(file(), '--fail-on', 'review', `www.${LONG}`)
    assert.deepEqual([code, err], [1, `${outdated}assay: the recommendation is review\n`])
  })

  const mistakes: readonly (readonly [line: string, message: string])[] = [
    ['long_name example.com 2999-12-31', 'a line is SIGNAL TARGET YYYY-MM-DD REASON; all four are needed'],
    ['long_nam example.com 2999-12-31 x', 'there is no signal long_nam; did you mean "long_name"?'],
    ['long_name example.com 2999-02-30 x', '2999-02-30 is not a day such as 2027-01-31'],
    [
      'long_name https://example.com/a 2999-12-31 x',
      'the target is a domain name or an address; links on it are accepted with it',
    ],
    ['long_name *.192.0.2.7 2999-12-31 x', 'only names have names below them'],
    [`long_name example.com 2999-12-31 ${'x'.repeat(501)}`, 'the reason is longer than 500 characters'],
  ]
  for (const [line, message] of mistakes) {
    it(`end the command at: ${message}`, async () => {
      const { code, out, err } = await check(fileOf(line), LONG)
      assert.deepEqual([code, out, err], [64, '', `assay: ${join(directory, 'ignore')}:3: ${message}\n`])
    })
  }
})

describe('what --fail-on judges', () => {
  const signals = { a: { weight: 45 }, b: { weight: 40 }, c: { weight: 5 }, d: { weight: 20 } }
  const registry = {
    analyzers: [{ signals }],
    offered: [],
    composites: {},
    groups: { identity: 45, network: 30, trust: -30 },
  } as unknown as Registry
  const detail = (id: string, group: string, points: number, more: object = {}) => ({
    id,
    section: 's',
    group,
    severity: 'medium',
    points,
    floor: null,
    title: id,
    detail: null,
    evidence: {},
    ...more,
  })
  const resultOf = (details: readonly object[], risk_score: number, recommendation = 'review') => ({
    domain: 'example.com',
    ip: null,
    url: null,
    confidence: 'high',
    signal_details: details,
    risk_score,
    verdict: risk_score > 70 ? 'malicious' : risk_score > 30 ? 'suspicious' : 'safe',
    recommendation,
  })
  const cases: readonly (readonly [title: string, result: Plain, left: readonly [number, string]])[] = [
    ['counts nothing of what is accepted', resultOf([detail('a', 'identity', 45)], 45), [0, 'allow']],
    [
      'counts in full what the ceiling left nothing of',
      resultOf([detail('a', 'identity', 45), detail('b', 'identity', 0)], 45),
      [40, 'review'],
    ],
    [
      'keeps the floor of another finding',
      resultOf([detail('a', 'identity', 45), detail('c', 'network', 5, { floor: 71 })], 71, 'block'),
      [71, 'block'],
    ],
    [
      'keeps another finding that is serious',
      resultOf([detail('a', 'identity', 45), detail('c', 'network', 5, { severity: 'high' })], 50),
      [5, 'review'],
    ],
    ['changes nothing where findings are left out', resultOf([detail('a', 'identity', 45)], 60), [60, 'review']],
    [
      'is never worse than the result',
      resultOf([detail('a', 'trust', -10), detail('d', 'network', 20)], 10, 'allow'),
      [10, 'allow'],
    ],
  ]
  for (const [title, result, left] of cases) {
    it(title, () => {
      const now = Date.parse('2026-12-31T23:59:59Z')
      const { mark, judge } = openAccepted(fileOf('a example.com 2026-12-31 known'), registry, () => {}, now)
      const { risk_score, recommendation } = judge(mark(result))
      assert.deepEqual([risk_score, recommendation], left)
    })
  }
})
