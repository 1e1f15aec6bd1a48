// Gathers listings of redirect targets in threat feeds and the operator's lists, both in memory: a shortener hides where a
// link ends.
import { isIP } from 'node:net'
import type { Feed } from '../../knowledge/datasets/held.ts'
import { identify } from '../../targets/identity.ts'
import type { Target } from '../../targets/target.ts'
import { pathAndQuery } from '../../targets/url_expressions.ts'
import type { Document } from '../document/facts.ts'
import { findHandover } from '../document/handover.ts'
import { findRefresh } from '../document/refresh.ts'
import { NotApplicable } from '../facts.ts'
import type { FeedListing } from '../feeds/facts.ts'
import { findAddress, findName, listedBy } from '../feeds/find.ts'
import type { Gatherer } from '../gatherer.ts'
import { type AskedHost, type OperatorLists, listingOf as operatorListing } from '../operator_lists/lookup.ts'
import type { Page } from '../page/facts.ts'
import type { RedirectListings } from './facts.ts'

/** Not applicable without a page: there are no redirects to look up then. */
export default function createRedirectListingsGatherer({
  feeds,
  operator_lists,
}: {
  readonly feeds: () => readonly Feed[]
  readonly operator_lists: () => OperatorLists
}): Gatherer<RedirectListings, { page: Page; document: Document }> {
  return async ({ target, gather, now }) => {
    const page = await gather('page').catch(() => null)
    if (page === null) throw new NotApplicable('no_page')
    const document = await gather('document').catch(() => null)
    const { stopped_at, handover } = page
    const exchanges = [...page.exchanges, ...(handover?.frame ?? [])]
    // Visitors follow a refresh too, what else leads on by itself, and a redirect that was not followed here.
    const next = document && [findRefresh(document)?.url?.href, findHandover(document)?.url]
    const beyond = [stopped_at, ...(next ?? [])].filter(url => typeof url === 'string')
    const references = [...exchanges.map(({ url }) => url), ...beyond]
    const urls = references.flatMap(url => (/^https?:/i.test(url) && URL.canParse(url) ? [new URL(url)] : []))
    const hosts = [...new Set(urls.map(hostOf))].map(host => {
      const leadingUrls = urls.filter(url => hostOf(url) === host)
      const isOwn = host === (target.domain ?? target.ip)
      const others = isOwn
        ? leadingUrls.filter(({ pathname, search }) => pathname + search !== pageOf(target))
        : leadingUrls
      const lists = feeds().flatMap(feed => listingOf(feed, host, others) ?? [])
      if (isOwn) return { host, isOwn, lists: lists.filter(({ covers }) => covers === 'page') }
      const addresses = exchanges.flatMap(({ url, address }) => (hostOf(new URL(url)) === host ? [address] : []))
      const entry = operator_lists().find(askedHost(host), addresses, now.getTime())
      return { host, isOwn, lists, ...(entry && { operator: operatorListing(entry) }) }
    })
    return {
      hosts: hosts.flatMap(({ isOwn, ...listing }) => (isOwn && listing.lists.length === 0 ? [] : [listing])),
    }
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$|\.$/, '$1')

const askedHost = (host: string): AskedHost =>
  isIP(host) === 0 ? { kind: 'domain', domain: host, registrable: identify(host).owner } : { kind: 'ip', ip: host }

/** Listings of the checked page and its host are in `feeds`; redirects may lead to another page of the host. */
const pageOf = ({ url }: Target): string => (url === null ? '/' : pathAndQuery(url))

/** The listing of a page comes before that of other pages of its host. */
function listingOf(feed: Feed, host: string, urls: readonly URL[]): FeedListing | null {
  if (isIP(host) !== 0) {
    const match = feed.about === 'names' || urls.length === 0 ? null : findAddress(feed, [host])
    return match && listedBy(feed, match)
  }
  const registrable = identify(host).owner
  const all = urls.flatMap(({ pathname, search }) => {
    const url = { path: pathname, query: search === '' ? null : search.slice(1) }
    return findName(feed, { domain: host, registrable, url }) ?? []
  })
  const match = all.find(({ covers }) => covers !== 'other_pages') ?? all[0]
  return match === undefined ? null : listedBy(feed, match)
}
