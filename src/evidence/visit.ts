// One visit to the target's site for all who want something of it: one connection yields certificate facts and the page.
import { type ClientOptions, requestHeaders } from '../network/fetch.ts'
import type { HttpRequest } from '../network/http.ts'
import type { Limits } from '../network/limits.ts'
import { type Journey, navigate } from '../network/navigate.ts'
import { connectSecurely, type SecureResult } from '../network/secure.ts'
import { createSessions, type Sessions } from '../network/sessions.ts'
import { arrive } from './arrival.ts'
import { type CrawlAhead, createCrawlAhead } from './crawl_ahead.ts'
import { type CrawlRequests, crawlRequests } from './crawl_request.ts'
import type { Document } from './document.ts'
import type { GatherContext } from './gatherer.ts'
import { createPageReader } from './page_reader.ts'
import { dialableAddresses } from './unconnected.ts'

/** Everything is done when first asked for, and once; it rejects as gatherers do. */
export interface Visit {
  /** The attempt at port 443. */
  secure(): Promise<SecureResult>
  page(): Promise<SeenPage>
  /** The visit's connections, for what else is fetched from the same site. */
  sessions(): Promise<Sessions>
  readonly ahead: CrawlAhead
  /** How the crawl files are asked for. */
  readonly crawl: CrawlRequests
}

export interface SeenPage {
  readonly journey: Journey
  /** Null when nothing answered. */
  readonly document: Document | null
}

export type Visits = (context: GatherContext) => Visit

/** The visits of checks that present themselves alike: all gatherers of a check share its one. */
export function createVisits(client: ClientOptions = {}): Visits {
  const visits: Visits = context => {
    // Kept by the check: what a map that outlives it holds weakly, each minor collection moves to the old generation.
    const visit = (context.shared.get(visits) as Visit | undefined) ?? createVisit(context, client)
    context.shared.set(visits, visit)
    return visit
  }
  return visits
}

function createVisit(context: GatherContext, client: ClientOptions): Visit {
  const { network, signal, target } = context
  const { limits } = network
  const host = target.domain ?? (target.ip.includes(':') ? `[${target.ip}]` : target.ip)
  const reach = { signal, extra_roots: client.extra_roots }
  const addresses = once(() => dialableAddresses(context))
  const plain = once(async () => network.connect({ addresses: await addresses(), port: 80, signal }))
  const secure = once(async () => connectSecurely(network, { addresses: await addresses(), port: 443, host, ...reach }))
  const sessions = once(async () =>
    createSessions(network, { known: { host, addresses: await addresses() }, ...reach }),
  )
  const crawl = crawlRequests(limits, client)
  const ahead = createCrawlAhead(network, crawl, signal)
  const see = async (): Promise<SeenPage> => {
    const kept = await sessions()
    const arrival = await arrive({ host, secure, plain, sessions: kept, limits })
    if ('failure' in arrival) return { journey: { ...nowhere, failure: arrival.failure }, document: null }
    const reader = createPageReader()
    const until = context.deadline - SPARE_MS
    const request = { signal, until, receive: reader.receive, ...pageRequest(client, limits) }
    const route = { network, sessions: kept, redirects: limits.redirects, request, sent: ahead.follow }
    const journey = await navigate(arrival.url, route)
    if (!ahead.wanted()) kept.close()
    return { journey, document: reader.document(journey) }
  }
  const page = once(() => {
    const seen = see()
    network.yieldTo(seen)
    return seen
  })
  return { secure, page, sessions, ahead, crawl }
}

const nowhere = { exchanges: [], stopped: null, stopped_at: null }

/** Milliseconds before the check's end at which a page that still comes is taken as it is: after that, nobody would see it. */
const SPARE_MS = 200

const pageRequest = (client: ClientOptions, limits: Limits): Omit<HttpRequest, 'url' | 'signal'> => ({
  headers: requestHeaders('text/html, application/xhtml+xml;q=0.9, */*;q=0.1', client),
  max_bytes: limits.page_bytes,
  headers_ms: limits.headers_ms,
  body_ms: limits.body_ms,
})

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= start()
    return started
  }
}
