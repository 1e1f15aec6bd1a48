// Cleans text from a page for the result, resolves its URLs, and finds the site that a URL belongs to.
import { getDomain } from 'tldts'
import { printable } from '../../src/engine/plugin.ts'

/** Longer URLs are not resolved; servers reject them (RFC 9110 section 4.1 recommends at least 8000 octets). */
const URL_LENGTH = 8_192

/** The URL as a browser would resolve it, or null. */
export function resolveUrl(reference: string, base: string): URL | null {
  if (reference.length > URL_LENGTH || base.length > URL_LENGTH) return null
  return URL.canParse(reference, base) ? new URL(reference, base) : null
}

/** Whether a URL is one of the web. */
export const isHttp = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

/** The registrable domain. Each customer of a hosting platform is a separate site (`user.github.io`), and so is an IP address. */
export function siteOf({ hostname }: URL): string {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host
}

/** The URL without query and fragment, which may hold personal data, cut to `max` characters. */
export const withoutQuery = (url: URL, max: number): string => printable(`${url.origin}${url.pathname}`, max)
