// What kind of sitemap (sitemaps.org) a response is, by its root element alone: nothing in it is expanded or followed.

import { createDecoder, type Decoder } from '../../network/content_coding.ts'
import type { Receive } from '../../network/http.ts'

export interface SeenSitemap {
  readonly root: 'urlset' | 'sitemapindex' | 'feed' | 'text' | null
  readonly gzip: boolean
}

export interface SitemapReader {
  readonly receive: Receive
  end(): Promise<SeenSitemap>
}

/** Octets looked through for the root: comments and style sheets may stand before it. */
const searched = 8 * 1024

/** Of several responses the last counts. `max_bytes` of one that is compressed are looked at after decompression. */
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

/** By the first element's local name. Feeds are sitemaps too, and so is plain text, of which the first line is a URL. */
const roots: ReadonlyMap<string, SeenSitemap['root']> = new Map([
  ['urlset', 'urlset'],
  ['sitemapindex', 'sitemapindex'],
  ['rss', 'feed'],
  ['feed', 'feed'],
])

/** Null when it is no sitemap. */
export function rootOf(head: string): SeenSitemap['root'] {
  const text = head.replace(/^\u00ef\u00bb\u00bf/, '').trimStart()
  if (/^https?:\/\/[^\s<>]{1,2048}(?:\s|$)/i.test(text)) return 'text'
  const [, name = ''] = /^<(?:[A-Za-z][\w.-]{0,63}:)?([a-z]{1,16})[\s/>]/.exec(skipProlog(text)) ?? []
  return roots.get(name) ?? null
}

/** Declarations, processing instructions and comments before the root (XML section 2.8). A DOCTYPE is left: it is none of a sitemap's. */
function skipProlog(text: string): string {
  let rest = text
  for (;;) {
    const end = rest.startsWith('<?') ? '?>' : rest.startsWith('<!--') ? '-->' : null
    const at = end === null ? -1 : rest.indexOf(end, 2)
    if (end === null || at === -1) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
}
