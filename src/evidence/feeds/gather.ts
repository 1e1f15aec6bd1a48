// Gathers listings of the target's name and addresses in threat feeds. Missing and outdated feeds are not
// used.

import type { Feed } from '../../knowledge/datasets/held.ts'
import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { withoutMapping } from '../listings/questions.ts'
import type { FeedListing, Feeds } from './facts.ts'
import { findAddress, findName, listedBy } from './find.ts'

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
    const applicableFeeds = target.kind === 'ip' ? all.filter(({ about }) => about !== 'names') : all
    if (applicableFeeds.length === 0) throw new NotApplicable('nothing_to_ask')
    const needsAddresses = applicableFeeds.some(({ about }) => asksAddresses(about, target.kind))
    const addresses = needsAddresses ? await addressesOf(context) : []
    return { lists: applicableFeeds.map(feed => listingOf(feed, context, addresses)) }
  }
}

/** Null when the addresses are unknown. */
async function addressesOf(context: WithAddresses): Promise<readonly string[] | null> {
  try {
    return [...new Set((await dialableAddresses(context)).map(withoutMapping))].slice(0, ADDRESSES)
  } catch (error) {
    if (error instanceof NotApplicable) return []
    return null
  }
}

function listingOf(feed: Feed, { target }: GatherContext, addresses: readonly string[] | null): FeedListing {
  const match =
    (target.kind === 'domain' ? findName(feed, target) : null) ??
    (asksAddresses(feed.about, target.kind) ? findAddress(feed, addresses ?? []) : null)
  if (match !== null) return listedBy(feed, match)
  const { id, name, about, terms, lookup, age_hours } = feed
  const noAddresses = addresses === null && about === 'addresses' ? 'addresses_unknown' : null
  const reason = lookup === null ? (feed.reason ?? 'not_loaded') : noAddresses
  return {
    id,
    name,
    kind: about === 'addresses' || target.kind === 'ip' ? 'ip' : 'domain',
    asked: target.kind === 'ip' ? target.ip : target.domain,
    status: reason === null ? 'not_listed' : 'unknown',
    reason,
    matched: null,
    covers: null,
    pages: null,
    categories: [],
    strength: null,
    terms,
    age_hours,
  }
}

/** Site feeds contain the addresses used in links; the address behind a name is shared with many other sites. */
const asksAddresses = (about: Feed['about'], target: 'domain' | 'ip'): boolean =>
  about === 'addresses' || (about === 'both' && target === 'ip')
