// What threat feeds held in memory say of the target's name and addresses; a feed that is absent or old says nothing.
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { GatherContext, Gatherer } from './gatherer.ts'
import type { Category, Strength } from './listings/block_list.ts'
import { unmapped } from './listings/query_name.ts'
import { dialableAddresses } from './unconnected.ts'

/** Beside those of blocklists: `tor` is an exit of the Tor network, `disposable` a service of throw-away mail addresses. */
export type FeedCategory = Category | 'tor' | 'disposable'

/** One feed about the whole target. Its members are those of a `Listing`, so that both can be read alike. */
export interface FeedListing {
  /** The dataset's id in the configuration; a source that is also asked by DNS has the same id there. */
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The name or address that is listed; the target's own when none is. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why it is unknown: `loading`, `not_loaded`, `stale`, `addresses_unknown`; else null. */
  readonly reason: string | null
  /** The entry that lists it: a name (perhaps a parent's) or a prefix in CIDR notation. */
  readonly matched: string | null
  /** What the feed is about, when it lists the target. */
  readonly categories: readonly FeedCategory[]
  /** What the listing is worth against what it is of (`kind`); null when not listed. `none` is no hit. */
  readonly strength: Strength | null
  /** Who may use the feed. */
  readonly terms: string
  /** Whole hours since its publisher last confirmed what is in memory; null when nothing is. */
  readonly age_hours: number | null
}

export interface Feeds {
  readonly lists: readonly FeedListing[]
}

/** Answers the entry that lists it, or null. */
export interface FeedLookup {
  /** `registrable` is where the walk up the parents ends: nobody above it answers for the name. */
  name(name: string, registrable: string): string | null
  address(address: string): string | null
}

/** A feed as the datasets hold it at this moment. */
export interface Feed {
  readonly id: string
  readonly name: string
  readonly about: 'names' | 'addresses' | 'both'
  readonly category: FeedCategory
  readonly strength: Strength
  readonly terms: string
  /** Null with the reason when there is nothing to believe. */
  readonly lookup: FeedLookup | null
  readonly reason: string | null
  readonly age_hours: number | null
}

/** Addresses of a name that are looked up, as for blocklists. */
const ADDRESSES = 3

/** Rejects with `Unavailable` (`not_configured`) when the installation has no feed. `feeds` answers those of the moment. */
export function createFeedsGatherer(feeds: () => readonly Feed[]): Gatherer<'feeds'> {
  return async context => {
    const all = feeds()
    if (all.length === 0) throw new Unavailable(NOT_CONFIGURED)
    const { target } = context
    const asked = target.kind === 'ip' ? all.filter(({ about }) => about !== 'names') : all
    if (asked.length === 0) throw new NotApplicable('nothing_to_ask')
    const wanted = asked.some(({ about }) => asksAddresses(about, target.kind))
    const addresses = wanted ? await addressesOf(context) : []
    return { lists: asked.map(feed => listingOf(feed, context, addresses)) }
  }
}

/** Null when it stays unknown whether there are any. */
async function addressesOf(context: GatherContext): Promise<readonly string[] | null> {
  try {
    return [...new Set((await dialableAddresses(context)).map(unmapped))].slice(0, ADDRESSES)
  } catch (error) {
    if (error instanceof NotApplicable) return []
    return null
  }
}

interface Found {
  readonly kind: 'ip' | 'domain'
  readonly asked: string
  readonly matched: string
}

function listingOf(feed: Feed, { target }: GatherContext, addresses: readonly string[] | null): FeedListing {
  const { id, name, about, category, strength, terms, lookup, age_hours } = feed
  const found = lookup && find(lookup, feed, target, addresses ?? [])
  const blind = addresses === null && about === 'addresses' ? 'addresses_unknown' : null
  const reason = lookup === null ? (feed.reason ?? 'not_loaded') : blind
  return {
    id,
    name,
    kind: found?.kind ?? (about === 'addresses' || target.kind === 'ip' ? 'ip' : 'domain'),
    asked: found?.asked ?? (target.kind === 'ip' ? target.ip : target.domain),
    status: found ? 'listed' : reason === null ? 'not_listed' : 'unknown',
    reason: found ? null : reason,
    matched: found?.matched ?? null,
    categories: found ? [category] : [],
    strength: found ? strength : null,
    terms,
    age_hours,
  }
}

/** A feed of sites knows addresses that stand in links; an address behind a name is many other sites' too. */
const asksAddresses = (about: Feed['about'], target: 'domain' | 'ip'): boolean =>
  about === 'addresses' || (about === 'both' && target === 'ip')

function find(
  lookup: FeedLookup,
  { about }: Feed,
  target: GatherContext['target'],
  addresses: readonly string[],
): Found | null {
  if (target.kind === 'domain' && about !== 'addresses') {
    const matched = lookup.name(target.domain, target.registrable)
    if (matched !== null) return { kind: 'domain', asked: target.domain, matched }
  }
  if (!asksAddresses(about, target.kind)) return null
  for (const address of addresses) {
    const matched = lookup.address(address)
    if (matched !== null) return { kind: 'ip', asked: address, matched }
  }
  return null
}
