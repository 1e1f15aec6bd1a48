// From a URL to the response that stands for it: redirects followed, each vetted as if it were the first.
import type { Exchange } from './exchange.ts'
import { DENIED } from './guard.ts'
import type { HttpRequest, HttpResult, HttpSession } from './http.ts'
import type { CheckNetwork } from './network.ts'
import { redirectOf, refusal, shownUrl } from './redirect.ts'
import type { Sessions } from './sessions.ts'

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
