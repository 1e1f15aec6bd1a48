import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/check_result/index.ts'
import type { Analysis } from '../../src/engine/analysis.ts'
import { createHooks } from '../../src/engine/hooks.ts'

/** What becomes of a composed result, with this evidence gathered. */
function composed(result: Record<string, unknown>, evidence: Readonly<Record<string, unknown>> = {}) {
  const hooks = createHooks()
  plugin.apply(hooks, {})
  const gathered = Object.entries(evidence).map(([name, value]) => [name, { status: 'gathered', value }] as const)
  return hooks.compose.call(result, { evidence: new Map(gathered) } as unknown as Analysis)
}

const tls = { address: '93.184.216.34' }
const page = { exchanges: [{ address: '93.184.216.35' }, { address: '198.51.100.1' }] }

describe('check_result', () => {
  for (const [title, ip, evidence, expected] of [
    ['keeps the address that was asked for', '9.9.9.9', { tls, page }, '9.9.9.9'],
    ['names the address of the handshake', null, { tls, page }, '93.184.216.34'],
    [
      'names the address of the first response when there was no handshake',
      null,
      { tls: { address: null }, page },
      '93.184.216.35',
    ],
    ['names no address when nothing answered', null, { tls: { address: null }, page: { exchanges: [] } }, null],
    ['names no address when nothing was visited', null, {}, null],
  ] as const) {
    it(title, () => assert.equal(composed({ ip }, evidence)['ip'], expected))
  }

  it('repeats the reputation as threat_summary, in its place and order', () => {
    const reputation = { ml_score: 7, blacklist_hits: 2, age_days: 10_321, lists: [] }
    assert.equal(
      JSON.stringify(composed({ ip: null, threat_summary: null, reputation })),
      JSON.stringify({
        ip: null,
        threat_summary: { blacklist_hits: 2, ml_score: 7, age_days: 10_321 },
        reputation,
      }),
    )
  })

  it('has no threat summary without a reputation', () => {
    const { threat_summary } = composed({ ip: null, reputation: null })
    assert.deepEqual(threat_summary, { blacklist_hits: null, ml_score: null, age_days: null })
  })
})
