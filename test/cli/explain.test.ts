import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import type { ScoreChange } from '../../src/engine/scoring/difference.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const directory = temporaryDirectory()
const SHOP = resolve(import.meta.dirname, '../golden/recordings/shop.json')

function written(name: string, value: unknown): string {
  const file = join(directory, name)
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

interface ListRow {
  readonly status: string
}

/** The recorded phishing site, on one list only: what several lists agree on has a floor that no weight lowers. */
function listedOnce(): string {
  const recording = JSON.parse(readFileSync(resolve(import.meta.dirname, '../golden/recordings/phishing.json'), 'utf8'))
  const { value } = recording.evidence.listings as { value: { lists: ListRow[] } }
  const first = value.lists.findIndex(({ status }) => status === 'listed')
  value.lists = value.lists.map((row, at) =>
    row.status !== 'listed' || at === first
      ? row
      : { ...row, status: 'not_listed', codes: [], categories: [], strength: null },
  )
  return written('phishing.json', recording)
}

const PHISHING = listedOnce()
const lenient = written('lenient.json', {
  plugins: { reputation: { weights: { listed_for_abuse: 0, lookalike_domain: 4 } }, security_headers: false },
  scoring: {
    groups: { content: 10 },
    composites: {
      phishing_under_lookalike: false,
      phishing_page_listed: false,
      impersonation_on_new_domain: false,
      impersonation_by_kit: false,
      secrets_on_new_domain: false,
    },
  },
})
const strict = written('strict.json', { plugins: { reputation: { weights: { suspicious_name: 45 } } } })

async function explained(...args: readonly string[]): Promise<ScoreChange & { domain: string | null }> {
  const { code, out, err } = await assay('explain', ...args, '--json')
  assert.deepEqual([code, err], [0, ''])
  return JSON.parse(out) as ScoreChange & { domain: string | null }
}

describe('assay explain', () => {
  it('shows no difference between equal configurations', async () => {
    const { domain, before, after, change, signals } = await explained(PHISHING)
    assert.equal(domain, 'microsoft-mailbox-verify.lab')
    assert.deepEqual([after, change], [before, 0])
    assert.ok(signals.length > 5 && signals.every(signal => signal.change === 0))
  })

  it('scores as the check itself does, with both configurations', async () => {
    const { before, after } = await explained(PHISHING, '--config', lenient)
    for (const [side, args] of [
      [before, []],
      [after, ['--config', lenient]],
    ] as const) {
      const result = JSON.parse((await assay('check', '--replay', PHISHING, '--json', ...args)).out)
      const { risk_score, verdict, scoring_policy, recommendation, recommendation_reason, confidence } =
        result as Record<string, unknown>
      const totals = { scoring_policy, risk_score, verdict, recommendation, recommendation_reason, confidence }
      assert.deepEqual(side, totals)
    }
    assert.deepEqual([before.verdict, after.verdict], ['malicious', 'suspicious'])
    assert.notEqual(before.scoring_policy, after.scoring_policy)
  })

  it('compares with another configuration on request', async () => {
    const [one, other] = [await explained(PHISHING, '--config', lenient), await explained(PHISHING, '--config', strict)]
    const between = await explained(PHISHING, '--against', lenient, '--config', strict)
    assert.deepEqual([between.before, between.after], [one.after, other.after])
  })

  it('prints a readable table', async () => {
    const { code, out } = await assay('explain', PHISHING, '--config', lenient)
    const lines = out.split('\n')
    assert.equal(code, 0)
    assert.equal(lines[0], 'microsoft-mailbox-verify.lab: block, now review')
    assert.match(
      lines[1] ?? '',
      /^before: The page asks for a secret as a brand that does not own the domain, and the domain is new\.$/,
    )
    assert.match(lines[2] ?? '', /^now: The page asks for a secret and presents itself as Microsoft \(title\)\. /)
    assert.match(lines[3] ?? '', /^verdict malicious, now suspicious, risk 100 of 100, now \d+$/)
    assert.match(lines[4] ?? '', /^policy \S+, now \S+\+[0-9a-f]{8}$/)
    assert.match(lines[6] ?? '', /^ *before +after +change$/)
    const row = /^ *\+35 +0 +-35 +listed_for_abuse +Listed for spam or attacks \[high, reputation\]$/
    assert.match(lines[7] ?? '', row)
    assert.match(lines.at(-3) ?? '', /^ *[\d.]+ +[\d.]+ +-[\d.]+ +points$/)
    assert.match(lines.at(-2) ?? '', /^ *100 +\d+ +-\d+ +risk score +the sum, rounded/)
  })

  it('shows a changed severity, and the resulting recommendation', async () => {
    const config = written('grave.json', { plugins: { security_headers: { severities: { weak_csp: 'medium' } } } })
    const { signals } = await explained(SHOP, '--config', config)
    assert.deepEqual(
      [signals[0]?.id, signals[0]?.before?.severity, signals[0]?.after?.severity, signals[0]?.change],
      ['weak_csp', 'low', 'medium', 0],
    )
    const { out } = await assay('explain', SHOP, '--config', config)
    assert.match(out, /^shop\.lab: allow as before\nNo serious risk was found, and all deciding evidence was seen\.\n/)
    assert.match(out, / 0 +weak_csp +.* \[low, now medium, hygiene\]$/m)
  })

  const { evidence, ...rest } = JSON.parse(readFileSync(SHOP, 'utf8')) as { evidence: object }
  const blind = { ...rest, evidence: { ...evidence, addresses: { status: 'failed', reason: 'gatherer_failed' } } }
  for (const [title, args, code, message] of [
    ['a file that is no recording', [written('no.json', '{}')], 64, /no\.json: Invalid recording: `format` must be 1/],
    ['a file that is not there', [join(directory, 'none.json')], 64, /^assay: \S+none\.json: no such file$/m],
    ['no file', [], 64, /missing required argument 'recording'/],
    [
      'a recording that saw nothing',
      [written('blind.json', blind)],
      75,
      /nothing could be checked \(gatherer_failed\)/,
    ],
    [
      'a broken configuration',
      [SHOP, '--config', written('broken.json', { plugins: { cookeis: false } })],
      78,
      /cookies/,
    ],
  ] as const) {
    it(`exits with ${code} for ${title}`, async () => {
      const ran = await assay('explain', ...args)
      assert.deepEqual([ran.code, ran.out], [code, ''])
      assert.match(ran.err, message)
    })
  }
})
