// Gathers what threat feeds in memory say about the target's name and addresses. Missing and outdated feeds are not
// used.

import { pathAndQuery, pathExpressions, readPage } from '../../targets/url_expressions.ts'
import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import type { Strength } from '../listings/facts.ts'
import { unmapped } from '../listings/questions.ts'
import type { Covers, FeedCategory, FeedListing, Feeds, ListedPages } from './facts.ts'

/** Returns the matching entry, or null. */
export interface FeedLookup {
  /** The search through parent names ends at `registrable`, because names above it have another owner. */
  name(name: string, registrable: string): string | null
  /** The same search, for pages. `page`: the expressions that list the page that is checked; null without one. */
  pages(name: string, registrable: string, page: readonly string[] | null): ListedPages | null
  address(address: string): string | null
}

/** The current content of a feed. */
export interface Feed {
  readonly id: string
  readonly name: string
  readonly about: 'names' | 'addresses' | 'both'
  readonly category: FeedCategory
  readonly strength: Strength
  readonly terms: string
  /** Null, with a reason, when the feed cannot be used. */
  readonly lookup: FeedLookup | null
  readonly reason: string | null
  readonly age_hours: number | null
}

/** Addresses looked up per name, as for blocklists. */
const ADDRESSES = 3

/**
 * Rejects with `Unavailable` (`not_configured`) when the installation has no feed. `feeds` returns the current feeds.
 */
export default function createFeedsGatherer({
  feeds,
}: {
  readonly feeds: () => readonly Feed[]
}): Gatherer<Feeds, { addresses: Addresses }> {
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

/** Null when the addresses are unknown. */
async function addressesOf(context: WithAddresses): Promise<readonly string[] | null> {
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
  readonly covers: Covers
  readonly pages: number | null
}

function listingOf(feed: Feed, { target }: GatherContext, addresses: readonly string[] | null): FeedListing {
  const { id, name, about, category, strength, terms, lookup, age_hours } = feed
  const found = lookup && find(lookup, feed, target, addresses ?? [])
  const noAddresses = addresses === null && about === 'addresses' ? 'addresses_unknown' : null
  const reason = lookup === null ? (feed.reason ?? 'not_loaded') : noAddresses
  return {
    id,
    name,
    kind: found?.kind ?? (about === 'addresses' || target.kind === 'ip' ? 'ip' : 'domain'),
    asked: found?.asked ?? (target.kind === 'ip' ? target.ip : target.domain),
    status: found ? 'listed' : reason === null ? 'not_listed' : 'unknown',
    reason: found ? null : reason,
    matched: found?.matched ?? null,
    covers: found?.covers ?? null,
    pages: found?.pages ?? null,
    categories: found ? [category] : [],
    strength: found ? strength : null,
    terms,
    age_hours,
  }
}

/** Site feeds contain the addresses used in links; the address behind a name is shared with many other sites. */
const asksAddresses = (about: Feed['about'], target: 'domain' | 'ip'): boolean =>
  about === 'addresses' || (about === 'both' && target === 'ip')

function find(
  lookup: FeedLookup,
  { about }: Feed,
  target: GatherContext['target'],
  addresses: readonly string[],
): Found | null {
  if (target.kind === 'domain' && about !== 'addresses') {
    const found = findName(lookup, target)
    if (found !== null) return found
  }
  if (!asksAddresses(about, target.kind)) return null
  for (const address of addresses) {
    const matched = lookup.address(address)
    if (matched !== null) return { kind: 'ip', asked: address, matched, covers: 'site', pages: null }
  }
  return null
}

type Name = Extract<GatherContext['target'], { readonly kind: 'domain' }>

/** Finds a listing of the whole site, or else of the page, or else of other pages of the site. */
function findName(lookup: FeedLookup, { domain, registrable, url }: Name): Found | null {
  const matched = lookup.name(domain, registrable)
  const listing = { kind: 'domain', asked: domain } as const
  if (matched !== null) return { ...listing, matched, covers: 'site', pages: null }
  const page = url && pathExpressions(readPage(pathAndQuery(url)))
  const pages = lookup.pages(domain, registrable, page)
  return pages && { ...listing, matched: pages.host, covers: pages.listed ? 'page' : 'other_pages', pages: pages.count }
}
