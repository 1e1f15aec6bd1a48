// How the crawl files of a site are asked for.
import { type ClientOptions, requestHeaders } from '../network/fetch.ts'
import type { HttpRequest } from '../network/http.ts'
import type { Limits } from '../network/limits.ts'

export type CrawlRequest = Pick<HttpRequest, 'headers' | 'max_bytes' | 'headers_ms' | 'body_ms'>

export interface CrawlRequests {
  readonly robots: CrawlRequest
  readonly sitemap: CrawlRequest
}

export function crawlRequests(limits: Limits, client: ClientOptions): CrawlRequests {
  const { robots_bytes, robots_ms, sitemap_bytes, sitemap_ms } = limits
  return {
    robots: {
      headers: requestHeaders('text/plain, */*;q=0.1', client),
      max_bytes: robots_bytes,
      headers_ms: robots_ms,
      body_ms: robots_ms,
    },
    sitemap: {
      headers: requestHeaders('application/xml, text/xml, */*;q=0.1', client),
      max_bytes: sitemap_bytes,
      headers_ms: sitemap_ms,
      body_ms: sitemap_ms,
    },
  }
}

/** RFC 9309 section 2.3. */
export const robotsUrl = (origin: string): URL => new URL('/robots.txt', origin)

/** Where a sitemap is when robots.txt names none: by custom alone. */
export const sitemapUrl = (origin: string): URL => new URL('/sitemap.xml', origin)
