// What listings of pages say about the page that is checked, and about its host.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allListingSignals, type ListingContext } from '../../plugins/reputation/listed_pages.ts'
import type { ReputationListing } from '../../plugins/reputation/listing.ts'

const listing = (parts: Partial<ReputationListing>): ReputationListing => ({
  id: 'a_feed',
  name: 'A Feed',
  kind: 'domain',
  asked: 'bakery.com',
  matched: 'bakery.com',
  status: 'listed',
  reason: null,
  strength: 'strong',
  categories: ['phishing'],
  covers: 'other_pages',
  pages: 1,
  ...parts,
})
const page = (parts: Partial<ReputationListing> = {}) => listing({ covers: 'page', ...parts })
const site = (parts: Partial<ReputationListing> = {}) => listing({ covers: 'site', pages: null, ...parts })
const beside = (pages: number, parts: Partial<ReputationListing> = {}) => listing({ pages, ...parts })
const MODERATE = { strength: 'moderate' } as const
const OTHER = { id: 'another', name: 'Another' } as const

const HOST: ListingContext = { kind: 'domain', isPage: false, isTenant: false, isNew: false, rank: null }
const PAGE: ListingContext = { ...HOST, isPage: true }

const cases: readonly (readonly [
  title: string,
  asked: ListingContext,
  lists: readonly ReputationListing[],
  expected: readonly (string | readonly [id: string, strength: number])[],
])[] = [
  ['a page on a strict list is condemned', PAGE, [page()], ['listed_page']],
  ['a page on two lists is condemned', PAGE, [page(MODERATE), page({ ...MODERATE, ...OTHER })], ['listed_page']],
  [
    'a page whose site another list names is condemned',
    PAGE,
    [page(MODERATE), site({ ...MODERATE, ...OTHER })],
    ['listed_page'],
  ],
  ['a page on one moderate list is suspicious', PAGE, [page(MODERATE)], ['reported_page']],
  ['a page on a weak list is hardly suspicious', PAGE, [page({ strength: 'weak' })], ['listed_by_weak_list']],
  ['a page of a listed site is condemned by the site', PAGE, [site(), page(OTHER)], ['listed_as_malicious']],
  ['a neighbour of a listed page is marked', PAGE, [beside(1)], [['hosts_listed_pages', 0.32]]],
  ['a neighbour of many listed pages is suspicious', PAGE, [beside(10)], [['hosts_listed_pages', 0.8]]],
  ['a listed page beside others is not marked for them by the same list', PAGE, [page({ pages: 4 })], ['listed_page']],
  [
    'a reported page beside those of another list is marked, too',
    PAGE,
    [page(MODERATE), beside(2, OTHER)],
    ['reported_page', ['hosts_listed_pages', 0.36]],
  ],
  ['a host with a listed page is suspicious', HOST, [beside(1)], [['hosts_listed_pages', 0.8]]],
  ['a host with some listed pages is more so', HOST, [beside(2)], [['hosts_listed_pages', 0.9]]],
  ['a host with a page on a moderate list is less so', HOST, [beside(1, MODERATE)], [['hosts_listed_pages', 0.48]]],
  ['a host with many listed pages counts as listed', HOST, [beside(10)], ['listed_as_malicious']],
  ['a popular host does not', { ...HOST, rank: 50_000 }, [beside(10)], [['hosts_listed_pages', 0.6]]],
  ['a very popular host hardly', { ...HOST, rank: 500 }, [beside(1)], [['hosts_listed_pages', 0.24]]],
  ['a new domain with a listed page counts as listed', { ...HOST, isNew: true }, [beside(1)], ['listed_as_malicious']],
  ['so do its other pages', { ...PAGE, isNew: true }, [beside(1)], ['listed_as_malicious']],
  ['a tenant with a listed page counts as listed', { ...HOST, isTenant: true }, [beside(1)], ['listed_as_malicious']],
  [
    'a new domain with a page on a weak list does not',
    { ...HOST, isNew: true },
    [beside(1, { strength: 'weak' })],
    [['hosts_listed_pages', 0.16]],
  ],
  ['a listed site is not marked for its pages', HOST, [site(), beside(3, OTHER)], ['listed_as_malicious']],
  ['a list that does not count marks nothing', HOST, [beside(1, { strength: 'none' })], []],
  ['lists without a hit mark nothing', PAGE, [listing({ status: 'not_listed', covers: null, strength: null })], []],
  ['a DNS list that names the site counts as before', PAGE, [site({ covers: undefined })], ['listed_as_malicious']],
]

describe('listings of pages', () => {
  for (const [title, asked, lists, expected] of cases) {
    it(title, () => {
      const found = allListingSignals(lists, asked)
      const shown = found.map(({ id, strength }) =>
        strength === undefined ? id : [id, Math.round(strength * 100) / 100],
      )
      assert.deepEqual(shown, expected)
    })
  }

  it('are told in words that do not name the page', () => {
    const details = [
      allListingSignals([page()], PAGE),
      allListingSignals([beside(1), beside(3, OTHER)], PAGE),
      allListingSignals([beside(1)], HOST),
    ].map(([found]) => [found?.detail, found?.evidence, found?.threat_types])
    assert.deepEqual(details, [
      [
        'This page of bakery.com is listed for phishing by A Feed.',
        { lists: ['A Feed'], asked: ['bakery.com'] },
        ['phishing'],
      ],
      ['3 other pages of bakery.com are listed by Another.', { lists: ['Another', 'A Feed'], pages: 3 }, ['phishing']],
      ['1 page of bakery.com is listed by A Feed.', { lists: ['A Feed'], pages: 1 }, ['phishing']],
    ])
  })
})
