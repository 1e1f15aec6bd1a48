// Finds a target, or a URL that a redirect leads to, in one feed.
import type { Feed } from '../../knowledge/datasets/held.ts'
import type { TargetUrl } from '../../targets/url.ts'
import { pathAndQuery, pathExpressions, readPage } from '../../targets/url_expressions.ts'
import type { Covers, FeedListing } from './facts.ts'

export interface FeedMatch {
  readonly kind: 'ip' | 'domain'
  readonly asked: string
  readonly matched: string
  readonly covers: Covers
  readonly pages: number | null
}

export interface AskedName {
  readonly domain: string
  readonly registrable: string
  /** The page that is checked, or null. */
  readonly url: Pick<TargetUrl, 'path' | 'query'> | null
}

/** Finds a listing of the whole site, or else of the page, or else of other pages of the site. */
export function findName({ lookup, about }: Feed, { domain, registrable, url }: AskedName): FeedMatch | null {
  if (lookup === null || about === 'addresses') return null
  const listing = { kind: 'domain', asked: domain } as const
  const matchedName = lookup.name(domain, registrable)
  if (matchedName !== null) return { ...listing, matched: matchedName, covers: 'site', pages: null }
  const pages = lookup.pages(domain, registrable, url && pathExpressions(readPage(pathAndQuery(url))))
  return pages && { ...listing, matched: pages.host, covers: pages.listed ? 'page' : 'other_pages', pages: pages.count }
}

/** Finds the first address that is listed. */
export function findAddress({ lookup }: Feed, addresses: readonly string[]): FeedMatch | null {
  for (const address of addresses) {
    const matchedAddress = lookup?.address(address) ?? null
    if (matchedAddress !== null)
      return { kind: 'ip', asked: address, matched: matchedAddress, covers: 'site', pages: null }
  }
  return null
}

/** The row of a feed that lists something. */
export const listedBy = ({ id, name, category, strength, terms, age_hours }: Feed, match: FeedMatch): FeedListing => ({
  id,
  name,
  kind: match.kind,
  asked: match.asked,
  status: 'listed',
  reason: null,
  matched: match.matched,
  covers: match.covers,
  pages: match.pages,
  categories: [category],
  strength,
  terms,
  age_hours,
})
