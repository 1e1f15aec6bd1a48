// The text of a robots.txt (RFC 9309), and the sitemaps it names. Pure.
import { getDomain } from 'tldts'

/** Octets of a line that are read: what the widely used parser keeps of one. */
const lineLength = 16_664
/** Sitemaps looked at. */
const sitemaps = 3
const mostLines = 100_000

/** UTF-8 with errors replaced; control characters but the ends of lines are removed, and lines cut. */
export function robotsText(octets: Buffer): string {
  const text = new TextDecoder('utf-8').decode(octets)
  return text
    .split(/\r\n|\r|\n/, mostLines)
    .map(line => line.slice(0, lineLength).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''))
    .join('\n')
}

/** `Sitemap:` lines (sitemaps.org) whose URL is on the same registrable domain and may be asked; the first ones. */
export function sitemapsNamed(text: string, origin: string): URL[] {
  const here = new URL(origin).hostname
  const found = new Map<string, URL>()
  for (const line of text.split('\n')) {
    const [, written] = /^[ \t]{0,99}sitemap[ \t]{0,99}:(.*)$/i.exec(line) ?? []
    if (written === undefined || !URL.canParse(written.trim(), origin)) continue
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
