// The text of a robots.txt (RFC 9309), and the sitemaps it names. Pure.
import { getDomain } from 'tldts'

/** Octets of a line that are read: what the widely used parser keeps of one. */
const lineLength = 16_664
/** Sitemaps looked at. */
const sitemaps = 3
/** Lines that name one: to read the URLs of tens of thousands takes a tenth of a second. */
const namings = 100
const mostLines = 100_000
/** Characters of a page's first tag: enough to tell that it is one. */
const tagLength = 64

/**
 * UTF-8 with errors replaced; control characters but the ends of lines are removed, and lines cut. Of a page in the file's
 * place only its first tag is kept, and what crawlers take for records: pages are never kept.
 */
export function robotsText(octets: Buffer): string {
  const text = new TextDecoder('utf-8').decode(octets)
  const lines = text
    .split(/\r\n|\r|\n/, mostLines)
    .map(line => line.slice(0, lineLength).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''))
  const opening = lines.find(line => line.trim() !== '')?.trim() ?? ''
  const kept = opening.startsWith('<') ? [firstTag(opening), ...lines.filter(line => record.test(line))] : lines
  return kept.join('\n')
}

const record = /^[ \t]{0,99}(?:user-?agent|(?:dis)?allow|sitemap)[ \t]{0,99}:/i

const firstTag = (line: string): string => line.slice(0, Math.min(tagLength, line.search(/>|$/) + 1))

/** `Sitemap:` lines (sitemaps.org) whose URL is on the same registrable domain and may be asked; the first ones. */
export function sitemapsNamed(text: string, origin: string): URL[] {
  const here = new URL(origin).hostname
  const found = new Map<string, URL>()
  let named = 0
  for (const line of text.split('\n')) {
    const [, written] = /^[ \t]{0,99}sitemap[ \t]{0,99}:(.*)$/i.exec(line) ?? []
    if (written === undefined) continue
    if (++named > namings) break
    if (!URL.canParse(written.trim(), origin)) continue
    const url = new URL(written.trim(), origin)
    url.hash = ''
    if (isSameSite(url.hostname, here)) found.set(url.href, url)
    if (found.size === sitemaps) break
  }
  return [...found.values()]
}

function isSameSite(one: string, other: string): boolean {
  const domain = getDomain(one, { allowPrivateDomains: true })
  return one === other || (domain !== null && domain === getDomain(other, { allowPrivateDomains: true }))
}
