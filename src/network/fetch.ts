// The safe HTTP client: from a URL to its final response. Every redirect is vetted like the first URL.

import { isIP } from 'node:net'
import { version } from '../package_root.ts'
import { isInternal } from '../targets/domain.ts'
import { timeLimit } from './abort.ts'
import { isAskable } from './dns_records.ts'
import { DENIED, type Guard } from './guard.ts'
import { bareHost } from './host_addresses.ts'
import {
  createCollector,
  type Exchange,
  fieldValues,
  type HttpRequest,
  type HttpResult,
  type HttpSession,
  type ResponseHead,
} from './http.ts'
import type { CheckNetwork, Fetched, FetchRequest } from './network.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** How this installation presents itself and what it trusts. */
export interface ClientOptions {
  readonly user_agent?: string | undefined
  /** PEM: trust anchors besides the runtime's. */
  readonly extra_roots?: string | undefined
}

const defaultUserAgent = userAgent(version, null)

/** The header fields of every request. Codings are those that can be undone; cookies and credentials are never sent. */
export function requestHeaders(
  accept: string,
  { user_agent = defaultUserAgent }: ClientOptions,
): HttpRequest['headers'] {
  return { 'user-agent': user_agent, accept, 'accept-encoding': 'gzip, deflate, br' }
}

export type Fetch = (network: CheckNetwork, request: FetchRequest) => Promise<Fetched>

export const createFetch =
  (options: ClientOptions = {}): Fetch =>
  async (network, request) => {
    if (!URL.canParse(request.url)) return { ok: false, exchanges: [], failure: 'malformed_url' }
    const start = new URL(request.url)
    start.hash = ''
    const limit = timeLimit(request.timeout_ms, request.signal)
    const { signal } = limit
    const { addresses, verify_certificate } = request
    const known = addresses && { host: start.hostname, addresses }
    const sessions = createSessions(network, { signal, verify_certificate, ...options, ...(known ? { known } : {}) })
    const body = createCollector()
    const journey = await navigate(start, {
      network,
      sessions,
      redirects: request.redirects,
      https_only: request.https_only,
      request: {
        headers: { ...requestHeaders(request.accept ?? '*/*', options), ...request.headers },
        max_bytes: request.max_bytes,
        headers_ms: network.limits.headers_ms,
        body_ms: request.body_ms ?? network.limits.body_ms,
        signal,
        receive: request.receive ?? body.receive,
      },
    })
    limit.end()
    sessions.close()
    return fetched(journey, body.bytes(), limit.late())
  }

/** Never rejects. */
export const fetchResource: Fetch = createFetch()

function fetched({ exchanges, failure, stopped }: Journey, body: Buffer, late: boolean): Fetched {
  const why = failure ?? stopped
  if (why === null) return { ok: true, exchanges, body }
  return { ok: false, exchanges, failure: late && why === 'cancelled' ? 'timeout' : why }
}

export interface Route {
  readonly network: Pick<CheckNetwork, 'refuse' | 'refuseName' | 'takeRequest'>
  readonly sessions: Sessions
  /** Followed at most. */
  readonly redirects: number
  /** No redirect to http is followed. */
  readonly https_only?: boolean | undefined
  /** What each request is made of; `receive` is asked about every response, redirects too. */
  readonly request: Omit<HttpRequest, 'url'>
  /** Told when a request has gone out, so that another can follow it on the same connection at once. */
  readonly sent?: (url: URL, session: HttpSession) => void
  /** The response to the start, when that was asked for earlier. */
  readonly first?: Exchange | undefined
}

export interface Journey {
  readonly exchanges: readonly Exchange[]
  /** Why the last URL brought no response, or null. `denied`: it leads where the operator forbids, and was not asked. */
  readonly failure: string | null
  /** Why the last response's redirect was not followed (`redirect_loop`, ...), and where it points; null when it is none. */
  readonly stopped: string | null
  readonly stopped_at: string | null
}

/** Never rejects. The first URL is held to what redirects are held to, whoever wrote it. */
export async function navigate(start: URL, route: Route): Promise<Journey> {
  const exchanges: Exchange[] = []
  const visited = new Set<string>()
  const failed = (failure: string): Journey => ({ exchanges, failure, stopped: null, stopped_at: null })
  const ended = (stopped: string | null, at: string | null): Journey => {
    return { exchanges, failure: null, stopped, stopped_at: at }
  }
  const why = refusal(start, route.network)
  if (why !== null) return failed(unaskedBecause[why] ?? 'malformed_url')
  for (let url = start; ; ) {
    visited.add(url.href)
    const { exchange, failure } = route.first && url === start ? asked(route.first) : await ask(url, route)
    if (failure === 'not_public' && exchanges.length > 0) return ended('redirect_to_non_public', shownUrl(url))
    if (!exchange) return failed(failure)
    exchanges.push(exchange)
    const redirect = redirectOf(url, exchange, route.network, route.https_only)
    if (!redirect) return ended(null, null)
    // What lies behind it is unknown for our reasons, not for the site's
    if ('stopped' in redirect && redirect.stopped === 'redirect_to_denied') return failed(DENIED)
    if ('stopped' in redirect) return ended(redirect.stopped, redirect.at)
    if (visited.has(redirect.to.href)) return ended('redirect_loop', shownUrl(redirect.to))
    if (visited.size > route.redirects) return ended('too_many_redirects', shownUrl(redirect.to))
    url = redirect.to
  }
}

const unaskedBecause: Readonly<Record<string, string>> = { to_non_public: 'not_public', to_denied: DENIED }

const asked = (exchange: Exchange): HttpResult => ({ exchange, failure: null })

const isUnanswered = ({ failure }: HttpResult): boolean =>
  failure === 'closed' || failure === 'reset' || failure === 'protocol_error'

/**
 * A kept connection may have been closed while the request was on its way: then once more (RFC 9112 section 9.3.1). So
 * too where it was lost to octets before the answer, such as a 100: on a new one those are no fault.
 */
async function ask(url: URL, route: Route): Promise<HttpResult> {
  const { result, reused } = await askOnce(url, route)
  return reused && isUnanswered(result) ? (await askOnce(url, route)).result : result
}

async function askOnce(url: URL, route: Route): Promise<{ result: HttpResult; reused: boolean }> {
  if (!route.network.takeRequest()) return unasked('too_many_requests')
  const opened = await route.sessions.open(url)
  if (!opened.ok) return unasked(opened.failure)
  const asked = opened.session.send({ url, ...route.request })
  route.sent?.(url, opened.session)
  return { result: await asked, reused: opened.reused }
}

const unasked = (failure: string) => ({ result: { exchange: null, failure }, reused: false })

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

/** As crawlers are named (RFC 9110 section 10.1.5). `contact` is a URL that explains what asks and how to object. */
export function userAgent(version: string, contact: string | null): string {
  return `Mozilla/5.0 (compatible; assay/${version}${contact === null ? '' : `; +${contact}`})`
}
