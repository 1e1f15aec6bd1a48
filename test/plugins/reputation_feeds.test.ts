import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import reputation from '../../plugins/reputation/index.ts'
import type { Evidence } from '../../src/evidence/evidence.ts'
import type { Target } from '../../src/targets/target.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ipTarget } from '../evidence_of.ts'
import { NOTHING_SEEN, OPTIONS } from './reputation_unseen.ts'

type FeedListing = Evidence['feeds']['lists'][number]
type QueriedList = Evidence['listings']['lists'][number]

const ADDRESS = ipTarget('198.51.101.7')

const row = (parts: Partial<FeedListing>): FeedListing => ({
  id: 'a_feed',
  name: 'A Feed',
  kind: 'domain',
  asked: 'www.example.com',
  status: 'not_listed',
  reason: null,
  matched: null,
  categories: [],
  strength: null,
  terms: 'free',
  age_hours: 3,
  ...parts,
})

const listed = (parts: Partial<FeedListing>) => row({ status: 'listed', matched: 'example.com', ...parts })
const PHISHING = listed({ categories: ['phishing'], strength: 'strong' })
const ABSENT = row({ id: 'absent', status: 'unknown', reason: 'not_loaded', age_hours: null })
const STALE = row({ id: 'old', status: 'unknown', reason: 'stale', age_hours: 900 })
const TOR = listed({ kind: 'ip', asked: ADDRESS.ip, matched: '198.51.101.7/32', categories: ['tor'], strength: 'none' })

const unanswered = { id: 'dns', status: 'unknown', categories: [], strength: null } as unknown as QueriedList

interface Given {
  readonly lists: readonly FeedListing[]
  readonly asked?: readonly QueriedList[]
  readonly target?: Target
  readonly reverse_names?: Evidence['reverse_names'] | null
}

function judged({ lists, asked, target = EXAMPLE, reverse_names = null }: Given) {
  const finding = reputation.analyze(
    { ...NOTHING_SEEN, listings: asked ? { lists: asked } : null, feeds: { lists }, reverse_names },
    { target, now: new Date('2026-11-20T12:00:00Z'), options: OPTIONS, missing: {} },
  )
  assert.ok('section' in finding)
  return { ...finding, ids: finding.signals.map(({ id }) => id) }
}

describe('reputation counts feeds', () => {
  const cases: readonly [title: string, lists: readonly FeedListing[], hits: number | null, ids: readonly string[]][] =
    [
      ['that list the name for phishing, which makes the verdict', [PHISHING], 1, ['listed_as_malicious']],
      ['that list it for spam', [listed({ categories: ['spam'], strength: 'moderate' })], 1, ['listed_for_abuse']],
      ['that know nothing', [row({})], 0, []],
      ['that are not loaded as unknown, not as clean', [ABSENT], null, []],
      ['that are too old as unknown, not as clean', [STALE], null, []],
      ['beside those that are not there', [ABSENT, STALE, row({})], 0, []],
      [
        'of throw-away mail as no hit',
        [listed({ categories: ['disposable'], strength: 'none' })],
        0,
        ['disposable_email'],
      ],
      ['of Tor exits as nothing against a domain', [TOR], 0, []],
    ]
  for (const [title, lists, hits, ids] of cases) {
    it(title, () => {
      const found = judged({ lists })
      assert.deepEqual([found.section.blacklist_hits, found.ids], [hits, ids])
    })
  }

  it('once with a DNS list of the same source', () => {
    const dns = {
      ...unanswered,
      status: 'listed',
      kind: 'domain',
      categories: ['phishing'],
      strength: 'strong',
    } as QueriedList
    const both = judged({ lists: [PHISHING], asked: [{ ...dns, id: PHISHING.id }] })
    assert.equal(both.section.blacklist_hits, 1)
    assert.equal(judged({ lists: [PHISHING], asked: [dns] }).section.blacklist_hits, 2)
  })

  it('and reports the age of each', () => {
    assert.deepEqual(judged({ lists: [PHISHING, ABSENT] }).section.lists, [
      {
        name: 'A Feed',
        asked: 'www.example.com',
        listed: true,
        status: 'answered',
        reason: null,
        category: 'phishing',
        age_hours: 3,
      },
      {
        name: 'A Feed',
        asked: 'www.example.com',
        listed: null,
        status: 'unknown',
        reason: 'not_loaded',
        category: null,
        age_hours: null,
      },
    ])
  })

  it('that are still loading as unknown, so that the result is cached briefly', () => {
    const loading = row({ id: 'new', status: 'unknown', reason: 'loading', age_hours: null })
    const found = judged({ lists: [loading, row({})] })
    assert.deepEqual([found.unknown, found.section.blacklist_hits], ['feeds_loading', 0])
    assert.equal(judged({ lists: [ABSENT, row({})] }).unknown, 'some_feeds_silent')
  })

  it('without hiding that no DNS list answers', () => {
    assert.equal(judged({ lists: [row({})], asked: [unanswered] }).unknown, 'no_list_answered')
  })

  it('that list a Tor exit once, together with its reverse name', () => {
    const names = [{ name: 'tor-exit.relays.lab', confirmed: true, addresses: [] }]
    const reverse_names = { ip: ADDRESS.ip, names } as unknown as Evidence['reverse_names']
    assert.deepEqual(judged({ lists: [TOR], target: ADDRESS }).ids, ['tor_exit'])
    assert.deepEqual(judged({ lists: [TOR], target: ADDRESS, reverse_names }).ids, ['tor_exit'])
  })
})
