// Evaluates listings of pages: the checked page itself, or other pages of its host.
import { isThreatType, type SignalFound } from '../../src/engine/plugin.ts'
import { isHit, listingSignals, type ReputationListing } from './listing.ts'
import type { SignalId } from './signals.ts'

/** The facts that decide how listings count. */
export interface ListingContext {
  readonly kind: 'domain' | 'ip'
  /** A page is checked, not the host. */
  readonly isPage: boolean
  /** The host is the name of one tenant of a platform. */
  readonly isTenant: boolean
  /** The domain was registered lately; false if unknown. */
  readonly isNew: boolean
  /** The popularity rank of the domain; null if unknown. */
  readonly rank: number | null
}

/** Number of listed pages from which the whole host counts as listed: more than an intruder usually leaves. */
const MANY = 10
/** Sites this popular have pages of many authors, so a few listed ones say little. */
const POPULAR = 100_000

/** Share of the weight by the least number of pages. */
const BY_PAGES: readonly (readonly [least: number, share: number])[] = [
  [MANY, 1],
  [2, 0.9],
  [1, 0.8],
]
/** By the highest rank. */
const BY_RANK: readonly (readonly [most: number, share: number])[] = [
  [10_000, 0.3],
  [POPULAR, 0.6],
]
const BY_STRENGTH: Readonly<Record<string, number>> = { strong: 1, moderate: 0.6, weak: 0.2 }
/** For a page that is not listed itself, by the least number of other pages: their author may not control this page. */
const BESIDE: readonly (readonly [least: number, share: number])[] = [
  [MANY, 0.8],
  [1, 0.4],
]

const CONDEMNING: ReadonlySet<string> = new Set(['listed_as_malicious', 'listed_by_several'])

/**
 * The signals of all lists. A listing of a page counts against the page, and against its host only where one owner made
 * the whole host: on a new domain, for a tenant, or, for a check of the host itself, where many pages are listed.
 */
export function allListingSignals(
  lists: readonly ReputationListing[],
  context: ListingContext,
): SignalFound<SignalId>[] {
  const { kind, rank } = context
  const beside = lists.filter(one => one.covers === 'other_pages' && isHit(one) && !standsForHost(one, context))
  const pages = lists.filter(one => one.covers === 'page' && isHit(one))
  const site = lists.filter(one => !beside.includes(one) && !pages.includes(one))
  const ofSite = listingSignals(site, kind, rank)
  const isCondemned = ofSite.some(({ id }) => CONDEMNING.has(id))
  const own = pages.length === 0 || isCondemned ? ofSite : ofPage(listingSignals([...pages, ...site], 'domain', rank))
  return isCondemned ? own : [...own, ...neighbourSignals(beside, context)]
}

/** Whether a listing of some pages of the host counts as one of the host. */
function standsForHost(
  { pages, strength }: ReputationListing,
  { isPage, isTenant, isNew, rank }: ListingContext,
): boolean {
  if (strength === 'weak') return false
  if (isTenant || isNew) return true
  return !isPage && (pages ?? 0) >= MANY && (rank === null || rank > POPULAR)
}

/** The signal of all lists, as one of the page. */
const ofPage = (signals: readonly SignalFound<SignalId>[]): SignalFound<SignalId>[] =>
  signals.map(signal => {
    const id = CONDEMNING.has(signal.id)
      ? 'listed_page'
      : signal.id === 'listed_by_weak_list'
        ? signal.id
        : 'reported_page'
    const { detail = '', ...rest } = signal
    return { ...rest, id, detail: `This page of ${detail}` }
  })

/** One signal, for the list that weighs most. */
function neighbourSignals(
  hits: readonly ReputationListing[],
  { isPage, rank }: ListingContext,
): SignalFound<SignalId>[] {
  const [worst, ...others] = [...hits].sort((one, other) => shareOf(other) - shareOf(one))
  if (worst === undefined) return []
  const popular = BY_RANK.find(([most]) => rank !== null && rank <= most)?.[1] ?? 1
  const near = isPage ? atLeast(BESIDE, worst.pages) : 1
  const names = [...new Set([worst, ...others].map(({ name }) => name))]
  const count = worst.pages ?? 1
  const which = isPage ? 'other ' : ''
  const detail = `${count} ${which}${count === 1 ? 'page' : 'pages'} of ${worst.matched} ${count === 1 ? 'is' : 'are'} listed by ${worst.name}.`
  const threatTypes = [...new Set(hits.flatMap(({ categories }) => categories.filter(isThreatType)))]
  const strength = shareOf(worst) * popular * near
  return [
    { id: 'hosts_listed_pages', strength, detail, threat_types: threatTypes, evidence: { lists: names, pages: count } },
  ]
}

const shareOf = ({ pages = null, strength }: ReputationListing): number =>
  (BY_STRENGTH[strength ?? ''] ?? 0) * atLeast(BY_PAGES, pages)

const atLeast = (table: readonly (readonly [least: number, share: number])[], pages: number | null = null): number =>
  table.find(([least]) => (pages ?? 1) >= least)?.[1] ?? 0
