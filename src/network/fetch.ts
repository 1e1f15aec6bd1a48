// The safe HTTP client for small resources: resolved, vetted, bounded and counted against the check's budget.
import { version } from '../package_root.ts'
import { createCollector } from './collector.ts'
import type { HttpRequest } from './http.ts'
import { type Journey, navigate } from './navigate.ts'
import type { CheckNetwork, Fetched, FetchRequest } from './network.ts'
import { createSessions } from './sessions.ts'
import { timeLimit } from './time_limit.ts'
import { userAgent } from './user_agent.ts'

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
