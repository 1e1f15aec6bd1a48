// The robots.txt file (RFC 9309) and the sitemaps of a site.

export interface CrawlFile {
  readonly url: string
  /** `found`, `missing` (404, 410), `denied` (401, 403), or `unknown` with the reason. */
  readonly status: 'found' | 'missing' | 'denied' | 'unknown'
  readonly reason: string | null
}

export interface CrawlFiles {
  /** `text` holds at most 500 KiB, decoded; null unless found. */
  readonly robots: CrawlFile & { readonly text: string | null }
  readonly sitemaps: readonly (CrawlFile & {
    readonly root: 'urlset' | 'sitemapindex' | 'feed' | 'text' | null
    readonly gzip: boolean
  })[]
}
