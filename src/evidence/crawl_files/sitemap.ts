// Recognises the kind of a sitemap (sitemaps.org) by its root element. Nothing in it is expanded or followed.

import { createDecoder, type Decoder } from '../../network/content_coding.ts'
import type { Receive } from '../../network/http.ts'
import type { CrawlFiles } from './facts.ts'

export interface SeenSitemap {
  readonly root: CrawlFiles['sitemaps'][number]['root']
  readonly gzip: boolean
}

export interface SitemapReader {
  readonly receive: Receive
  end(): Promise<SeenSitemap>
}

/** Octets searched for the root element: comments and style sheets may precede it. */
const searched = 8 * 1024

/** The last response counts. Reads at most `max_bytes` of a compressed one after decompression. */
export function createSitemapReader(max_bytes: number): SitemapReader {
  let head = ''
  let gzip = false
  let decoder: Decoder | null = null
  const look = (chunk: Buffer) => {
    if (head.length < searched) head += chunk.toString('latin1', 0, searched)
  }
  return {
    receive: () => {
      head = ''
      gzip = false
      decoder = null
      let begun = false
      return chunk => {
        if (!begun && chunk[0] === 0x1f && chunk[1] === 0x8b) {
          gzip = true
          decoder = createDecoder(['gzip'], { max_bytes, receive: look })
        }
        begun = true
        if (decoder) decoder.write(chunk)
        else look(chunk)
      }
    },
    async end() {
      await decoder?.end()
      return { root: rootOf(head.slice(0, searched)), gzip }
    },
  }
}

/**
 * By the local name of the first element. Feeds also count as sitemaps, and so does plain text that starts with a URL.
 */
const roots: ReadonlyMap<string, SeenSitemap['root']> = new Map([
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
  return roots.get(name) ?? null
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
