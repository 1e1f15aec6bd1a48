// Recognises the kind of a sitemap (sitemaps.org) by its root element. Nothing in it is expanded or followed.

import { type CodingFault, createDecoder, type Decoder } from '../../network/content_coding.ts'
import { type Exchange, fieldValues, type Receive } from '../../network/http.ts'
import type { CrawlFiles } from './facts.ts'

export interface SeenSitemap {
  readonly root: CrawlFiles['sitemaps'][number]['root']
  readonly gzip: boolean
  /** Whether it names a page or another sitemap. */
  readonly has_entries: boolean
  /** Whether the root element ends, and nothing but comments follows. */
  readonly is_closed: boolean
  /** Why it could not be decompressed to its end. */
  readonly fault: CodingFault | null
}

export interface SitemapReader {
  readonly receive: Receive
  end(): Promise<SeenSitemap>
}

/** Octets searched for the root element: comments and style sheets may precede it. */
const SEARCHED_BYTES = 8 * 1024
/** Octets at the end in which the root element is closed: comments may follow. */
const ENDING = 1024
/** The longest tag of an entry: one that is cut between two chunks is put together. */
const TAG = 32

const ENTRY = /<(?:[\w.-]{1,16}:)?loc[\s>]/
const END_TAG = /<\/(?:[\w.-]{1,64}:)?(?:urlset|sitemapindex)\s{0,64}>(?:\s|<!--(?:(?!-->).)*-->)*$/s
/** `<urlset/>` */
const CLOSED_AT_ONCE = /<(?:[\w.-]{1,64}:)?(?:urlset|sitemapindex)(?:\s[^<>]{0,1024})?\/>\s*$/

/** The last response counts. Reads at most `max_bytes` of a compressed one after decompression. */
export function createSitemapReader(maxBytes: number): SitemapReader {
  let head = ''
  let gzip = false
  let decoder: Decoder | null = null
  let tail = ''
  let hasEntries = false
  const look = (chunk: Buffer) => {
    if (head.length < SEARCHED_BYTES) head += chunk.toString('latin1', 0, SEARCHED_BYTES)
    const text = chunk.toString('latin1')
    hasEntries ||= ENTRY.test(tail.slice(-TAG) + text)
    tail = (tail + text).slice(-ENDING)
  }
  return {
    receive: () => {
      head = ''
      tail = ''
      hasEntries = false
      gzip = false
      decoder = null
      let hasBegun = false
      return chunk => {
        if (!hasBegun && chunk[0] === 0x1f && chunk[1] === 0x8b) {
          gzip = true
          decoder = createDecoder(['gzip'], { max_bytes: maxBytes, receive: look })
        }
        hasBegun = true
        if (decoder) decoder.write(chunk)
        else look(chunk)
      }
    },
    async end() {
      const fault = (await decoder?.end()) ?? null
      const isClosed = END_TAG.test(tail) || CLOSED_AT_ONCE.test(tail)
      return { root: rootOf(head.slice(0, SEARCHED_BYTES)), gzip, has_entries: hasEntries, is_closed: isClosed, fault }
    },
  }
}

/**
 * By the local name of the first element. Feeds also count as sitemaps, and so does plain text that starts with a URL.
 */
const ROOTS: ReadonlyMap<string, SeenSitemap['root']> = new Map([
  ['urlset', 'urlset'],
  ['sitemapindex', 'sitemapindex'],
  ['rss', 'feed'],
  ['feed', 'feed'],
])

const PAGE = /^<(?:!doctype\s{1,64}html|html|head|body)[\s>]/i

/** Null when the text is neither a sitemap nor a web page. */
export function rootOf(head: string): SeenSitemap['root'] {
  const text = head.replace(/^\u00ef\u00bb\u00bf/, '').trimStart()
  if (/^https?:\/\/[^\s<>]{1,2048}(?:\s|$)/i.test(text)) return 'text'
  const rest = skipProlog(text)
  if (PAGE.test(rest)) return 'html'
  const [, name = ''] = /^<(?:[A-Za-z][\w.-]{0,63}:)?([a-z]{1,16})[\s/>]/.exec(rest) ?? []
  return ROOTS.get(name) ?? null
}

/**
 * Skips declarations, processing instructions and comments before the root (XML section 2.8). A DOCTYPE is not skipped,
 * because sitemaps have none.
 */
function skipProlog(text: string): string {
  let rest = text
  for (;;) {
    const end = rest.startsWith('<?') ? '?>' : rest.startsWith('<!--') ? '-->' : null
    const at = end === null ? -1 : rest.indexOf(end, 2)
    if (end === null || at === -1) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
}

/** Octets of a sitemap at most (sitemaps.org), decompressed. */
const MOST_OCTETS = 50 * 1024 * 1024

/** What a sitemap with a root contains, as far as it was read; `exchange` is its response. */
export function contentOf(
  { root, gzip, has_entries, is_closed, fault }: SeenSitemap,
  exchange: Pick<Exchange, 'headers' | 'truncated'> | undefined,
): CrawlFiles['sitemaps'][number]['content'] {
  if ((root !== 'urlset' && root !== 'sitemapindex') || exchange === undefined) return null
  const { headers, truncated } = exchange
  const isEncoded = gzip || fieldValues(headers, 'content-encoding').length > 0
  const octets = Number(fieldValues(headers, 'content-length')[0] ?? 0)
  if (!isEncoded && octets > MOST_OCTETS) return 'oversized'
  if (truncated === null && fault !== 'too_large') {
    if (fault !== null || !is_closed) return 'incomplete'
    return has_entries ? 'entries' : 'empty'
  }
  return has_entries ? 'entries' : null
}
