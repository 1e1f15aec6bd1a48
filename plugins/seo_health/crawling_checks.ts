// Checks of crawling: whether search engines can fetch the page, may index it, and find the other pages.
import type { CrawlFiles } from '../../src/engine/plugin.ts'
import type { SeoCheck } from './check.ts'
import { resolve, type SeoFacts } from './facts.ts'

const has = ({ directives }: SeoFacts, directive: string): boolean => directives.includes(directive)
const sitemapsOf = ({ crawl }: SeoFacts) => crawl?.sitemaps ?? []
/** robots.txt lists no sitemap, so only the usual location was requested. */
const isGuess = ({ robots }: SeoFacts): boolean => (robots.file?.sitemaps ?? []).length === 0
const isPage = ({ status, root }: CrawlFiles['sitemaps'][number]): boolean => status === 'found' && root === 'html'
const isNone = ({ status, root }: CrawlFiles['sitemaps'][number]): boolean =>
  status === 'found' && (root === null || root === 'html')

/** True if all sitemaps are known: robots.txt was read, and every sitemap that it lists was requested. */
function lacksSitemap(facts: SeoFacts): boolean {
  const { crawl, robots, url } = facts
  const sitemaps = sitemapsOf(facts)
  const urls = (robots.file?.sitemaps ?? []).map(reference => resolve(reference, url)?.href)
  return (
    (crawl?.robots.status === 'found' || crawl?.robots.status === 'missing') &&
    sitemaps.length > 0 &&
    sitemaps.every(sitemap => sitemap.status === 'missing' || (isGuess(facts) && isNone(sitemap))) &&
    urls.every(href => href === undefined || sitemaps.some(sitemap => sitemap.url === href))
  )
}

export const crawlingChecks: readonly SeoCheck[] = [
  {
    code: 'http_error_status',
    severity: 'error',
    impact: 40,
    message: 'The page returns an error status.',
    test: ({ status }) => status >= 400 && `status ${status}`,
  },
  {
    code: 'noindex',
    severity: 'error',
    impact: 40,
    message: 'The page is marked noindex.',
    test: facts => has(facts, 'noindex'),
  },
  {
    code: 'blocked_by_robots_txt',
    severity: 'error',
    impact: 30,
    message: 'robots.txt disallows the page.',
    test: ({ robots }) => robots.allows === false && `Disallow: ${robots.rule?.pattern ?? ''}`,
  },
  {
    code: 'nofollow',
    severity: 'info',
    impact: 3,
    message: 'The page is marked nofollow.',
    test: facts => has(facts, 'nofollow'),
  },
  {
    code: 'nosnippet',
    severity: 'info',
    impact: 2,
    message: 'The page is marked nosnippet, so results have no description.',
    test: facts => has(facts, 'nosnippet') || facts.directives.some(one => /^max-snippet\s*:\s*0$/.test(one)),
  },
  {
    code: 'missing_robots_txt',
    severity: 'info',
    impact: 2,
    message: 'The site has no robots.txt.',
    test: ({ crawl }) => crawl?.robots.status === 'missing',
  },
  {
    code: 'robots_txt_not_text',
    severity: 'warning',
    impact: 5,
    message: 'robots.txt is an HTML page.',
    test: ({ robots }) => robots.html,
  },
  {
    code: 'robots_txt_faults',
    severity: 'warning',
    impact: 2,
    message: 'robots.txt has invalid lines.',
    test: ({ robots: { file, html } }) =>
      !html && file !== null && file.faults > 0 && `${file.faults} lines: ${file.fault_lines.join(', ')}`,
  },
  {
    code: 'missing_sitemap',
    severity: 'warning',
    impact: 10,
    message: 'No sitemap was found at the location in robots.txt or at /sitemap.xml.',
    test: lacksSitemap,
  },
  {
    code: 'broken_sitemap_reference',
    severity: 'warning',
    impact: 4,
    message: 'Some sitemaps listed in robots.txt do not exist.',
    test: facts =>
      sitemapsOf(facts).some(({ status }) => status === 'found') &&
      sitemapsOf(facts).some(({ status }) => status === 'missing'),
  },
  {
    code: 'sitemap_is_html',
    severity: 'warning',
    impact: 5,
    message: 'A sitemap listed in robots.txt is an HTML page.',
    test: facts => !isGuess(facts) && sitemapsOf(facts).some(isPage),
  },
  {
    code: 'invalid_sitemap',
    severity: 'warning',
    impact: 5,
    message: 'A sitemap is neither a URL list nor a sitemap index.',
    test: facts => !isGuess(facts) && sitemapsOf(facts).some(one => isNone(one) && !isPage(one)),
  },
  {
    code: 'empty_sitemap',
    severity: 'warning',
    impact: 4,
    message: 'A sitemap names no page.',
    test: facts => sitemapsOf(facts).some(({ content }) => content === 'empty'),
  },
  {
    code: 'incomplete_sitemap',
    severity: 'warning',
    impact: 5,
    message: 'A sitemap ends in the middle of an element, so crawlers refuse it.',
    test: facts => sitemapsOf(facts).some(({ content }) => content === 'incomplete'),
  },
  {
    code: 'oversized_sitemap',
    severity: 'warning',
    impact: 5,
    message: 'A sitemap is larger than 50 MiB, so crawlers refuse it.',
    test: facts => sitemapsOf(facts).some(({ content }) => content === 'oversized'),
  },
]
