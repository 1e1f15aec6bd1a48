// robots.txt (RFC 9309) and the sitemap of the site whose page was fetched.
import { createCollector } from '../network/collector.ts'
import type { HttpResult, Receive } from '../network/http.ts'
import { type Journey, navigate } from '../network/navigate.ts'
import { timeLimit } from '../network/time_limit.ts'
import { type CrawlRequest, robotsUrl, sitemapUrl } from './crawl_request.ts'
import { withoutResponse } from './decline.ts'
import type { GatherContext, Gatherer } from './gatherer.ts'
import { robotsText, sitemapsNamed } from './robots_text.ts'
import { createSitemapReader } from './sitemap.ts'
import type { Visit, Visits } from './visit.ts'

export interface CrawlFile {
  readonly url: string
  /** `found`, `missing` (404, 410), `denied` (401, 403), or `unknown` with the reason. */
  readonly status: 'found' | 'missing' | 'denied' | 'unknown'
  readonly reason: string | null
}

export interface CrawlFiles {
  /** `text` is at most 500 KiB of it, decoded; null unless found. */
  readonly robots: CrawlFile & { readonly text: string | null }
  readonly sitemaps: readonly (CrawlFile & {
    readonly root: 'urlset' | 'sitemapindex' | 'feed' | 'text' | null
    readonly gzip: boolean
  })[]
}

/** Rejects when the page does, and when nothing answered: there is no site then. */
export const createCrawlFilesGatherer =
  (visits: Visits): Gatherer<'crawl_files'> =>
  async context => {
    const visit = visits(context)
    visit.ahead.want()
    const { journey } = await visit.page()
    const last = journey.exchanges.at(-1)
    if (!last || journey.failure !== null) throw withoutResponse(journey.failure)
    const { origin } = new URL(last.url)
    const robots = await fetchRobots(context, visit, origin)
    const named = sitemapsNamed(robots.text ?? '', origin)
    const wanted = named.length > 0 ? named : [sitemapUrl(origin)]
    const sitemaps = await Promise.all(wanted.map(url => fetchSitemap(context, visit, url)))
    const sessions = await visit.sessions()
    sessions.close()
    return { robots, sitemaps }
  }

async function fetchRobots(context: GatherContext, visit: Visit, origin: string): Promise<CrawlFiles['robots']> {
  const url = robotsUrl(origin)
  const ahead = visit.ahead.robots(url)
  const body = ahead?.reader ?? createCollector()
  const journey = await fetchFile(context, visit, {
    url,
    request: visit.crawl.robots,
    receive: body.receive,
    early: ahead?.result,
  })
  const file = { url: url.href, ...wholeOf(journey) }
  return { text: file.status === 'found' ? robotsText(body.bytes()) : null, ...file }
}

async function fetchSitemap(context: GatherContext, visit: Visit, url: URL): Promise<CrawlFiles['sitemaps'][number]> {
  const request = visit.crawl.sitemap
  const ahead = visit.ahead.sitemap(url)
  const reader = ahead?.reader ?? createSitemapReader(request.max_bytes)
  const wanted = { url, request, receive: reader.receive, early: ahead?.result }
  const journey = await fetchFile(context, visit, wanted)
  const seen = await reader.end()
  // Its root stands at its beginning, and tells enough
  const { status, reason } = seen.root === null ? wholeOf(journey) : statusOf(journey)
  const { root, gzip } = status === 'found' ? seen : { root: null, gzip: false }
  return { url: url.href.slice(0, 2_048), status, reason, root, gzip }
}

interface Wanted {
  readonly url: URL
  readonly request: CrawlRequest
  readonly receive: Receive
  /** What comes of a request that is out already. */
  readonly early: Promise<HttpResult> | undefined
}

/**
 * On the visit's own connections; redirects are followed as for the page (RFC 9309 section 2.3.1.2). Not every server
 * answers what was sent behind another request: such a one is asked again, with time of its own.
 */
async function fetchFile({ network, signal }: GatherContext, visit: Visit, wanted: Wanted): Promise<Journey> {
  const { url, request, receive, early } = wanted
  const first = (await early)?.exchange ?? undefined
  const limit = timeLimit(request.headers_ms, signal)
  const journey = await navigate(url, {
    network,
    sessions: await visit.sessions(),
    redirects: network.limits.redirects,
    request: { signal: limit.signal, receive, ...request },
    first,
  })
  limit.end()
  return journey
}

/** As `statusOf`; unknown when the body broke off before its end. One that is too large is long enough. */
function wholeOf(journey: Journey): Pick<CrawlFile, 'status' | 'reason'> {
  const told = statusOf(journey)
  const truncated = journey.exchanges.at(-1)?.truncated ?? null
  const whole = told.status !== 'found' || truncated === null || truncated === 'too_large'
  return whole ? told : { status: 'unknown', reason: truncated }
}

/** RFC 9309 section 2.3.1: only some statuses tell that there is none; others leave it unknown. */
function statusOf({ exchanges, failure, stopped }: Journey): Pick<CrawlFile, 'status' | 'reason'> {
  const status = exchanges.at(-1)?.status ?? 0
  if (failure !== null) return { status: 'unknown', reason: failure === 'cancelled' ? 'timeout' : failure }
  if (stopped !== null) return { status: 'unknown', reason: stopped }
  if (status === 404 || status === 410) return { status: 'missing', reason: null }
  if (status === 401 || status === 403) return { status: 'denied', reason: null }
  return status >= 200 && status < 300
    ? { status: 'found', reason: null }
    : { status: 'unknown', reason: `status_${status}` }
}
