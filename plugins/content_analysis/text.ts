// Makes text from a page fit for a result, and compares the sites that its addresses belong to.
import { getDomain } from 'tldts'

/** Controls, lone surrogates, line and paragraph separators, and what reverses the direction of reading. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]+/gu

/** Printable, well-formed, trimmed and at most `max` UTF-16 units long. */
export function printable(text: string, max: number): string {
  const clean = text
    .slice(0, 2 * max)
    .replace(UNPRINTABLE, ' ')
    .trim()
  if (clean.length <= max) return clean
  return clean.slice(0, max).replace(UNPRINTABLE, '').trimEnd()
}

/** As `printable`; null when nothing is left. */
export const printableOrNull = (text: string | null | undefined, max: number): string | null =>
  printable(text ?? '', max) || null

/** Characters of a URL that is worth resolving: servers refuse longer ones (RFC 9110 section 4.1 asks for 8000). */
const URL_LENGTH = 8_192

/** The URL as a browser would resolve it, or null. */
export function resolveUrl(reference: string, base: string): URL | null {
  if (reference.length > URL_LENGTH || base.length > URL_LENGTH) return null
  return URL.canParse(reference, base) ? new URL(reference, base) : null
}

export const isHttp = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

/** The registrable domain, where customers of a host are sites of their own (`user.github.io`); an address is its own site. */
export function siteOf({ hostname }: URL): string {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host
}

/** Without query and fragment, which may hold what concerns nobody; at most `max` characters, else cut. */
export const withoutQuery = (url: URL, max: number): string => printable(`${url.origin}${url.pathname}`, max)
