// Can a search engine fetch the page, may it keep it, and does it find the others?
import type { CrawlFiles } from '../../src/engine/plugin.ts'
import type { Check } from './check.ts'
import { type Facts, resolve } from './facts.ts'

const has = ({ directives }: Facts, directive: string): boolean => directives.includes(directive)
const sitemapsOf = ({ crawl }: Facts) => crawl?.sitemaps ?? []
/** robots.txt names none: what was asked for is the usual place, and nobody has said that a sitemap is there. */
const isGuess = ({ robots }: Facts): boolean => (robots.file?.sitemaps ?? []).length === 0
const isNone = ({ status, root }: CrawlFiles['sitemaps'][number]): boolean => status === 'found' && root === null

/** Only where robots.txt is known can all sitemaps be: it may name some on other sites, or more than are asked for. */
function lacksSitemap(facts: Facts): boolean {
  const { crawl, robots, url } = facts
  const asked = sitemapsOf(facts)
  const named = (robots.file?.sitemaps ?? []).map(written => resolve(written, url)?.href)
  return (
    (crawl?.robots.status === 'found' || crawl?.robots.status === 'missing') &&
    asked.length > 0 &&
    asked.every(sitemap => sitemap.status === 'missing' || (isGuess(facts) && isNone(sitemap))) &&
    named.every(href => href === undefined || asked.some(sitemap => sitemap.url === href))
  )
}

export const crawlingChecks: readonly Check[] = [
  {
    code: 'http_error_status',
    severity: 'error',
    impact: 40,
    message: 'The page answers with an error status.',
    test: ({ status }) => status >= 400 && `status ${status}`,
  },
  {
    code: 'noindex',
    severity: 'error',
    impact: 40,
    message: 'The page asks not to be indexed.',
    test: facts => has(facts, 'noindex'),
  },
  {
    code: 'blocked_by_robots_txt',
    severity: 'error',
    impact: 30,
    message: 'robots.txt forbids search engines to fetch the page.',
    test: ({ robots }) => robots.allows === false && `Disallow: ${robots.rule?.pattern ?? ''}`,
  },
  {
    code: 'nofollow',
    severity: 'info',
    impact: 3,
    message: 'The page asks that none of its links be followed.',
    test: facts => has(facts, 'nofollow'),
  },
  {
    code: 'nosnippet',
    severity: 'info',
    impact: 2,
    message: 'The page asks for search results without a description.',
    test: facts => has(facts, 'nosnippet') || facts.directives.some(one => /^max-snippet\s*:\s*0$/.test(one)),
  },
  {
    code: 'missing_robots_txt',
    severity: 'info',
    impact: 2,
    message: 'There is no robots.txt.',
    test: ({ crawl }) => crawl?.robots.status === 'missing',
  },
  {
    code: 'robots_txt_not_text',
    severity: 'warning',
    impact: 5,
    message: 'robots.txt is a page of HTML.',
    test: ({ robots }) => robots.html,
  },
  {
    code: 'robots_txt_faults',
    severity: 'warning',
    impact: 2,
    message: 'robots.txt has lines that mean nothing.',
    test: ({ robots: { file, html } }) => !html && file !== null && file.faults > 0 && `${file.faults} lines`,
  },
  {
    code: 'missing_sitemap',
    severity: 'warning',
    impact: 10,
    message: 'There is no sitemap where robots.txt says, or else at the usual place.',
    test: lacksSitemap,
  },
  {
    code: 'broken_sitemap_reference',
    severity: 'warning',
    impact: 4,
    message: 'Not every sitemap that is named exists.',
    test: facts =>
      sitemapsOf(facts).some(({ status }) => status === 'found') &&
      sitemapsOf(facts).some(({ status }) => status === 'missing'),
  },
  {
    code: 'invalid_sitemap',
    severity: 'warning',
    impact: 5,
    message: 'A sitemap is neither a list of URLs nor of sitemaps.',
    test: facts => !isGuess(facts) && sitemapsOf(facts).some(isNone),
  },
]
