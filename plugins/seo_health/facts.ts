// The facts that the checks use, computed once from the evidence.
import { getDomain } from 'tldts'
import {
  type CrawlFiles,
  type Document,
  type Entrances,
  isCanonical,
  isInHead,
  type Page,
  type Served,
} from '../../src/engine/plugin.ts'
import { type HeaderLink, parseLinkHeaders } from './link_header.ts'
import { directivesFor } from './robots_directives.ts'
import { decidingRule, parseRobotsTxt, type RobotsRule, type RobotsTxt } from './robots_txt.ts'
import { readStructuredData, type StructuredData } from './structured_data.ts'

export interface RobotsFacts {
  /** Null if the file could not be fetched for any reason; nothing follows from that. */
  readonly file: RobotsTxt | null
  readonly html: boolean
  /** Whether the crawler may fetch the page; null if unknown. */
  readonly allows: boolean | null
  readonly rule: RobotsRule | null
}

export interface SeoFacts {
  readonly url: URL
  readonly status: number
  readonly chain: Served['chain']
  readonly document: Document
  readonly crawl: CrawlFiles | null
  /** Null if they were not requested. */
  readonly entrances: Entrances | null
  readonly robots: RobotsFacts
  /** Directives for the crawler from meta elements and headers, in lower case. */
  readonly directives: readonly string[]
  /** From elements and headers, each once; null stands for an invalid http(s) URL. */
  readonly canonicals: readonly (URL | null)[]
  readonly alternates: readonly HeaderLink[]
  readonly structuredData: StructuredData
}

/** Maximum links of one kind that are read. */
const MAX_LINKS = 200

export interface SeoSite extends Pick<SeoFacts, 'document' | 'crawl' | 'entrances'> {
  readonly served: Served
  readonly page: Page
}

export function factsOf(
  url: URL,
  { served, page, document, crawl, entrances }: SeoSite,
  crawler: string,
  now: Date,
): SeoFacts {
  const headers = page.exchanges.at(-1)?.headers ?? []
  const links = [...document.links.filter(isInHead), ...parseLinkHeaders(headers)]
  const base = resolve(document.base ?? '', url) ?? url
  return {
    url,
    status: served.status ?? 0,
    chain: served.chain,
    document,
    crawl,
    entrances,
    robots: robotsFacts(crawl, url, crawler),
    directives: directivesFor(crawler, document.metas.filter(isInHead), headers, now),
    canonicals: distinct(links.filter(isCanonical).map(({ href }) => resolve(href, base))),
    alternates: links.filter(({ rel, hreflang }) => rel.includes('alternate') && hreflang !== null).slice(0, MAX_LINKS),
    structuredData: readStructuredData(document.json_ld),
  }
}

function robotsFacts(crawl: CrawlFiles | null, url: URL, crawler: string): RobotsFacts {
  const robots = crawl?.robots
  if (robots?.status === 'missing') return { file: null, html: false, allows: true, rule: null }
  if (robots?.status !== 'found' || robots.text === null) return { file: null, html: false, allows: null, rule: null }
  const file = parseRobotsTxt(robots.text, crawler)
  const rule = decidingRule(file, url)
  return { file, html: robots.text.trimStart().startsWith('<'), allows: rule?.allow ?? true, rule }
}

/** Longer URLs are not resolved (RFC 9110 section 4.1 recommends at least 8000 octets). */
const URL_LENGTH = 8_192

/** The absolute http(s) URL, or null. */
export function resolve(href: string, base: URL): URL | null {
  if (href.length > URL_LENGTH || !URL.canParse(href, base.href)) return null
  const url = new URL(href, base)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null
}

function distinct(urls: readonly (URL | null)[]): (URL | null)[] {
  const byPage = new Map(urls.slice(0, MAX_LINKS).map(url => [url && withoutFragment(url), url]))
  return [...byPage.values()]
}

/** The registrable domain; each customer of a hosting platform and each IP address is its own site. */
export const siteOf = ({ hostname }: URL): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname

/** The first meta element of that name, or null. */
export const metaOf = ({ metas }: Document, name: string): string | null =>
  metas.find(meta => meta.name === name)?.content.trim() ?? null

/** Whether two URLs are the same resource for a search engine: fragments do not count. */
export const samePage = (one: URL, other: URL): boolean => withoutFragment(one) === withoutFragment(other)

const withoutFragment = (url: URL): string => `${url.origin}${url.pathname}${url.search}`
