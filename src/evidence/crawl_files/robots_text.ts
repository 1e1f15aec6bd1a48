// Cleans the text of a robots.txt (RFC 9309) and finds the sitemaps it names. Pure.
import { getDomain } from 'tldts'

/** Octets read of one line, as in the most widely used parser. */
const MAX_LINE_BYTES = 16_664
/** Sitemaps fetched. */
const MAX_SITEMAPS = 3
/** `Sitemap:` lines parsed: parsing tens of thousands of URLs takes a tenth of a second. */
const MAX_SITEMAP_LINES = 100
const MAX_LINES = 100_000
/** Characters kept of an HTML page's first tag: enough to recognise a page. */
const MAX_TAG_CHARACTERS = 64

/**
 * Decodes UTF-8 with replacement, removes control characters except line ends, and cuts long lines. Of an HTML page in
 * place of the file, keeps only the first tag and the lines that crawlers take for records, because pages are never
 * kept.
 */
export function robotsText(octets: Buffer): string {
  const text = new TextDecoder('utf-8').decode(octets)
  const lines = text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map(line => line.slice(0, MAX_LINE_BYTES).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''))
  const opening = lines.find(line => line.trim() !== '')?.trim() ?? ''
  const relevantLines = opening.startsWith('<')
    ? [firstTag(opening), ...lines.filter(line => RECORD_LINE.test(line))]
    : lines
  return relevantLines.join('\n')
}

const RECORD_LINE = /^[ \t]{0,99}(?:user-?agent|(?:dis)?allow|sitemap)[ \t]{0,99}:/i

const firstTag = (line: string): string => line.slice(0, Math.min(MAX_TAG_CHARACTERS, line.search(/>|$/) + 1))

/** Crawlers forgive a byte order mark that is cut short. */
const NAMING = /^(?:\ufeff|\ufffd{1,2})?[ \t]{0,99}site-?map[ \t]{0,99}:(.*)$/i

/** The first `Sitemap:` lines (sitemaps.org) whose URL is on the same registrable domain and may be fetched. */
export function sitemapsNamed(text: string, origin: string): URL[] {
  const here = new URL(origin).hostname
  const sitemapsByUrl = new Map<string, URL>()
  let namingCount = 0
  for (const line of text.split('\n')) {
    const [, address] = NAMING.exec(line) ?? []
    if (address === undefined) continue
    if (++namingCount > MAX_SITEMAP_LINES) break
    if (!URL.canParse(address, origin)) continue
    const url = new URL(address, origin)
    url.hash = ''
    if (isSameSite(url.hostname, here)) sitemapsByUrl.set(url.href, url)
    if (sitemapsByUrl.size === MAX_SITEMAPS) break
  }
  return [...sitemapsByUrl.values()]
}

function isSameSite(one: string, other: string): boolean {
  const domain = getDomain(one, { allowPrivateDomains: true })
  return one === other || (domain !== null && domain === getDomain(other, { allowPrivateDomains: true }))
}
