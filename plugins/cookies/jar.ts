// What browsers would have in their jar after the visit (RFC 6265bis section 5.7), and what they would have refused.
import { getPublicSuffix } from 'tldts'
import { parseSetCookie, type SetCookie } from './set_cookie.ts'

/** Why a browser stores no such cookie. */
export const rejections = [
  'control_character',
  'too_large',
  'empty',
  'domain_mismatch',
  'public_suffix_domain',
  'secure_over_http',
  'same_site_none_without_secure',
  'prefix_violated',
  'partitioned_without_secure',
] as const
export type Rejection = (typeof rejections)[number]

export interface Cookie {
  /** The host whose response set it. */
  readonly host: string
  /** The response came over HTTPS. */
  readonly https: boolean
  /** Null: for that host alone. */
  readonly domain: string | null
  readonly path: string
  /** Seconds it lives from now, at most 400 days; null: until the browser closes. */
  readonly max_age: number | null
  readonly rejection: Rejection | null
  readonly set: SetCookie
}

/** Browsers keep no cookie longer (section 5.5). */
const LONGEST = 400 * 86_400

export interface Response {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Every cookie of the visit once, as last set; deleted ones are gone. `now` in milliseconds since the epoch. */
export function collectCookies(responses: readonly Response[], now: number): readonly Cookie[] {
  const jar = new Map<string, Cookie>()
  for (const { url, headers } of responses) {
    if (!URL.canParse(url)) continue
    const from = new URL(url)
    for (const [name, value] of headers) {
      if (name !== 'set-cookie') continue
      const cookie = cookieOf(parseSetCookie(value), from, now)
      const key = keyOf(cookie)
      if (cookie.max_age === null || cookie.max_age > 0) jar.set(key, cookie)
      else jar.delete(key)
    }
  }
  return [...jar.values()]
}

/**
 * Name, domain and path are a cookie's identity; one that is refused replaces none that is not. No part holds a line
 * feed, for control characters are gone.
 */
const keyOf = ({ set, host, domain, path, rejection }: Cookie): string =>
  [set.name, domain ?? `${host} alone`, path, set.partitioned, rejection].join('\n')

function cookieOf(set: SetCookie, from: URL, now: number): Cookie {
  const https = from.protocol === 'https:'
  const suffix = isPublicSuffix(set.domain)
  const own = !set.domain || ((suffix || isAddress(from.hostname)) && set.domain === from.hostname)
  const cookie = {
    host: from.hostname,
    https,
    domain: own ? null : set.domain,
    path: set.path ?? defaultPath(from.pathname),
    max_age: lifetime(set, now),
    set,
  }
  return { rejection: set.fault ?? reject(cookie, suffix), ...cookie }
}

function reject({ set, host, https, domain, path }: Omit<Cookie, 'rejection'>, suffix: boolean): Rejection | null {
  if (domain !== null && suffix) return 'public_suffix_domain'
  if (domain !== null && !domainMatches(host, domain)) return 'domain_mismatch'
  if (set.secure && !https) return 'secure_over_http'
  if (set.same_site === 'none' && !set.secure) return 'same_site_none_without_secure'
  if (set.prefix !== null && !keepsPrefix(set, domain, path)) return 'prefix_violated'
  return set.partitioned && !set.secure ? 'partitioned_without_secure' : null
}

/** Section 4.1.3; a nameless cookie may not look as if it had a prefix. */
const keepsPrefix = (
  { name, prefix, secure, path: written }: SetCookie,
  domain: string | null,
  path: string,
): boolean => name !== '' && secure && (prefix === '__Secure-' || (domain === null && written === '/' && path === '/'))

/** Section 5.1.3; an address matches itself alone. */
const domainMatches = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && !isAddress(host))

/** Has no subdomains to share with. */
const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host)

const isPublicSuffix = (domain: string | null): boolean =>
  domain !== null && domain !== '' && getPublicSuffix(domain, SUFFIX) === domain

const SUFFIX = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: true }

/** The directory of the response's path (section 5.1.4). */
const defaultPath = (pathname: string): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/'

/** Max-Age before Expires (section 5.7). */
function lifetime({ max_age, expires }: SetCookie, now: number): number | null {
  const seconds = max_age ?? (expires === null ? null : Math.floor((expires - now) / 1000))
  return seconds === null ? null : Math.max(0, Math.min(seconds, LONGEST))
}
