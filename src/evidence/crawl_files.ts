// robots.txt (RFC 9309) and the sitemap of the site whose page was fetched.
import type { GatherContext, Gatherer } from '../engine/gather.ts'
import { NotApplicable } from '../engine/outcome.ts'
import { createCollector } from '../network/collector.ts'
import { requestHeaders } from '../network/fetch.ts'
import type { Receive } from '../network/http.ts'
import { type Journey, navigate } from '../network/navigate.ts'
import { robotsUrl } from './robots_ahead.ts'
import { robotsText, sitemapsNamed } from './robots_text.ts'
import { createSitemapReader } from './sitemap.ts'
import { standardVisits, type Visit, type Visits } from './visit.ts'

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
    readonly root: 'urlset' | 'sitemapindex' | 'text' | null
    readonly gzip: boolean
  })[]
}

/** Rejects when the page does, and when nothing answered: there is no site then. */
export const createCrawlFilesGatherer =
  (visits: Visits): Gatherer<'crawl_files'> =>
  async context => {
    const visit = visits(context)
    visit.robots.want()
    const { journey } = await visit.page()
    const last = journey.exchanges.at(-1)
    if (!last || journey.failure !== null) throw new NotApplicable('no_response')
    const { origin } = new URL(last.url)
    const robots = await fetchRobots(context, visit, origin)
    const named = sitemapsNamed(robots.text ?? '', origin)
    const wanted = named.length > 0 ? named : [new URL('/sitemap.xml', origin)]
    const sitemaps = await Promise.all(wanted.map(url => fetchSitemap(context, visit, url)))
    const sessions = await visit.sessions()
    sessions.close()
    return { robots, sitemaps }
  }

export const gatherCrawlFiles: Gatherer<'crawl_files'> = createCrawlFilesGatherer(standardVisits)

async function fetchRobots(context: GatherContext, visit: Visit, origin: string): Promise<CrawlFiles['robots']> {
  const { limits } = context.network
  const url = robotsUrl(origin)
  const ahead = visit.robots.to(origin)
  const body = ahead?.body ?? createCollector()
  const journey = await fetchFile(context, visit, url, {
    accept: 'text/plain, */*;q=0.1',
    max_bytes: limits.robots_bytes,
    timeout_ms: limits.robots_ms,
    receive: body.receive,
    early: asked => (asked.href === url.href ? ahead?.result : undefined),
  })
  const file = { url: url.href, ...statusOf(journey) }
  return { ...file, text: file.status === 'found' ? robotsText(body.bytes()) : null }
}

async function fetchSitemap(context: GatherContext, visit: Visit, url: URL): Promise<CrawlFiles['sitemaps'][number]> {
  const { limits } = context.network
  const reader = createSitemapReader(limits.sitemap_bytes)
  const journey = await fetchFile(context, visit, url, {
    accept: 'application/xml, text/xml, */*;q=0.1',
    max_bytes: limits.sitemap_bytes,
    timeout_ms: limits.sitemap_ms,
    receive: reader.receive,
  })
  const file = { url: url.href.slice(0, 2_048), ...statusOf(journey) }
  const seen = await reader.end()
  return file.status === 'found' ? { ...file, ...seen } : { ...file, root: null, gzip: false }
}

interface FileRequest {
  readonly accept: string
  readonly max_bytes: number
  readonly timeout_ms: number
  readonly receive: Receive
  readonly early?: Parameters<typeof navigate>[1]['early'] & {}
}

/** On the visit's own connections; redirects are followed as for the page (RFC 9309 section 2.3.1.2). */
async function fetchFile(
  { network, signal }: GatherContext,
  visit: Visit,
  url: URL,
  request: FileRequest,
): Promise<Journey> {
  const { accept, max_bytes, timeout_ms, receive, early } = request
  return navigate(url, {
    network,
    sessions: await visit.sessions(),
    redirects: network.limits.redirects,
    request: {
      headers: requestHeaders(accept, visit.client),
      max_bytes,
      headers_ms: timeout_ms,
      body_ms: timeout_ms,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
      receive,
    },
    ...(early ? { early } : {}),
  })
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
