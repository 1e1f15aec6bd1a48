// The session with the target's site, shared by all gatherers of a check. Only it opens and closes connections for requests
// to the site: one connection yields the certificate facts, the page and small files such as robots.txt. The handshakes of
// `tls_offer`, which offer what this client does not, are the only other connections to the site.

import { timeLimit } from '../../base/abort.ts'
import { timeoutIfCancelled } from '../../network/connection.ts'
import { type ClientOptions, type Navigation, navigate, requestHeaders } from '../../network/fetch.ts'
import type { HttpRequest, HttpResult, HttpSession, Receive } from '../../network/http.ts'
import type { CheckNetwork, ConnectResult, FetchRequest, FetchResult } from '../../network/network.ts'
import { createSessions, type Sessions } from '../../network/sessions.ts'
import { connectSecurely, type SecureResult } from '../../network/tls.ts'
import type { Target } from '../../targets/target.ts'
import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import { createPageReader, type SeenPage } from '../document/page_reader.ts'
import { type FileStatus, NOT_VISITED, NotApplicable, withoutResponse } from '../facts.ts'
import { followHandover } from './next_document.ts'
import { reachSite, reachUrl } from './scheme_fallback.ts'
import { type BodyReader, createPatience, createSiteFiles, type SiteFile, type SiteFiles } from './site_files.ts'

export type { SiteFile } from './site_files.ts'

/** Each method does its work once, on its first call, and rejects with the errors of gatherers. */
export interface SiteSession {
  /** The TLS handshake on port 443, or on that of an https URL to check. */
  secure(): Promise<SecureResult>
  page(): Promise<SeenPage>
  /** Announces a file that will be fetched: it is requested while the page arrives. */
  want<Reader extends BodyReader>(file: SiteFile<Reader>): void
  /** The page's origin, after redirects. Rejects when nothing answered. */
  origin(): Promise<string>
  /**
   * Fetches a file from its path on an origin, or from another URL. Follows redirects as for the page. Never rejects.
   * Once `dispensable` resolves, a request that could not be sent beside the page is given up: it costs a round trip. Where
   * requests are answered one by one, each file costs one anyway.
   */
  fetch<Reader extends BodyReader>(
    file: SiteFile<Reader>,
    url: URL,
    dispensable?: Promise<void>,
  ): Promise<FetchedFile<Reader>>
}

export interface FetchedFile<Reader> {
  readonly navigation: Navigation
  /** The reader that received the last response's body. */
  readonly reader: Reader
}

export interface SiteSessions {
  /** Calls `use` with the check's session. Connections close when the last concurrent user finishes; a later user opens new ones. */
  use<Result>(context: WithAddresses, use: (site: SiteSession) => Promise<Result>): Promise<Result>
  /** Sends one request on a separate connection; follows no redirects. Rejects when the target has no usable address. */
  fetchApart(context: WithAddresses, url: string, bounds: FetchBounds): Promise<FetchResult>
}

type FetchBounds = Pick<FetchRequest, 'max_bytes' | 'timeout_ms'>

/** The setup of gatherers that fetch from the target's site. */
export interface SiteSetup {
  readonly sites: SiteSessions
}

/** All checks of an installation use the same client options. */
export function createSiteSessions(client: ClientOptions = {}): SiteSessions {
  // The check holds its session. Entries of a longer-lived WeakMap would be promoted to the old generation.
  const key = {}
  return {
    async use(context, use) {
      requireVisit(context)
      const session = (context.shared.get(key) as SharedSession | undefined) ?? openSession(context, client)
      context.shared.set(key, session)
      session.users += 1
      try {
        return await use(session.session)
      } finally {
        session.users -= 1
        if (session.users === 0) await session.close()
      }
    },
    async fetchApart(context, url, bounds) {
      requireVisit(context)
      const { network, signal, target } = context
      const addresses = await dialableAddresses(context)
      const knownAddresses = new URL(url).hostname === new URL(`http://${hostOf(target)}/`).hostname && { addresses }
      return network.fetch({
        url,
        signal,
        purpose: 'entrances',
        redirects: 0,
        timed: true,
        ...bounds,
        ...knownAddresses,
      })
    },
  }
}

function requireVisit({ target }: WithAddresses): void {
  if (!target.visit) throw new NotApplicable(NOT_VISITED)
}

const USUAL_PORTS = { http: 80, https: 443 }

/** The port of the target's site for a scheme: that of its URL, if the URL has this scheme. */
export const portOf = ({ url }: Pick<Target, 'url'>, scheme: 'http' | 'https'): number =>
  url?.scheme === scheme ? url.port : USUAL_PORTS[scheme]

/** The host as written in a URL. */
export const hostOf = ({ domain, ip }: Target): string => domain ?? (ip.includes(':') ? `[${ip}]` : ip)

interface SharedSession {
  readonly session: SiteSession
  users: number
  close(): Promise<void>
}

function openSession(context: WithAddresses, client: ClientOptions): SharedSession {
  const { network, signal, target } = context
  const { limits } = network
  const host = hostOf(target)
  const common = { signal, extra_roots: client.extra_roots }
  const addresses = once(() => dialableAddresses(context))
  const plain = once(async () =>
    network.connect({ addresses: await addresses(), port: portOf(target, 'http'), signal }),
  )
  const secure = once(async () =>
    connectSecurely(network, {
      addresses: await addresses(),
      port: portOf(target, 'https'),
      host,
      request_staple: true,
      see_certificates: true,
      ...common,
    }),
  )
  const connections = once(async () =>
    createSessions(network, { knownHost: { host, addresses: await addresses() }, ...common }),
  )
  const patience = createPatience(signal, limits.robots_ms)
  const files = createSiteFiles(network, patience.signal, file => fileRequest(file, client, network))
  const page = once(async () => {
    const timing = createPageTiming()
    try {
      return await seePage(context, client, { host, secure, plain, kept: await connections(), files, timing })
    } finally {
      patience.pageCame(timing.ms())
    }
  })

  async function fetch<Reader extends BodyReader>(
    file: SiteFile<Reader>,
    url: URL,
    { sessions, dispensable }: { readonly sessions: Sessions; readonly dispensable: Promise<void> | undefined },
  ): Promise<FetchedFile<Reader>> {
    const sentFile = files.sent(file, url)
    const reader = sentFile?.reader ?? file.createReader()
    const early = await sentFile?.result
    // A request that timed out is not repeated; one that broke off is, on a new connection.
    if (early && isLate(early)) return { navigation: { ...nowhere, failure: 'timeout' }, reader }
    const first = early?.exchange ?? undefined
    const limit = timeLimit(file.timeout_ms, patience.signal)
    if (!sentFile && files.isParallel()) void dispensable?.then(limit.stop)
    const request = { signal: limit.signal, receive: reader.receive, ...fileRequest(file, client, network) }
    const { purpose = 'files', redirects = limits.redirects, https_only } = file
    const route = { network, sessions, purpose, redirects, https_only, port: target.url?.port, request, first }
    const navigation = await navigate(url, route)
    limit.end()
    return { navigation, reader }
  }

  return {
    users: 0,
    session: {
      secure,
      page,
      want: files.want,
      async origin() {
        const { navigation } = await page()
        // The files of the site are those where the page is that leads on.
        const last = navigation.exchanges.at(navigation.handover?.at ?? -1)
        if (!last || navigation.failure !== null) throw withoutResponse(navigation.failure)
        return new URL(last.url).origin
      },
      fetch: async (file, url, dispensable) => fetch(file, url, { sessions: await connections(), dispensable }),
    },
    async close() {
      patience.end()
      const toNull = () => null
      const sessions = await connections.started()?.catch(toNull)
      sessions?.close()
      const handshake = await secure.started()?.catch(toNull)
      if (handshake?.status === 'secure') handshake.socket.destroy()
    },
  }
}

interface SiteRoute {
  readonly host: string
  readonly secure: () => Promise<SecureResult>
  readonly plain: () => Promise<ConnectResult>
  readonly kept: Sessions
  readonly files: SiteFiles
  readonly timing: PageTiming
}

/** Milliseconds from the last request for the page to the beginning of the response. */
type PageTiming = ReturnType<typeof createPageTiming>

function createPageTiming() {
  let sentAt = 0
  let takenMs = 0
  return {
    requested() {
      sentAt = performance.now()
    },
    answered() {
      takenMs = performance.now() - sentAt
    },
    ms: () => takenMs,
  }
}

async function seePage(
  context: WithAddresses,
  client: ClientOptions,
  { host, secure, plain, kept, files, timing }: SiteRoute,
): Promise<SeenPage> {
  const { network, signal, deadline, target, cpu } = context
  const { limits } = network
  const access = { host, secure, plain, sessions: kept, limits }
  const reachResult = await (target.url === null ? reachSite(access) : reachUrl(access, new URL(target.url.href)))
  if ('failure' in reachResult) return { navigation: { ...nowhere, failure: reachResult.failure }, document: null }
  const until = deadline - SPARE_MS
  const route = { network, sessions: kept, purpose: 'page', port: target.url?.port } as const
  const first = createPageReader(cpu, deadline - PARSED_MS)
  let session: HttpSession | null = null
  const receive: Receive = (head, flow) => {
    timing.answered()
    if (session) files.answered(head, session)
    return first.receive(head, flow)
  }
  const navigation = await navigate(reachResult.url, {
    ...route,
    redirects: limits.redirects,
    request: { signal, until, receive, ...pageRequest(client, network) },
    sent(url, on) {
      timing.requested()
      files.requested(url, on, session === null)
      session = on
    },
  })
  return followHandover(await first.read(navigation), {
    redirects: limits.redirects,
    left_ms: until - performance.now(),
    async visit(url, redirects, limitMs) {
      const next = createPageReader(cpu, deadline - PARSED_MS)
      const limit = timeLimit(limitMs, signal)
      const cut = performance.now() + limitMs - SPARE_MS
      const request = { signal: limit.signal, until: cut, receive: next.receive, ...pageRequest(client, network) }
      const following = navigate(url, { ...route, redirects, request }).finally(limit.end)
      return next.read(await following)
    },
  })
}

const isLate = ({ failure }: HttpResult): boolean => failure === 'timeout' || failure === 'cancelled'

const nowhere = { exchanges: [], stopped: null, stopped_at: null }

/** Milliseconds before the end of the check at which an unfinished page is cut off, so that it is still analyzed. */
const SPARE_MS = 200
/** The same for parsing, if this service is too busy for it. */
const PARSED_MS = 150

const pageRequest = (
  client: ClientOptions,
  { limits, began }: Pick<CheckNetwork, 'limits' | 'began'>,
): Omit<HttpRequest, 'url' | 'signal'> => ({
  headers: requestHeaders('text/html, application/xhtml+xml;q=0.9, */*;q=0.1', client),
  max_bytes: limits.page_bytes,
  headers_ms: limits.headers_ms,
  body_ms: limits.body_ms,
  since: began,
})

const fileRequest = (
  { accept, headers, max_bytes, head_only, timeout_ms }: SiteFile,
  client: ClientOptions,
  { began }: Pick<CheckNetwork, 'began'>,
): Omit<HttpRequest, 'url' | 'signal'> => ({
  headers: { ...requestHeaders(accept, client), ...headers },
  max_bytes,
  head_only,
  headers_ms: timeout_ms,
  body_ms: timeout_ms,
  since: began,
})

/** Runs `start` on the first call. `started` returns that call's promise, if any. */
function once<T>(start: () => Promise<T>): (() => Promise<T>) & { readonly started: () => Promise<T> | undefined } {
  let promise: Promise<T> | undefined
  const run = () => {
    promise ??= start()
    return promise
  }
  return Object.assign(run, { started: () => promise })
}

/** Like `fileStatus`, but unknown for an incomplete body. A body cut at its size limit is complete enough. */
export function wholeFileStatus(navigation: Navigation): FileStatus {
  const outcome = fileStatus(navigation)
  const truncated = navigation.exchanges.at(-1)?.truncated ?? null
  const whole = outcome.status !== 'found' || truncated === null || truncated === 'too_large'
  return whole ? outcome : { status: 'unknown', reason: truncated }
}

/** Only some statuses mean that there is no file (RFC 9309 section 2.3.1). */
export function fileStatus({ exchanges, failure, stopped }: Navigation): FileStatus {
  const status = exchanges.at(-1)?.status ?? 0
  if (failure !== null) return { status: 'unknown', reason: timeoutIfCancelled(failure) }
  if (stopped !== null) return { status: 'unknown', reason: stopped }
  if (status === 404 || status === 410) return { status: 'missing', reason: null }
  if (status === 401 || status === 403) return { status: 'denied', reason: null }
  return status >= 200 && status < 300
    ? { status: 'found', reason: null }
    : { status: 'unknown', reason: `status_${status}` }
}
