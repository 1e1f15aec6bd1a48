// The robots.txt file (RFC 9309) and the sitemaps of a site.
import type { FileStatus } from '../facts.ts'
import type { AnsweredRequest } from '../page/facts.ts'

export interface CrawlFile extends FileStatus {
  readonly url: string
}

export interface CrawlFiles {
  /** `text` holds at most 500 KiB, decoded; null unless found. */
  readonly robots: CrawlFile & { readonly text: string | null }
  readonly sitemaps: readonly (CrawlFile & {
    /** By content, whatever its media type: the root element, `text` for a list of URLs, `html` for a web page. */
    readonly root: 'urlset' | 'sitemapindex' | 'feed' | 'text' | 'html' | null
    readonly gzip: boolean
    /**
     * Of a `urlset` or `sitemapindex`: `incomplete` when the file ends before its root does, `oversized` when it has more octets than the
     * protocol allows. Null when unknown; absent in older recordings.
     */
    readonly content?: 'entries' | 'empty' | 'incomplete' | 'oversized' | null
  })[]
  /** Of all these files. Absent in older recordings. */
  readonly requests?: readonly AnsweredRequest[]
}
