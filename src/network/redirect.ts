// Where a response redirects to (RFC 9110 section 15.4), and whether that may be followed. Pure.
import { isIP } from 'node:net'
import { isInternal } from '../targets/special_use.ts'
import { isAskable } from './dns_name.ts'
import { DENIED, type Guard } from './guard.ts'
import { bareHost } from './host.ts'
import { fieldValues, type ResponseHead } from './response_head.ts'

/** `stopped` says why it is not followed (`redirect_to_port`, ...); `at` is what was pointed to, as written or normalised, at most 512 characters. */
export type Redirect = { readonly to: URL } | { readonly stopped: string; readonly at: string }

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ports: ReadonlySet<string> = new Set(['', '80', '443'])
const shown = 512

/** As evidence keeps it: without credentials, cut. */
export function shownUrl(url: URL): string {
  const bare = new URL(url.href)
  bare.username = ''
  bare.password = ''
  return bare.href.slice(0, shown)
}

/** Where a response points that browsers would follow: those without a Location that says something are pages like any other. */
export function locationOf({ status, headers }: Pick<ResponseHead, 'status' | 'headers'>): string | null {
  const [location] = fieldValues(headers, 'location').filter(value => value !== '')
  return statuses.has(status) ? (location ?? null) : null
}

/** Null when the response is no redirect. `https_only` stops what leads to http. */
export function redirectOf(
  from: URL,
  response: Pick<ResponseHead, 'status' | 'headers'>,
  guard: Guard,
  https_only = false,
): Redirect | null {
  const location = locationOf(response)
  if (location === null) return null
  if (!URL.canParse(location, from.href)) return { stopped: 'redirect_malformed', at: location.slice(0, shown) }
  const to = new URL(location, from.href)
  to.hash = ''
  const why = refusal(to, guard) ?? (leadsInside(from, to) ? 'to_non_public' : null)
  if (why === null && https_only && to.protocol !== 'https:') return { stopped: 'redirect_insecure', at: shownUrl(to) }
  if (why === null) return { to }
  return { stopped: `redirect_${why}`, at: shownUrl(to) }
}

/** Why no request may go to the URL, as far as can be told before its name is resolved; null when one may. */
export function refusal(
  { protocol, username, password, port, hostname }: URL,
  { refuse, refuseName }: Guard,
): 'to_scheme' | 'with_credentials' | 'to_port' | 'malformed' | 'to_non_public' | 'to_denied' | null {
  if (protocol !== 'http:' && protocol !== 'https:') return 'to_scheme'
  if (username !== '' || password !== '') return 'with_credentials'
  if (!ports.has(port)) return 'to_port'
  const host = bareHost(hostname)
  // URLs may hold hosts that are no name of DNS: `a..b`, labels of 64 octets (URL section 3.3, VerifyDnsLength)
  if (isIP(host) === 0) return !isAskable(host) ? 'malformed' : refuseName(host) !== null ? 'to_denied' : null
  const refused = refuse(host)
  return refused === DENIED ? 'to_denied' : refused !== null ? 'to_non_public' : null
}

/** Who was told by us to begin at such a name, a mirror of one's own, may go on there. */
function leadsInside(from: URL, to: URL): boolean {
  const host = bareHost(to.hostname)
  return to.hostname !== from.hostname && isIP(host) === 0 && isInternal(host)
}
