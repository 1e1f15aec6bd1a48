// Asks for the crawl files right behind the page, on the same connection (RFC 9112 section 9.3.2): they cost no round
// trip of their own then. The sitemap is a guess, used where robots.txt names it or none.
import { type Collector, createCollector } from '../network/collector.ts'
import type { HttpResult, HttpSession, Receive } from '../network/http.ts'
import type { CheckNetwork } from '../network/network.ts'
import { type CrawlRequest, type CrawlRequests, robotsUrl, sitemapUrl } from './crawl_request.ts'
import { createSitemapReader, type SitemapReader } from './sitemap.ts'

/** A request that is out: its answer, which never rejects, and what reads it. */
export interface Ahead<Reader> {
  readonly result: Promise<HttpResult>
  readonly reader: Reader
}

export interface CrawlAhead {
  /** Says that the crawl files are wanted. */
  want(): void
  wanted(): boolean
  /** To be told of every request for the page. */
  follow(page: URL, session: HttpSession): void
  /** The requests that went out for these, if they did. */
  robots(url: URL): Ahead<Collector> | undefined
  sitemap(url: URL): Ahead<SitemapReader> | undefined
}

/** Origins asked ahead: a page is mostly where it was looked for, or one redirect away. Guesses are made at the first alone. */
const origins = 2

export function createCrawlAhead(network: CheckNetwork, requests: CrawlRequests, signal: AbortSignal): CrawlAhead {
  const asked = new Set<string>()
  const robots = new Map<string, Ahead<Collector>>()
  const sitemaps = new Map<string, Ahead<SitemapReader>>()
  let isWanted = false

  /** The page comes first: what its redirects may need is left. */
  const ask = <Reader extends { readonly receive: Receive }>(
    into: Map<string, Ahead<Reader>>,
    url: URL,
    burst: Burst,
    request: CrawlRequest,
    reader: Reader,
  ) => {
    if (!network.takeRequest(network.limits.redirects)) return
    const sent = burst.session.send({ url, signal, receive: reader.receive, ...request })
    burst.sent.push(sent)
    into.set(url.href, { result: believed(sent, burst), reader })
  }

  return {
    want: () => {
      isWanted = true
    },
    wanted: () => isWanted,
    follow({ origin }, session) {
      if (!isWanted || asked.has(origin) || asked.size >= origins) return
      asked.add(origin)
      const burst = { session, sent: [] }
      ask(robots, robotsUrl(origin), burst, requests.robots, createCollector())
      if (asked.size > 1) return
      ask(sitemaps, sitemapUrl(origin), burst, requests.sitemap, createSitemapReader(requests.sitemap.max_bytes))
    },
    robots: url => robots.get(url.href),
    sitemap: url => sitemaps.get(url.href),
  }
}

/** What was asked on one connection behind one request for a page. */
interface Burst {
  readonly session: HttpSession
  readonly sent: Promise<HttpResult>[]
}

/**
 * An answer counts when there are as many as requests. With fewer or more of them, one was not asked for (a second answer
 * to the page, say), and nothing tells which (RFC 9112 section 9.3.2 has only their order).
 */
async function believed(sent: Promise<HttpResult>, burst: Burst): Promise<HttpResult> {
  const result = await sent
  // It ended the connection, and so the others: asked for again, it would be cut again.
  if (result.exchange?.truncated) return result
  const results = await Promise.all(burst.sent)
  await arrivals()
  if (burst.session.sound() && results.every(({ failure }) => failure === null)) return result
  return { exchange: null, failure: 'protocol_error' }
}

/** Resolves when all that has arrived by now is read, which is only certain between two turns. */
const arrivals = (): Promise<void> => new Promise(resolve => void setImmediate(() => setImmediate(resolve)))
