// What the front page of a URL's host, and the hosts that redirects lead to, say about a page.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hostSignals, redirectSignals } from '../../plugins/reputation/other_hosts.ts'
import { signals } from '../../plugins/reputation/signals.ts'
import type { FeedListing, HostResult } from '../../src/evidence/evidence.ts'

const host = (parts: Partial<HostResult>): HostResult => ({
  verdict: 'safe',
  risk_score: 3,
  threat_types: [],
  checked_at: '2026-11-25T00:00:00Z',
  ...parts,
})

const listed = (parts: Partial<FeedListing>): FeedListing => ({
  id: 'a_feed',
  name: 'A Feed',
  kind: 'domain',
  asked: 'bad.com',
  status: 'listed',
  reason: null,
  matched: 'bad.com',
  categories: ['phishing'],
  strength: 'strong',
  terms: 'free',
  age_hours: 3,
  ...parts,
})

describe('the front page of the host', () => {
  it('raises nothing when it is unknown or safe', () => {
    assert.deepEqual([hostSignals(null), hostSignals(host({}))], [[], []])
  })

  for (const [verdict, id, floor] of [
    ['suspicious', 'suspicious_host', 31],
    ['malicious', 'malicious_host', 71],
  ] as const) {
    it(`raises the page to at least ${verdict} when it is ${verdict}`, () => {
      const found = hostSignals(host({ verdict, risk_score: floor + 4, threat_types: ['phishing', 'unheard_of'] }))
      assert.deepEqual(found, [
        {
          id,
          detail: `The front page of the host was ${verdict} at 2026-11-25T00:00:00Z (${floor + 4} of 100).`,
          threat_types: ['phishing'],
          evidence: { risk_score: floor + 4, checked_at: '2026-11-25T00:00:00Z' },
        },
      ])
      assert.equal(signals[id].floor, floor)
    })
  }
})

describe('redirects', () => {
  const cases: readonly (readonly [what: string, lists: readonly FeedListing[], ids: readonly string[]])[] = [
    ['no listed host', [], []],
    ['a host that a strict feed lists', [listed({})], ['redirects_to_malicious_host']],
    [
      'a host that two feeds list',
      [listed({ categories: ['spam'], strength: 'moderate' }), listed({ id: 'b', strength: 'moderate' })],
      ['redirects_to_malicious_host'],
    ],
    ['a host listed for spam', [listed({ categories: ['spam'], strength: 'moderate' })], ['redirects_to_listed_host']],
    ['a host that a weak feed lists', [listed({ strength: 'weak' })], []],
    ['a Tor exit', [listed({ kind: 'ip', categories: ['tor'], strength: 'none' })], []],
    ['a listed address', [listed({ kind: 'ip', asked: '8.8.8.8' })], ['redirects_to_malicious_host']],
  ]
  for (const [what, lists, ids] of cases) {
    it(`to ${what} raise ${ids.join() || 'nothing'}`, () => {
      const found = redirectSignals({
        hosts: [
          { host: 'good.com', lists: [] },
          { host: 'bad.com', lists },
        ],
      })
      assert.deepEqual(
        found.map(({ id }) => id),
        ids,
      )
    })
  }

  it('raise one signal, for the worst host', () => {
    const spam = listed({ categories: ['spam'], strength: 'moderate' })
    const [found, ...rest] = redirectSignals({
      hosts: [
        { host: 'spam.com', lists: [spam] },
        { host: 'bad.com', lists: [listed({})] },
      ],
    })
    assert.deepEqual(rest, [])
    assert.deepEqual(
      [found?.id, found?.detail, found?.threat_types],
      [
        'redirects_to_malicious_host',
        'A redirect leads there: bad.com is listed for phishing by A Feed.',
        ['phishing'],
      ],
    )
  })

  it('raise nothing when they are unknown', () => assert.deepEqual(redirectSignals(null), []))
})
