// The safe HTTP client: from a URL to its final response. Every redirect is vetted like the first URL, and every
// request counts against the budget of its purpose. undici's own `fetch` and redirect handler would resolve and dial by
// themselves.
import { isIP } from 'node:net'
import { timeLimit } from '../base/abort.ts'
import { version } from '../base/package_root.ts'
import { isInternal } from '../targets/domain.ts'
import { bareHost } from '../targets/url.ts'
import { isAskable } from './dns_records.ts'
import { DENIED, type Guard } from './guard.ts'
import {
  createCollector,
  type Exchange,
  fieldValues,
  type HttpRequest,
  type HttpResult,
  type HttpSession,
  type ResponseHead,
} from './http.ts'
import type { KeptSessions } from './kept_sessions.ts'
import type { CheckNetwork, FetchRequest, FetchResult, RequestPurpose } from './network.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { HTTP1 } from './tls.ts'

/** The user agent and trust anchors of this installation. */
export interface ClientOptions {
  readonly user_agent?: string | undefined
  /** Extra trust anchors, PEM. */
  readonly extra_roots?: string | undefined
}

const defaultUserAgent = userAgent(version, null)

/** The header fields of every request. Cookies and credentials are never sent. */
export function requestHeaders(
  accept: string,
  { user_agent = defaultUserAgent }: ClientOptions,
): HttpRequest['headers'] {
  return { 'user-agent': user_agent, accept, 'accept-encoding': 'gzip, deflate, br' }
}

/** Names are case-insensitive (RFC 9110 section 5.1): a field must replace ours and not come second. */
const inLowerCase = (headers: HttpRequest['headers'] = {}): HttpRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** `keptSessions` has the connections to services; without it, none is kept. */
export type Fetch = (network: CheckNetwork, request: FetchRequest, keptSessions?: KeptSessions) => Promise<FetchResult>

export const createFetch =
  (options: ClientOptions = {}): Fetch =>
  async (network, request, keptSessions) => {
    if (!URL.canParse(request.url)) return { ok: false, exchanges: [], failure: 'malformed_url' }
    const start = new URL(request.url)
    start.hash = ''
    const limit = timeLimit(request.timeout_ms, request.signal)
    const { signal } = limit
    const { addresses, verify_certificate } = request
    const knownHost = addresses && { host: start.hostname, addresses }
    const protocols = request.body === undefined ? undefined : [HTTP1]
    const secureOptions = { signal, verify_certificate, extra_roots: options.extra_roots, protocols }
    const sessions =
      request.service && keptSessions
        ? keptSessions.borrow(secureOptions)
        : createSessions(network, { ...secureOptions, ...(knownHost ? { knownHost } : {}) })
    const body = createCollector()
    const navigation = await navigate(start, {
      network,
      sessions,
      purpose: request.purpose ?? 'services',
      redirects: request.redirects,
      https_only: request.https_only,
      port: request.port,
      reaches: request.reaches,
      request: {
        headers: { ...requestHeaders(request.accept ?? '*/*', options), ...inLowerCase(request.headers) },
        max_bytes: request.max_bytes,
        content: request.body,
        headers_ms: request.headers_ms ?? network.limits.headers_ms,
        body_ms: request.body_ms ?? network.limits.body_ms,
        since: request.timed ? network.began : undefined,
        signal,
        receive: request.receive ?? body.receive,
      },
    })
    limit.end()
    sessions.close()
    return fetchResultOf(navigation, body.bytes(), limit.late())
  }

/** Never rejects. */
export const fetchResource: Fetch = createFetch()

function fetchResultOf({ exchanges, failure, stopped }: Navigation, body: Buffer, late: boolean): FetchResult {
  const why = failure ?? stopped
  if (why === null) return { ok: true, exchanges, body }
  return { ok: false, exchanges, failure: late && why === 'cancelled' ? 'timeout' : why }
}

export interface Route {
  readonly network: Pick<CheckNetwork, 'refuse' | 'refuseName' | 'takeRequest'>
  readonly sessions: Sessions
  readonly purpose: RequestPurpose
  /** At most this many are followed. */
  readonly redirects: number
  /** Follows no redirect to http. */
  readonly https_only?: boolean | undefined
  /** A port that URLs may have besides 80 and 443. */
  readonly port?: number | undefined
  /** Whether a redirect may lead to the host. */
  readonly reaches?: ((host: string) => boolean) | undefined
  /** The parts of each request. `receive` is called for every response, redirects included. */
  readonly request: Omit<HttpRequest, 'url'>
  /** Called when a request has been sent, so that others can follow on its connection. */
  readonly sent?: (url: URL, session: HttpSession) => void
  /** The response to the first URL, if it was requested earlier. */
  readonly first?: Exchange | undefined
}

export interface Navigation {
  readonly exchanges: readonly Exchange[]
  /** Why the last URL has no response, or null. `denied`: the operator forbids its host, and no request was sent. */
  readonly failure: string | null
  /**
   * Why the redirect in the last response was not followed (`redirect_loop`, ...), and its target; null without such a
   * redirect.
   */
  readonly stopped: string | null
  readonly stopped_at: string | null
}

/** Follows redirects. The first URL is vetted like a redirect, wherever it comes from. Never rejects. */
export async function navigate(start: URL, route: Route): Promise<Navigation> {
  const exchanges: Exchange[] = []
  const visitedUrls = new Set<string>()
  const failureOf = (failure: string): Navigation => ({ exchanges, failure, stopped: null, stopped_at: null })
  const endOf = (stopped: string | null, at: string | null): Navigation => {
    return { exchanges, failure: null, stopped, stopped_at: at }
  }
  const why = refusal(start, route.network, route.port)
  if (why !== null) return failureOf(refusedFailures[why] ?? 'malformed_url')
  for (let url = start; ; ) {
    visitedUrls.add(url.href)
    const { exchange, failure } = route.first && url === start ? resultOf(route.first) : await request(url, route)
    if (failure === 'not_public' && exchanges.length > 0)
      return endOf('redirect_to_non_public', withoutCredentials(url))
    if (!exchange) return failureOf(failure)
    exchanges.push(exchange)
    const redirect = redirectOf(url, exchange, route.network, route)
    if (!redirect) return endOf(null, null)
    // The operator's configuration, not the site, prevents the response.
    if ('stopped' in redirect && redirect.stopped === 'redirect_to_denied') return failureOf(DENIED)
    if ('stopped' in redirect) return endOf(redirect.stopped, redirect.at)
    if (visitedUrls.has(redirect.to.href)) return endOf('redirect_loop', withoutCredentials(redirect.to))
    if (visitedUrls.size > route.redirects) return endOf('too_many_redirects', withoutCredentials(redirect.to))
    url = redirect.to
  }
}

const refusedFailures: Readonly<Record<string, string>> = { to_non_public: 'not_public', to_denied: DENIED }

const resultOf = (exchange: Exchange): HttpResult => ({ exchange, failure: null })

const isUnanswered = ({ failure }: HttpResult): boolean =>
  failure === 'closed' || failure === 'reset' || failure === 'protocol_error' || failure === 'http_1_1_required'

/**
 * Sends one request. A reused connection may have been closed while the request was on its way; the request is then
 * sent once more (RFC 9112 section 9.3.1). The same holds when octets before the response, such as a 100, broke a
 * reused connection: on a new one they are no fault. A server that broke HTTP/2 or refused it is asked once more by
 * HTTP/1.1.
 */
async function request(url: URL, route: Route): Promise<HttpResult> {
  const { result, session, reused } = await requestOnce(url, route)
  if (route.request.content !== undefined) return result
  if (!isUnanswered(result) || !(reused || session?.prefersHttp1())) return result
  const again = await requestOnce(url, route)
  // If the server speaks only broken HTTP/2, the first failure describes it.
  return again.result.failure === 'tls' ? result : again.result
}

interface SessionResult {
  readonly result: HttpResult
  /** Null when the request was not sent. */
  readonly session: HttpSession | null
  readonly reused: boolean
}

async function requestOnce(url: URL, route: Route): Promise<SessionResult> {
  if (!route.network.takeRequest(route.purpose)) return notSent('too_many_requests')
  const outcome = await route.sessions.open(url)
  if (!outcome.ok) return notSent(outcome.failure)
  const { session, reused } = outcome
  const response = session.send({ url, ...route.request })
  route.sent?.(url, session)
  return { result: await response, session, reused }
}

const notSent = (failure: string): SessionResult => ({
  result: { exchange: null, failure },
  session: null,
  reused: false,
})

/**
 * A redirect (RFC 9110 section 15.4). `stopped`: why it is not followed (`redirect_to_port`, ...); `at`: its target,
 * normalised and without credentials, or the first 512 characters as written if it is malformed.
 */
export type Redirect = { readonly to: URL } | { readonly stopped: string; readonly at: string }

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ALLOWED_PORTS: ReadonlySet<string> = new Set(['', '80', '443'])
const MAX_URL_LENGTH = 512

/** The whole URL, because feeds may list it, but without credentials. */
function withoutCredentials(url: URL): string {
  const bare = new URL(url.href)
  bare.username = ''
  bare.password = ''
  return bare.href
}

/** The URL for display: without credentials, cut to 512 characters. */
export const printableUrl = (url: URL): string => withoutCredentials(url).slice(0, MAX_URL_LENGTH)

/**
 * The target of a redirect that browsers would follow. A redirect without a Location, or with an empty one, is an
 * ordinary page.
 */
export function locationOf({ status, headers }: Pick<ResponseHead, 'status' | 'headers'>): string | null {
  const [location] = fieldValues(headers, 'location').filter(value => value !== '')
  return REDIRECT_STATUSES.has(status) ? (location ?? null) : null
}

/** Null when the response is not a redirect. */
export function redirectOf(
  from: URL,
  response: Pick<ResponseHead, 'status' | 'headers'>,
  guard: Pick<Guard, 'refuse' | 'refuseName'>,
  { https_only = false, port, reaches = () => true }: Pick<Route, 'https_only' | 'port' | 'reaches'> = {},
): Redirect | null {
  const location = locationOf(response)
  if (location === null) return null
  if (!URL.canParse(location, from.href))
    return { stopped: 'redirect_malformed', at: location.slice(0, MAX_URL_LENGTH) }
  const to = new URL(location, from.href)
  to.hash = ''
  const why = refusal(to, guard, port) ?? (leadsToInternal(from, to) ? 'to_non_public' : null)
  if (why === null && https_only && to.protocol !== 'https:')
    return { stopped: 'redirect_insecure', at: withoutCredentials(to) }
  if (why === null && !reaches(to.hostname)) return { stopped: 'redirect_to_undeclared', at: withoutCredentials(to) }
  if (why === null) return { to }
  return { stopped: `redirect_${why}`, at: withoutCredentials(to) }
}

/** Why the URL may not be requested, as far as is known before its name is resolved; null when it may. */
export function refusal(
  { protocol, username, password, port, hostname }: URL,
  { refuse, refuseName }: Pick<Guard, 'refuse' | 'refuseName'>,
  allowedPort?: number,
): 'to_scheme' | 'with_credentials' | 'to_port' | 'malformed' | 'to_non_public' | 'to_denied' | null {
  if (protocol !== 'http:' && protocol !== 'https:') return 'to_scheme'
  if (username !== '' || password !== '') return 'with_credentials'
  if (!ALLOWED_PORTS.has(port) && port !== `${allowedPort}`) return 'to_port'
  const host = bareHost(hostname)
  // A URL may have a host that is no DNS name: `a..b`, labels of 64 octets (URL section 3.3, VerifyDnsLength).
  if (isIP(host) === 0) return !isAskable(host) ? 'malformed' : refuseName(host) !== null ? 'to_denied' : null
  const reason = refuse(host)
  return reason === DENIED ? 'to_denied' : reason !== null ? 'to_non_public' : null
}

/**
 * Whether the redirect leads to an internal name. A configured URL with such a name, such as a private mirror, may
 * redirect within it.
 */
function leadsToInternal(from: URL, to: URL): boolean {
  const host = bareHost(to.hostname)
  return to.hostname !== from.hostname && isIP(host) === 0 && isInternal(host)
}

/**
 * A user agent in the form of crawlers (RFC 9110 section 10.1.5). `contact` is a URL that explains the requests and how
 * to object.
 */
export function userAgent(version: string, contact: string | null): string {
  return `Mozilla/5.0 (compatible; assay/${version}${contact === null ? '' : `; +${contact}`})`
}
