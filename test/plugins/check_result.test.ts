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
        requests: null,
      }),
    )
  })

  describe('the requests', () => {
    const timing = { connect_ms: null, tls_ms: null, queued_ms: 0, wait_ms: 3, receive_ms: 1 }
    const timed = (url: string, started_ms: number, purpose: string | null = 'page') => ({
      url,
      status: 200,
      purpose,
      started_ms,
      ...timing,
    })
    const asked = (url: string, started_ms: number) => ({ url, status: 200, timing: { started_ms, ...timing } })

    it('are those of the page, of its files and of the other entrances, in the order in which they began', () => {
      const { requests } = composed(
        { ip: '9.9.9.9' },
        {
          page: { exchanges: [asked('https://example.com/', 5)] },
          crawl_files: { requests: [timed('https://example.com/robots.txt', 7, 'robots_txt')] },
          security_txt: { requests: [timed('https://example.com/.well-known/security.txt', 8, 'security_txt')] },
          entrances: { requests: [timed('http://example.com/', 2, 'plain_http')] },
        },
      )
      assert.deepEqual(requests, [
        timed('http://example.com/', 2, 'plain_http'),
        timed('https://example.com/', 5),
        timed('https://example.com/robots.txt', 7, 'robots_txt'),
        timed('https://example.com/.well-known/security.txt', 8, 'security_txt'),
      ])
    })

    it('include those of a frame that fills the page', () => {
      const frame = [asked('https://other.example/', 9)]
      const page = { exchanges: [asked('https://example.com/', 5)], handover: { by: 'frame', at: 0, frame } }
      const { requests } = composed({ ip: '9.9.9.9' }, { page })
      assert.deepEqual(requests, [timed('https://example.com/', 5), timed('https://other.example/', 9)])
    })

    it('are cut to 512 characters of their URLs', () => {
      const { requests } = composed({}, { page: { exchanges: [asked(`https://example.com/${'a'.repeat(600)}`, 0)] } })
      assert.equal((requests as { url: string }[])[0]?.url.length, 512)
    })

    for (const [title, evidence] of [
      ['nothing answered', { page: { exchanges: [] }, entrances: { requests: [] } }],
      ['the site was not visited', {}],
      ['an older recording has no times', { page, crawl_files: { robots: {} } }],
    ] as const) {
      it(`are null if ${title}`, () => assert.equal(composed({}, evidence)['requests'], null))
    }
  })

  it('has no threat summary without a reputation', () => {
    const { threat_summary } = composed({ ip: null, reputation: null })
    assert.deepEqual(threat_summary, { blacklist_hits: null, ml_score: null, age_days: null })
  })
})
