// From a URL to the response that stands for it: redirects followed, each vetted as if it were the first.
import type { Exchange } from './exchange.ts'
import type { HttpRequest, HttpResult, HttpSession } from './http.ts'
import type { CheckNetwork } from './network.ts'
import { redirectOf } from './redirect.ts'
import type { Sessions } from './sessions.ts'

export interface Route {
  readonly network: Pick<CheckNetwork, 'refuse' | 'takeRequest'>
  readonly sessions: Sessions
  /** Followed at most. */
  readonly redirects: number
  /** What each request is made of; `receive` is asked for each response, redirects too. */
  readonly request: Omit<HttpRequest, 'url'>
  /** Told when a request has gone out on a connection, so that others can follow it at once. */
  readonly sent?: (url: URL, session: HttpSession) => void
}

export interface Journey {
  readonly exchanges: readonly Exchange[]
  /** Why the last URL brought no response, or null. */
  readonly failure: string | null
  /** Why the last response's redirect was not followed (`redirect_loop`, ...), and where it points; null when it is none. */
  readonly stopped: string | null
  readonly stopped_at: string | null
}

/** Never rejects. */
export async function navigate(start: URL, route: Route): Promise<Journey> {
  const exchanges: Exchange[] = []
  const visited = new Set<string>()
  const end = (failure: string | null, stopped: string | null = null, at: string | null = null): Journey => ({
    exchanges,
    failure,
    stopped,
    stopped_at: at,
  })
  for (let url = start; ; ) {
    visited.add(url.href)
    const { exchange, failure } = await ask(url, route)
    if (failure === 'not_public' && exchanges.length > 0)
      return end(null, 'redirect_to_non_public', url.href.slice(0, 512))
    if (!exchange) return end(failure)
    exchanges.push(exchange)
    const redirect = redirectOf(url, exchange, route.network.refuse)
    if (!redirect) return end(null)
    if ('stopped' in redirect) return end(null, redirect.stopped, redirect.at)
    const at = redirect.to.href.slice(0, 512)
    if (visited.has(redirect.to.href)) return end(null, 'redirect_loop', at)
    if (visited.size > route.redirects) return end(null, 'too_many_redirects', at)
    url = redirect.to
  }
}

/** A kept connection may have been closed while the request was on its way: then once more (RFC 9112 section 9.3.1). */
async function ask(url: URL, route: Route): Promise<HttpResult> {
  const { result, reused } = await askOnce(url, route)
  const unanswered = result.failure === 'closed' || result.failure === 'reset'
  return reused && unanswered ? (await askOnce(url, route)).result : result
}

async function askOnce(url: URL, route: Route): Promise<{ result: HttpResult; reused: boolean }> {
  if (!route.network.takeRequest()) return failed('too_many_requests')
  const opened = await route.sessions.open(url)
  if (!opened.ok) return failed(opened.failure)
  const asked = opened.session.send({ ...route.request, url })
  route.sent?.(url, opened.session)
  return { result: await asked, reused: opened.reused }
}

const failed = (failure: string) => ({ result: { exchange: null, failure }, reused: false })
