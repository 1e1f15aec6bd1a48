// The section: the score, its issues, and the facts behind them.
import {
  type CrawlFiles,
  labelled,
  nullable,
  orUnknown,
  printable,
  ServedFields,
  type ServedSection,
  type Static,
  Type,
} from '../../src/engine/plugin.ts'
import { Issue, scoreOf } from './check.ts'
import { metaOf, type SeoFacts, samePage, siteOf } from './facts.ts'
import { genericLinks, scriptLinks } from './page_checks.ts'
import { descriptionsOf, lengthOf } from './snippet_checks.ts'

const CLOSED = { additionalProperties: false }

/** Maximum characters of a URL, rule or attribute that are shown, and maximum members of a list. */
const TEXT_LENGTH = 256
const MAX_ENTRIES = 10

const FileStatus = Type.Enum(['found', 'missing', 'denied', 'unknown'], {
  description: '`denied`: the server refuses it; `unknown`: it could not be read.',
})

const RobotsTxt = Type.Object(
  {
    status: FileStatus,
    reason: nullable(Type.String({ description: 'Why it is denied or unknown.' })),
    crawler: Type.String({ description: 'The crawler to which the rules apply.' }),
    allows_page: nullable(Type.Boolean({ description: 'Null if the file could not be read.' })),
    rule: nullable(Type.String({ description: 'Rule that decides about the page.' })),
  },
  { ...CLOSED, description: 'The file that tells crawlers what to leave out (RFC 9309).' },
)

const Sitemap = Type.Object(
  {
    url: Type.String({ description: 'Where it was requested.' }),
    status: FileStatus,
    root: nullable(
      Type.Enum(['urlset', 'sitemapindex', 'feed', 'text', 'html'], {
        description: 'What the file is by its content; null if it is something else.',
      }),
    ),
    gzip: nullable(Type.Boolean({ description: 'Null if there was nothing to check.' })),
  },
  CLOSED,
)

const Canonical = Type.Object(
  {
    url: nullable(Type.String({ description: 'Absolute; null if there is not exactly one.' })),
    points_to: Type.Enum(['nothing', 'itself', 'same_site', 'other_site', 'several', 'no_url'], {
      description:
        '`nothing`: the page has none; `several`: the page has contradicting ones; `no_url`: it is not a URL.',
    }),
  },
  { ...CLOSED, description: 'The page that search engines should show instead of this one.' },
)

const counts = <Names extends string>(description: string, names: Readonly<Record<Names, string>>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<string>(names).map(([name, description]) => [name, Type.Integer({ description })]),
    ) as Record<Names, Type.TInteger>,
    { ...CLOSED, description },
  )

/** All fields are null if the site's own page was not seen. */
const Details = {
  indexable: nullable(
    Type.Boolean({ description: 'Search engines may index the page; null if robots.txt could not be read.' }),
  ),
  directives: nullable(
    Type.Array(Type.String(), { description: 'Directives for the crawler from meta elements and headers.' }),
  ),
  robots_txt: labelled('robots.txt', nullable(RobotsTxt)),
  sitemaps: labelled(
    'Sitemap',
    nullable(
      Type.Array(Sitemap, { description: 'Sitemaps that robots.txt names, otherwise the usual one; at most 10.' }),
    ),
  ),
  canonical: nullable(Canonical),
  hreflang: nullable(Type.Array(Type.String(), { description: 'Languages of the alternates, as written.' })),
  title_count: nullable(Type.Integer({ description: 'Title elements; only the first counts.' })),
  title_length: nullable(Type.Integer({ description: 'Characters of the title.' })),
  description_count: nullable(Type.Integer({ description: 'Different meta descriptions.' })),
  description_length: nullable(Type.Integer({ description: 'Characters of the description.' })),
  lang: labelled('Language', nullable(Type.String({ description: 'The attribute `lang` of the page, as written.' }))),
  viewport: nullable(Type.String({ description: 'The meta element `viewport`, as written.' })),
  h1_count: nullable(Type.Integer({ description: 'Headings of the first level.' })),
  word_count: labelled('Words', nullable(Type.Integer({ description: 'Words of the text.' }))),
  images: nullable(
    counts('Pictures of the page.', { total: 'All.', without_alt: 'Pictures without a text alternative.' }),
  ),
  links: nullable(
    counts('Counts the first 1000 links and up to 200 more contact links.', {
      total: 'All.',
      generic_text: 'Links with a text that does not say where they lead.',
      not_crawlable: 'Links that only a script follows.',
    }),
  ),
  structured_data: nullable(
    Type.Object(
      {
        blocks: Type.Integer({ description: 'Blocks of JSON-LD.' }),
        invalid: Type.Integer({ description: 'Blocks that are not JSON.' }),
        meaningless: Type.Integer({ description: 'Blocks without the context of schema.org, or without a type.' }),
        types: Type.Array(Type.String(), { description: 'Types that the blocks describe.' }),
      },
      { ...CLOSED, description: 'What the page says about itself to programs.' },
    ),
  ),
}

export const Section = Type.Object(
  {
    ...ServedFields,
    score: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description:
          '100 minus the impacts; null if not graded, or while robots.txt, a sitemap, an entrance or the end of the page is unknown.',
      }),
    ),
    issues: nullable(
      Type.Array(Issue, {
        description:
          'Crawling issues first, then page issues; null if not graded, or if none was found and a part is unknown.',
      }),
    ),
    ...Details,
  },
  CLOSED,
)

type GradedChecks = Omit<Static<typeof Section>, keyof ServedSection>

/** `isWhole`: everything that the issues depend on is known. Fields not found in a partially read page are unknown. */
export function describe(
  facts: SeoFacts,
  issues: readonly Static<typeof Issue>[],
  crawler: string,
  isWhole: boolean,
): GradedChecks {
  const { document, crawl, alternates, structuredData, directives } = facts
  const isRead = !document.truncated
  return {
    score: isWhole ? scoreOf(issues) : null,
    issues: orUnknown([...issues], isWhole),
    indexable: indexable(facts),
    directives: orUnknown(directives.slice(0, MAX_ENTRIES).map(excerpt), isRead),
    robots_txt: crawl && robotsOf(facts, crawl, crawler),
    sitemaps: crawl && sitemapsOf(crawl),
    canonical: isRead || facts.canonicals.length > 0 ? canonicalOf(facts) : null,
    hreflang: orUnknown(
      alternates.slice(0, MAX_ENTRIES).map(({ hreflang }) => excerpt(hreflang ?? '')),
      isRead,
    ),
    title_count: document.titles === undefined ? null : orUnknown(document.titles, isRead),
    title_length: orUnknown(lengthOf(document.title?.trim() ?? ''), isRead),
    description_count: orUnknown(descriptionsOf(facts).length, isRead),
    description_length: orUnknown(lengthOf(metaOf(document, 'description') ?? ''), isRead),
    lang: document.lang === null ? null : excerpt(document.lang),
    viewport: excerptOrNull(metaOf(document, 'viewport')),
    h1_count: orUnknown(document.headings.filter(({ level }) => level === 1).length, isRead),
    word_count: orUnknown(document.word_count, isRead),
    images: isRead || document.images.total > 0 ? { ...document.images } : null,
    links: isRead || document.anchors.length > 0 ? linksOf(facts) : null,
    structured_data:
      isRead || structuredData.blocks > 0 ? { ...structuredData, types: [...structuredData.types] } : null,
  }
}

const linksOf = (facts: SeoFacts) => ({
  total: facts.document.anchors.length,
  generic_text: genericLinks(facts),
  not_crawlable: scriptLinks(facts),
})

const excerpt = (text: string): string => printable(text, TEXT_LENGTH)
const excerptOrNull = (text: string | null): string | null => (text === null ? null : excerpt(text))

/** A disallowed page may still be listed by its URL, but not indexed. */
function indexable({ status, directives, robots }: SeoFacts): boolean | null {
  if (status >= 400 || directives.includes('noindex') || robots.allows === false) return false
  return robots.allows === null ? null : true
}

function robotsOf({ robots }: SeoFacts, crawl: CrawlFiles, crawler: string): Static<typeof RobotsTxt> {
  const { rule, allows } = robots
  return {
    status: crawl.robots.status,
    reason: excerptOrNull(crawl.robots.reason),
    crawler,
    allows_page: allows,
    rule: rule && excerpt(`${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`),
  }
}

const sitemapsOf = ({ sitemaps }: CrawlFiles): Static<typeof Sitemap>[] =>
  sitemaps.slice(0, MAX_ENTRIES).map(({ url, status, root, gzip }) => ({
    url: excerpt(url),
    status,
    root,
    gzip: status === 'found' ? gzip : null,
  }))

function canonicalOf({ canonicals, url }: SeoFacts): Static<typeof Canonical> {
  const [first] = canonicals
  if (first === undefined) return { url: null, points_to: 'nothing' }
  if (canonicals.length > 1) return { url: null, points_to: 'several' }
  if (first === null) return { url: null, points_to: 'no_url' }
  const pointsTo = samePage(first, url) ? 'itself' : siteOf(first) === siteOf(url) ? 'same_site' : 'other_site'
  return { url: excerpt(first.href), points_to: pointsTo }
}
