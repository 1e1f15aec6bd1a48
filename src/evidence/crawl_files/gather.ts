// Gathers robots.txt (RFC 9309) and the sitemaps of the site.
import { createCollector } from '../../network/http.ts'
import type { Limits } from '../../network/limits.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { type AnsweredRequest, answeredRequests } from '../page/facts.ts'
import { fileStatus, type SiteSession, type SiteSetup, wholeFileStatus } from '../site_session/session.ts'
import type { CrawlFiles } from './facts.ts'
import { robotsText, sitemapsNamed } from './robots_text.ts'
import { contentOf, createSitemapReader } from './sitemap.ts'

/** Rejects when the page does, and when nothing answered. */
export default ({ sites }: SiteSetup): Gatherer<CrawlFiles, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => {
      const files = crawlFiles(context.network.limits)
      site.want(files.robots)
      site.want(files.sitemap)
      const origin = await site.origin()
      const requests: AnsweredRequest[] = []
      const fetch: FetchFile = async (file, url) => {
        const fetchResult = await site.fetch(file, url)
        const purpose = file.path === files.robots.path ? 'robots_txt' : 'sitemap'
        requests.push(...answeredRequests(fetchResult.navigation.exchanges, purpose))
        return fetchResult
      }
      const robots = await fetchRobots(fetch, files, origin)
      const sitemapUrls = sitemapsNamed(robots.text ?? '', origin)
      const urls = sitemapUrls.length > 0 ? sitemapUrls : [new URL(files.sitemap.path, origin)]
      const sitemaps = await Promise.all(urls.map(url => fetchSitemap(fetch, files, url)))
      return { robots, sitemaps, requests }
    })

const crawlFiles = ({ robots_bytes, robots_ms, sitemap_bytes, sitemap_ms }: Limits) => ({
  /** RFC 9309 section 2.3. */
  robots: {
    path: '/robots.txt',
    accept: 'text/plain, */*;q=0.1',
    max_bytes: robots_bytes,
    timeout_ms: robots_ms,
    createReader: createCollector,
  },
  /** The customary location of the sitemap, used if robots.txt names none. */
  sitemap: {
    path: '/sitemap.xml',
    accept: 'application/xml, text/xml, */*;q=0.1',
    max_bytes: sitemap_bytes,
    timeout_ms: sitemap_ms,
    deferrable: true,
    createReader: () => createSitemapReader(sitemap_bytes),
  },
})

type Files = ReturnType<typeof crawlFiles>
type FetchFile = SiteSession['fetch']

async function fetchRobots(fetch: FetchFile, { robots }: Files, origin: string): Promise<CrawlFiles['robots']> {
  const url = new URL(robots.path, origin)
  const { navigation, reader } = await fetch(robots, url)
  const file = { url: url.href, ...wholeFileStatus(navigation) }
  return { text: file.status === 'found' ? robotsText(reader.bytes()) : null, ...file }
}

async function fetchSitemap(fetch: FetchFile, { sitemap }: Files, url: URL): Promise<CrawlFiles['sitemaps'][number]> {
  const { navigation, reader } = await fetch(sitemap, url)
  const fileContent = await reader.end()
  // The root element is at the beginning, so an incomplete file is enough.
  const { status, reason } = fileContent.root === null ? wholeFileStatus(navigation) : fileStatus(navigation)
  const { root, gzip } = status === 'found' ? fileContent : { root: null, gzip: false }
  const content = status === 'found' ? contentOf(fileContent, navigation.exchanges.at(-1)) : null
  return { url: url.href.slice(0, 2_048), status, reason, root, gzip, content }
}
