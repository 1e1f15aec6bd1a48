// What the front page of a URL's host, and the hosts that redirects lead to, say about a page.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hostSignals, redirectSignals } from '../../plugins/reputation/other_hosts.ts'
import { signals } from '../../plugins/reputation/signals.ts'
import type { FeedListing, HostResult } from '../../src/evidence/evidence.ts'

type Signal = HostResult['signals'][number]

const signal = (id: string, points: number, parts: Partial<Signal> = {}): Signal => ({
  id,
  group: 'content',
  points,
  floor: null,
  title: `Title of ${id}`,
  ...parts,
})

const host = (...found: readonly Signal[]): HostResult => ({
  verdict: 'malicious',
  risk_score: 80,
  threat_types: ['phishing', 'unheard_of'],
  signals: found,
  checked_at: '2026-11-25T00:00:00Z',
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
  const cases: readonly (readonly [what: string, found: readonly Signal[], id: keyof typeof signals | null])[] = [
    ['shows nothing', [], null],
    ['shows little', [signal('a', 20), signal('b', 10)], null],
    ['is suspicious by what it shows', [signal('a', 20), signal('b', 11)], 'suspicious_host'],
    ['has a floor for what it shows', [signal('a', 0, { floor: 31 })], 'suspicious_host'],
    ['is malicious by what it shows', [signal('a', 35), signal('b', 0, { floor: 71 })], 'malicious_host'],
    ['is listed', [signal('a', 80, { group: 'reputation', floor: 71 })], null],
    ['has listed pages beside it', [signal('a', 32, { group: 'reputation' }), signal('b', 20)], null],
    [
      'has a bad name and poor hygiene',
      [signal('a', 45, { group: 'identity' }), signal('b', 15, { group: 'hygiene' })],
      null,
    ],
  ]
  for (const [what, found, id] of cases) {
    it(`raises ${id ?? 'nothing'} when it ${what}`, () => {
      assert.deepEqual(
        hostSignals(host(...found)).map(one => one.id),
        id === null ? [] : [id],
      )
    })
  }

  it('is described by its gravest signal', () => {
    const found = host(signal('a', 35), signal('b', 0, { floor: 71 }), signal('c', 90, { group: 'reputation' }))
    assert.deepEqual(hostSignals(found), [
      {
        id: 'malicious_host',
        detail: 'The host’s front page, checked on 25 November 2026 at 00:00 UTC: Title of b.',
        threat_types: ['phishing'],
        evidence: { checked_at: '2026-11-25T00:00:00Z', signals: ['a', 'b'] },
      },
    ])
  })

  it('raises nothing when it is unknown', () => assert.deepEqual(hostSignals(null), []))

  it('holds the page within its own range', () => {
    assert.deepEqual([signals.suspicious_host.floor, signals.malicious_host.floor], [31, 71])
  })
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
        'It redirects to a listed site: bad.com is listed for phishing by A Feed.',
        ['phishing'],
      ],
    )
  })

  it('raise nothing when they are unknown', () => assert.deepEqual(redirectSignals(null), []))
})
