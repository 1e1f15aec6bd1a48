// Gathers what threat feeds in memory say about the hosts that redirects lead to: a shortener hides where a link ends.
import { isIP } from 'node:net'
import { identify } from '../../targets/identity.ts'
import { NotApplicable } from '../facts.ts'
import type { FeedListing } from '../feeds/facts.ts'
import type { Feed } from '../feeds/gather.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Page } from '../page/facts.ts'
import type { RedirectListings } from './facts.ts'

/** Not applicable without a page: there are no redirects to look up then. */
export default function createRedirectListingsGatherer({
  feeds,
}: {
  readonly feeds: () => readonly Feed[]
}): Gatherer<RedirectListings, { page: Page }> {
  return async ({ target, gather }) => {
    const page = await gather('page').catch(() => null)
    if (page === null) throw new NotApplicable('no_page')
    const { exchanges, stopped_at } = page
    const urls = [...exchanges.map(({ url }) => url), ...(stopped_at === null ? [] : [stopped_at])]
    const hosts = new Set(urls.flatMap(hostOf))
    hosts.delete(target.domain ?? target.ip)
    return { hosts: [...hosts].map(host => ({ host, lists: feeds().flatMap(feed => listingOf(feed, host)) })) }
  }
}

/** A redirect that was not followed may lead to anything. */
const hostOf = (url: string): string[] =>
  /^https?:/i.test(url) && URL.canParse(url) ? [new URL(url).hostname.replace(/^\[(.*)\]$|\.$/, '$1')] : []

function listingOf(feed: Feed, host: string): FeedListing[] {
  const { id, name, about, category, strength, terms, lookup, age_hours } = feed
  const kind = isIP(host) === 0 ? 'domain' : 'ip'
  if (lookup === null || about === (kind === 'ip' ? 'names' : 'addresses')) return []
  const matched = kind === 'ip' ? lookup.address(host) : lookup.name(host, identify(host).owner)
  if (matched === null) return []
  const found = { matched, categories: [category], strength, terms, age_hours }
  return [{ id, name, kind, asked: host, status: 'listed', reason: null, ...found }]
}
