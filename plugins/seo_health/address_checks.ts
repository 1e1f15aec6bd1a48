// Under which address is the page found, and which one does it give itself?
import type { Entrance } from '../../src/engine/plugin.ts'
import type { Check } from './check.ts'
import { type Facts, siteOf } from './facts.ts'

/** Redirects after which a crawler's visit is dear. */
const MANY_REDIRECTS = 2
const TEMPORARY: ReadonlySet<number> = new Set([302, 303, 307])

const isHttps = (url: string): boolean => url.startsWith('https:')

/** A page of its own, where a redirect would do. */
const serves = (entrance: Entrance | null | undefined): boolean =>
  typeof entrance?.status === 'number' && entrance.status >= 200 && entrance.status < 300

/** A hop from one spelling of the same address to another: only the scheme or `www.` differs. */
function temporaryMove({ chain, url }: Facts): string | false {
  const bare = (href: string) => href.replace(/^https?:\/\/(?:www\.)?/, '')
  const moved = chain.find((hop, i) => {
    const next = chain[i + 1]?.url ?? url.href
    return TEMPORARY.has(hop.status) && hop.url !== next && bare(hop.url) === bare(next)
  })
  return moved ? `status ${moved.status}` : false
}

function foreignCanonical({ canonicals, url }: Facts): string | false {
  const foreign = canonicals.find(canonical => canonical !== null && siteOf(canonical) !== siteOf(url))
  return foreign?.hostname ?? false
}

export const addressChecks: readonly Check[] = [
  {
    code: 'not_https',
    severity: 'warning',
    impact: 8,
    message: 'The page is not encrypted: search engines prefer https.',
    test: ({ url }) => url.protocol === 'http:',
  },
  {
    code: 'https_to_http',
    severity: 'error',
    impact: 5,
    message: 'A redirect leads from https back to http.',
    test: ({ chain, url }) => chain.some((hop, i) => isHttps(hop.url) && !isHttps(chain[i + 1]?.url ?? url.href)),
  },
  {
    code: 'http_not_redirected',
    severity: 'warning',
    impact: 3,
    message: 'The page is served without encryption too: search engines find it under two addresses.',
    test: ({ url, entrances }) => isHttps(url.href) && serves(entrances?.http),
  },
  {
    code: 'www_not_redirected',
    severity: 'warning',
    impact: 3,
    message: 'The name with www. and the one without both serve pages: search engines find two sites.',
    test: ({ url, entrances }) => serves(entrances?.www) && new URL(entrances?.www?.url ?? url).host !== url.host,
  },
  {
    code: 'temporary_redirect_to_canonical_host',
    severity: 'info',
    impact: 2,
    message: 'The move to https, or to or from www, is said to be temporary.',
    test: temporaryMove,
  },
  {
    code: 'redirect_chain',
    severity: 'info',
    impact: 2,
    message: 'Several redirects lead to the page.',
    test: ({ chain }) => chain.length > MANY_REDIRECTS && `${chain.length} redirects`,
  },
  {
    code: 'meta_refresh',
    severity: 'warning',
    impact: 4,
    message: 'A meta refresh reloads or moves the page: search engines ask for a redirect instead.',
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
    message: 'A canonical URL is no http(s) URL.',
    test: ({ canonicals }) => canonicals.includes(null),
  },
  {
    code: 'conflicting_canonicals',
    severity: 'warning',
    impact: 5,
    message: 'Different canonical URLs are given, of which search engines follow none.',
    test: ({ canonicals }) => canonicals.length > 1 && `${canonicals.length} of them`,
  },
  {
    code: 'canonical_on_other_site',
    severity: 'warning',
    impact: 8,
    message: 'The canonical URL is another site’s, which search engines will show instead.',
    test: foreignCanonical,
  },
  {
    code: 'canonical_not_https',
    severity: 'warning',
    impact: 4,
    message: 'The page is encrypted and its canonical URL is not.',
    test: ({ canonicals, url }) => url.protocol === 'https:' && canonicals.some(one => one?.protocol === 'http:'),
  },
]
