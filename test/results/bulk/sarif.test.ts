import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { SEVERITIES } from '../../../src/engine/scoring/severity.ts'
import type { RatedSignal } from '../../../src/engine/scoring/signal.ts'
import { parseRecord, resultRecord } from '../../../src/results/bulk/record.ts'
import {
  artifactUri,
  messageText,
  type Rule,
  sarifNotification,
  sarifResults,
  sarifRules,
} from '../../../src/results/bulk/sarif.ts'
import { sarifParts } from '../../../src/results/bulk/summaries.ts'
import { kindsIn, readResult } from '../../golden/files.ts'
import { assertPublished, publishedSchema } from '../../published_schema.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

describe('the file of a SARIF location', () => {
  for (const [what, file, uri] of [
    ['below', 'lists/names.txt', 'lists/names.txt'],
    ['below, by its whole path', '/srv/here/names.txt', 'names.txt'],
    ['below, in what would end a path', 'week #7?/50% of us.txt', 'week%20%237%3F/50%25%20of%20us.txt'],
    ['below, in what would be a scheme', 'mail:names.txt', 'mail%3Anames.txt'],
    ['below, in what begins as the way up does', '..names.txt', '..names.txt'],
    ['elsewhere', '../there/names #7.txt', 'file:///srv/there/names%20%237.txt'],
  ] as const) {
    it(`is a URI reference for ${what}`, () => {
      assert.equal(artifactUri(file, '/srv/here'), uri)
    })
  }
})

describe('the text of a SARIF message', () => {
  for (const [what, text, message] of [
    ['plain', 'The certificate expired.', 'The certificate expired.'],
    ['what would be a placeholder', 'x{0}.org {"a":1}', 'x{{0}}.org {{"a":1}}'],
    ['what would be a link', '[click](https://evil.org) C:\\x', '\\[click\\](https://evil.org) C:\\\\x'],
    ['brackets that are no link', 'callbacks[42] (0) \\n', 'callbacks[42] (0) \\n'],
    ['an escape and an override', '\u001b[2J\u202egpj.exe', '‹U+001B›[2J‹U+202E›gpj.exe'],
    ['line ends', 'one\r\ntwo', 'one‹U+000D›‹U+000A›two'],
  ] as const) {
    it(`shows ${what} literally`, () => assert.equal(messageText(text), message))
  }

  it('is so for all third-party text: details, invalid lines and titles', () => {
    const evil = '[a](https://evil.org) {0}'
    const safe = '\\[a\\](https://evil.org) {{0}}'
    const detail = { id: 'x', section: 's', group: 'content', severity: 'high', points: 1, floor: null, title: evil }
    const record = resultRecord(
      { text: 'a.org', line: 1 },
      {
        domain: 'a.org',
        ip: null,
        verdict: 'safe',
        recommendation: 'review',
        recommendation_reason: evil,
        signal_details: [detail],
      },
    )
    assert.deepEqual(
      sarifResults(record, new Map(), 'names.txt').map(({ message }) => message.text),
      [`a.org: ${safe}`, `a.org: ${safe}`],
    )
    const failed = {
      input: evil,
      line: 2,
      domain: null,
      ip: null,
      url: null,
      error: { code: 'invalid-domain', detail: evil },
    }
    assert.equal(sarifNotification(failed, 'names.txt').message.text, `${safe}: ${safe}`)
    const signal: RatedSignal = { weight: 1, group: 'content', severity: 'low', title: evil }
    assert.equal(sarifRules([{ id: 'x', section: 's', signal }])[0]?.shortDescription.text, safe)
  })
})

describe('the SARIF of one target', () => {
  const rules = new Map([['expired_certificate', 7]])
  const signal = (id: string, severity: string | undefined, points: number, floor: number | null = null) => ({
    id,
    section: 'a_section',
    group: 'network',
    ...(severity === undefined ? {} : { severity }),
    points,
    floor,
    title: `Title of ${id}`,
    detail: null,
    evidence: {},
  })
  const resultsOf = (result: object) =>
    sarifResults(
      resultRecord(
        { text: 'a.org', line: 3 },
        { domain: 'a.org', ip: null, risk_score: 15, verdict: 'safe', ...result },
      ),
      rules,
      'names.txt',
    )

  it('has no query of any link: not of the checked one, nor of one that a reason or detail repeats', () => {
    const detail = 'A redirect points to HTTPS://b.org:8444/in?token=hidden: (https://c.org/#hidden), then a.org/d?'
    const shown = 'A redirect points to HTTPS://b.org:8444/in?… (https://c.org/?… then a.org/d?'
    const results = sarifResults(
      resultRecord(
        { text: 'https://a.org/x?token=hidden', line: 1 },
        {
          domain: 'a.org',
          ip: null,
          url: 'https://a.org/x?token=hidden',
          verdict: 'safe',
          risk_score: 3,
          recommendation: 'review',
          recommendation_reason: detail,
          signal_details: [{ ...signal('x', 'high', 3), detail }],
        },
      ),
      rules,
      'names.txt',
    )
    assert.deepEqual(
      results.map(({ message }) => message.text),
      [`https://a.org/x?…: ${shown}`, `https://a.org/x?…: ${shown}`],
    )
    assert.doesNotMatch(JSON.stringify(results), /hidden/)
  })

  for (const [severity, level, kind] of [
    ['critical', 'error', 'fail'],
    ['high', 'error', 'fail'],
    ['medium', 'warning', 'fail'],
    ['low', 'note', 'fail'],
    ['info', 'none', 'informational'],
  ] as const) {
    it(`has the level ${level} for a signal of severity ${severity}, whatever its points`, () => {
      for (const points of [0, 80]) {
        const [found] = resultsOf({ recommendation: 'allow', signal_details: [signal('x', severity, points)] })
        assert.deepEqual([found?.level, found?.kind], [level, kind])
      }
    })
  }

  it('starts with the recommendation and its reason, unless that is to allow', () => {
    const given = { confidence: 'low', signal_details: [] }
    const reason = 'The page could not be seen: the connection timed out.'
    const [decision, ...rest] = resultsOf({ ...given, recommendation: 'review', recommendation_reason: reason })
    assert.deepEqual(rest, [])
    assert.deepEqual(
      [decision?.ruleId, decision?.level, decision?.kind, decision?.message.text],
      ['recommendation/review', 'warning', 'fail', `a.org: ${reason}`],
    )
    assert.deepEqual(decision?.properties, {
      recommendation: 'review',
      confidence: 'low',
      verdict: 'safe',
      risk_score: 15,
      threat_types: [],
    })
    assert.equal(resultsOf({ ...given, recommendation: 'block', recommendation_reason: reason })[0]?.level, 'error')
    assert.deepEqual(resultsOf({ ...given, recommendation: 'allow' }), [])
  })

  it('includes results of an earlier version, by the points of their signals', () => {
    const details = [signal('a', undefined, 15), signal('b', undefined, 0, 71), signal('c', undefined, 3)]
    const found = resultsOf({ verdict: 'malicious', signal_details: details })
    assert.deepEqual(
      found.map(({ ruleId, level, message }) => [ruleId, level, message.text]),
      [
        ['recommendation/block', 'error', 'a.org: The verdict is malicious.'],
        ['a', 'warning', 'a.org: Title of a'],
        ['b', 'error', 'a.org: Title of b'],
        ['c', 'note', 'a.org: Title of c'],
      ],
    )
    assert.equal(resultsOf({ signal_details: [] })[0]?.ruleId, 'recommendation/review')
  })

  it('refers to rules by index, those of recommendations after those of signals', () => {
    const given: RatedSignal = { weight: 15, group: 'transport', severity: 'high', title: 'Certificate has expired' }
    const all = sarifRules([{ id: 'expired_certificate', section: 'ssl_info', signal: given }])
    assert.deepEqual(
      all.map(({ id, defaultConfiguration, properties }) => [
        id,
        defaultConfiguration.level,
        properties['security-severity'],
      ]),
      [
        ['expired_certificate', 'error', '8.0'],
        ['recommendation/block', 'error', '9.5'],
        ['recommendation/review', 'warning', '5.5'],
      ],
    )
    const [found] = resultsOf({ recommendation: 'allow', signal_details: [signal('expired_certificate', 'high', 15)] })
    assert.equal(found?.ruleIndex, 7)
  })

  it('is valid for every golden result', () => {
    for (const kind of ['phishing', 'nxdomain', 'shop']) {
      const record = parseRecord(JSON.stringify(resultRecord({ text: kind, line: 1 }, readResult(kind))))
      assert.ok(record)
      const { recommendation, signal_details } = readResult(kind) as unknown as {
        recommendation: string
        signal_details: unknown[]
      }
      const extra = recommendation === 'allow' ? 0 : 1
      assert.equal(sarifResults(record, new Map(), 'names.txt').length, signal_details.length + extra)
    }
  })
})

/** Every plugin, also those that must be enabled. */
const optional = ['operator_lists', 'vendor_verdicts', 'abuse_reports', 'tls_offer', 'mail_servers', 'name_servers']
const { registry } = createRegistry(builtInPlugins, {
  plugins: Object.fromEntries(optional.map(name => [name, true])),
  groups: DEFAULT_GROUPS,
})
const shipped: readonly Rule[] = registry.analyzers.flatMap(({ analyzer, signals }) =>
  Object.entries(signals).map(([id, signal]) => ({ id, section: analyzer.name, signal })),
)

describe('the SARIF of a run', () => {
  const schema = publishedSchema('sarif-2.1.0-rtm.5.json')
  const directory = temporaryDirectory()

  async function write(records: readonly object[], rules = shipped, artifact = 'names.txt') {
    const file = join(directory, 'results.ndjson')
    writeFileSync(file, records.map(record => `${JSON.stringify(record)}\n`).join(''))
    const parts = sarifParts(file, { rules, version: '1.2.3', artifact })
    let text = ''
    for await (const part of parts) text += part
    return JSON.parse(text) as { runs: { results: unknown[]; tool: { driver: { rules: unknown[] } } }[] }
  }

  const golden = (kind: string, line = 1) => resultRecord({ text: kind, line }, readResult(kind))
  const rule = (given: Partial<RatedSignal>, section = 'a_section', id = 'x'): Rule => ({
    id,
    section,
    signal: { weight: 1, group: 'content', severity: 'low', title: 'A title', ...given },
  })
  const error = (detail: string, input = 'no name') => ({
    input,
    line: 2,
    domain: null,
    ip: null,
    url: null,
    error: { code: 'invalid-domain', detail },
  })
  const evil = '"</script>\\u0000[a](b) {0} \u202e \ud83d\ude00 %zz'

  const runs: readonly (readonly [
    what: string,
    records: readonly object[],
    rules?: readonly Rule[],
    artifact?: string,
  ])[] = [
    ['without any target', []],
    ...kindsIn('results').map(kind => [`with the golden result ${kind}`, [golden(kind)]] as const),
    ['with one result twice', [golden('phishing'), golden('phishing', 2)]],
    ['with an error alone', [error('It is no name.')]],
    ['with an error beside results', [golden('shop'), error('It is no name.'), golden('phishing', 3)]],
    ['with third-party text everywhere', [error(evil, evil), { ...golden('shop'), recommendation_reason: evil }]],
    ['of a URL with a secret', [{ ...golden('shop'), url: 'https://u:p@a.example/x?token=1#y' }]],
    ['of an earlier version', [{ ...golden('phishing'), recommendation: undefined, confidence: undefined }]],
    ['without rules', [golden('phishing')], []],
    ['with a signal whose group is its section', [], [rule({ group: 'reputation' }, 'reputation')]],
    ['with a section that is named security', [], [rule({}, 'security')]],
    ['with a section and a group that are named security', [], [rule({ group: 'security' as never }, 'security')]],
    ['with rules of every severity', [], SEVERITIES.map(severity => rule({ severity }, 'a_section', severity))],
    ['with a title of third parties', [], [rule({ title: evil })]],
    ['of a file with a difficult name', [golden('shop')], shipped, artifactUri('week #7?/50% of us.txt', '/srv')],
    ['of a file elsewhere', [golden('shop')], shipped, artifactUri('../there/names.txt', '/srv/here')],
  ]
  for (const [what, records, rules, artifact] of runs)
    it(`is valid by the schema of OASIS, ${what}`, async () =>
      assertPublished(schema, await write(records, rules, artifact)))

  it('is not valid with a tag twice, which code hosts refuse', async () => {
    const log = await write([])
    const twice = { id: 'x', shortDescription: { text: 'x' }, properties: { tags: ['security', 'a', 'a'] } }
    log.runs[0]?.tool.driver.rules.push(twice)
    assert.match(schema(log).join(), /tags must NOT have duplicate items/)
  })

  it('has all signals of the shipped plugins as rules', async () => {
    const [run] = (await write([])).runs
    assert.ok(shipped.length > 110, `${shipped.length}`)
    assert.equal(run?.tool.driver.rules.length, shipped.length + 2)
  })
})
