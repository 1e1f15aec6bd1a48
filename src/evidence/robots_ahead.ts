// Asks for robots.txt right behind the page, on the same connection (RFC 9112 section 9.3.2): that saves a round trip.

import { type Collector, createCollector } from '../network/collector.ts'
import type { HttpRequest, HttpResult, HttpSession } from '../network/http.ts'
import type { CheckNetwork } from '../network/network.ts'

/** A request that is out: its answer, which never rejects, and the body it fills. */
export interface Ahead {
  readonly result: Promise<HttpResult>
  readonly body: Collector
}

export interface RobotsAhead {
  /** Says that robots.txt is wanted. */
  want(): void
  wanted(): boolean
  /** To be told of every request for the page. */
  follow(page: URL, session: HttpSession): void
  /** The request that went out to this origin, if one did. */
  to(origin: string): Ahead | undefined
}

/** Origins asked ahead: a page is mostly where it was looked for, or one redirect away. */
const origins = 2

export const robotsUrl = (origin: string): URL => new URL('/robots.txt', origin)

export function createRobotsAhead(
  network: CheckNetwork,
  headers: HttpRequest['headers'],
  signal: AbortSignal,
): RobotsAhead {
  const { limits } = network
  const asked = new Map<string, Ahead>()
  let isWanted = false
  return {
    want: () => {
      isWanted = true
    },
    wanted: () => isWanted,
    follow({ origin }, session) {
      if (!isWanted || asked.has(origin) || asked.size >= origins || !network.takeRequest()) return
      const body = createCollector()
      const result = session.send({
        url: robotsUrl(origin),
        headers,
        max_bytes: limits.robots_bytes,
        headers_ms: limits.robots_ms,
        body_ms: limits.robots_ms,
        signal,
        receive: body.receive,
      })
      asked.set(origin, { result, body })
    },
    to: origin => asked.get(origin),
  }
}
