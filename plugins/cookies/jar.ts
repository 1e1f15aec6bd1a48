// The cookies a browser would store after the visit (RFC 6265bis section 5.7), and those it would reject.
import { getPublicSuffix } from 'tldts'
import { parseSetCookie, type SetCookie } from './set_cookie.ts'

/** Why a browser rejects the cookie. */
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

/** A cookie as browsers see it after the visit. */
export interface Cookie {
  /** The host whose response set the cookie. */
  readonly host: string
  /** Whether the response was sent over HTTPS. */
  readonly https: boolean
  /** Null if the cookie is for that host only. */
  readonly domain: string | null
  readonly path: string
  /** Lifetime in seconds from now, at most 400 days; null if it ends with the browser session. */
  readonly max_age: number | null
  readonly rejection: Rejection | null
  readonly set: SetCookie
}

/** Maximum lifetime of a cookie in browsers (section 5.5). */
const LONGEST = 400 * 86_400

/** A response of the visit with its header fields. */
export interface CookieResponse {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Each cookie of the visit as last set, without deleted ones. `now` is in milliseconds since the epoch. */
export function collectCookies(responses: readonly CookieResponse[], now: number): readonly Cookie[] {
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
  return [...jar.values()].filter(cookie => !isSetAgain(cookie, jar))
}

/** Secure and set over HTTP, then over HTTPS: browsers store it after all. */
const isSetAgain = (cookie: Cookie, jar: ReadonlyMap<string, Cookie>): boolean =>
  cookie.rejection === 'secure_over_http' && jar.has(keyOf({ ...cookie, rejection: null }))

/**
 * Name, domain and path identify a cookie; a rejected cookie does not replace an accepted one. Line feeds are a safe
 * separator because control characters have been removed.
 */
const keyOf = ({ set, host, domain, path, rejection }: Cookie): string =>
  [set.name, domain ?? `${host} alone`, path, set.partitioned, rejection].join('\n')

function cookieOf(setCookie: SetCookie, from: URL, now: number): Cookie {
  const https = from.protocol === 'https:'
  const suffix = isPublicSuffix(setCookie.domain)
  const own = !setCookie.domain || ((suffix || isAddress(from.hostname)) && setCookie.domain === from.hostname)
  const cookie = {
    host: from.hostname,
    https,
    domain: own ? null : setCookie.domain,
    path: setCookie.path ?? defaultPath(from.pathname),
    max_age: lifetime(setCookie, now),
    set: setCookie,
  }
  return { rejection: setCookie.fault ?? reject(cookie, suffix), ...cookie }
}

function reject({ set, host, https, domain, path }: Omit<Cookie, 'rejection'>, suffix: boolean): Rejection | null {
  if (domain !== null && suffix) return 'public_suffix_domain'
  if (domain !== null && !domainMatches(host, domain)) return 'domain_mismatch'
  if (set.secure && !https) return 'secure_over_http'
  if (set.same_site === 'none' && !set.secure) return 'same_site_none_without_secure'
  if (set.prefix !== null && !keepsPrefix(set, domain, path)) return 'prefix_violated'
  return set.partitioned && !set.secure ? 'partitioned_without_secure' : null
}

/** Section 4.1.3. A nameless cookie whose value starts with a prefix is rejected too. */
function keepsPrefix(setCookie: SetCookie, domain: string | null, path: string): boolean {
  const { name, prefix, secure, http_only } = setCookie
  if (name === '' || !secure) return false
  if (prefix?.endsWith('Http-') && !http_only) return false
  return !prefix?.startsWith('__Host-') || (domain === null && setCookie.path === '/' && path === '/')
}

/** Section 5.1.3. An IP address matches only itself. */
const domainMatches = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && !isAddress(host))

/** True for hosts without subdomains to share cookies with. */
const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host)

const isPublicSuffix = (domain: string | null): boolean =>
  domain !== null && domain !== '' && getPublicSuffix(domain, SUFFIX) === domain

const SUFFIX = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: true }

/** The directory of the response path (section 5.1.4). */
const defaultPath = (pathname: string): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/'

/** Max-Age takes precedence over Expires (section 5.7). */
function lifetime({ max_age, expires }: SetCookie, now: number): number | null {
  const seconds = max_age ?? (expires === null ? null : Math.floor((expires - now) / 1000))
  return seconds === null ? null : Math.max(0, Math.min(seconds, LONGEST))
}
