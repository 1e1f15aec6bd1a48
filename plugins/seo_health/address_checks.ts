// Checks of the page's URL: redirects, HTTPS, www and canonical URL.
import type { Entrance } from '../../src/engine/plugin.ts'
import type { SeoCheck } from './check.ts'
import { type SeoFacts, siteOf } from './facts.ts'

/** More redirects than this waste a crawler's visits. */
const MANY_REDIRECTS = 2
const TEMPORARY: ReadonlySet<number> = new Set([302, 303, 307])

const isHttps = (url: string): boolean => url.startsWith('https:')

/** Serves a page where a redirect would do. */
const serves = (entrance: Entrance | null | undefined): boolean =>
  typeof entrance?.status === 'number' && entrance.status >= 200 && entrance.status < 300

/** A redirect between two forms of one URL: only the scheme or `www.` differs. */
function temporaryMove({ chain, url }: SeoFacts): string | false {
  const bare = (href: string) => href.replace(/^https?:\/\/(?:www\.)?/, '')
  const moveHop = chain.find((hop, i) => {
    const next = chain[i + 1]?.url ?? url.href
    return TEMPORARY.has(hop.status) && hop.url !== next && bare(hop.url) === bare(next)
  })
  return moveHop ? `status ${moveHop.status}` : false
}

function foreignCanonical({ canonicals, url }: SeoFacts): string | false {
  const foreign = canonicals.find(canonical => canonical !== null && siteOf(canonical) !== siteOf(url))
  return foreign?.hostname ?? false
}

export const addressChecks: readonly SeoCheck[] = [
  {
    code: 'not_https',
    severity: 'warning',
    impact: 8,
    message: 'The page is not served over HTTPS, which search engines prefer.',
    test: ({ url }) => url.protocol === 'http:',
  },
  {
    code: 'https_to_http',
    severity: 'error',
    impact: 5,
    message: 'A redirect leads from HTTPS to HTTP.',
    test: ({ chain, url }) => chain.some((hop, i) => isHttps(hop.url) && !isHttps(chain[i + 1]?.url ?? url.href)),
  },
  {
    code: 'http_not_redirected',
    severity: 'warning',
    impact: 3,
    message: 'The page is served over HTTP as well as HTTPS, so search engines see two URLs.',
    test: ({ url, entrances }) => isHttps(url.href) && serves(entrances?.http),
  },
  {
    code: 'www_not_redirected',
    severity: 'warning',
    impact: 3,
    message: 'The www. host and the bare domain both serve pages, so search engines see two sites.',
    test: ({ url, entrances }) => serves(entrances?.www) && new URL(entrances?.www?.url ?? url).host !== url.host,
  },
  {
    code: 'temporary_redirect_to_canonical_host',
    severity: 'info',
    impact: 2,
    message: 'The redirect to HTTPS, or to or from www., is temporary instead of permanent.',
    test: temporaryMove,
  },
  {
    code: 'redirect_chain',
    severity: 'info',
    impact: 2,
    message: 'A chain of redirects leads to the page.',
    test: ({ chain }) => chain.length > MANY_REDIRECTS && `${chain.length} redirects`,
  },
  {
    code: 'meta_refresh',
    severity: 'warning',
    impact: 4,
    message: 'The page uses a meta refresh; search engines recommend an HTTP redirect.',
    test: ({ document }) => document.metas.some(({ name }) => name === 'refresh'),
  },
  {
    code: 'missing_canonical',
    severity: 'info',
    impact: 2,
    message: 'No canonical URL is given.',
    absence: true,
    test: ({ canonicals }) => canonicals.length === 0,
  },
  {
    code: 'invalid_canonical',
    severity: 'warning',
    impact: 4,
    message: 'A canonical URL is not an http(s) URL.',
    test: ({ canonicals }) => canonicals.includes(null),
  },
  {
    code: 'conflicting_canonicals',
    severity: 'warning',
    impact: 5,
    message: 'The page gives several different canonical URLs, so search engines ignore all of them.',
    test: ({ canonicals }) => canonicals.length > 1 && `${canonicals.length} of them`,
  },
  {
    code: 'canonical_on_other_site',
    severity: 'warning',
    impact: 8,
    message: 'The canonical URL is on another site, which search engines will show instead.',
    test: foreignCanonical,
  },
  {
    code: 'canonical_not_https',
    severity: 'warning',
    impact: 4,
    message: 'The page uses HTTPS, but its canonical URL uses HTTP.',
    test: ({ canonicals, url }) => url.protocol === 'https:' && canonicals.some(one => one?.protocol === 'http:'),
  },
]
