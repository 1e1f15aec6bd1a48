// The section: the score, the issues that explain it, and what was looked at.
import { type CrawlFiles, ServedFields, type ServedSection, type Static, Type } from '../../src/engine/plugin.ts'
import { Issue, scoreOf } from './check.ts'
import { type Facts, metaOf, samePage, siteOf } from './facts.ts'
import { genericLinks, scriptLinks } from './page_checks.ts'
import { lengthOf } from './snippet_checks.ts'

const closed = { additionalProperties: false }
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** Characters of a URL, rule or attribute that are shown, and members of a list. */
const TEXT_LENGTH = 256
const LISTED = 10

const FileStatus = Type.Enum(['found', 'missing', 'denied', 'unknown'])

const RobotsTxt = Type.Object(
  {
    status: FileStatus,
    reason: nullable(Type.String()),
    crawler: Type.String({ description: 'Whose rules are applied.' }),
    allows_page: nullable(Type.Boolean({ description: 'Null when the file could not be read.' })),
    rule: nullable(Type.String({ description: 'The rule that decides about the page.' })),
  },
  closed,
)

const Sitemap = Type.Object(
  {
    url: Type.String(),
    status: FileStatus,
    root: nullable(Type.Enum(['urlset', 'sitemapindex', 'feed', 'text'])),
    gzip: Type.Boolean(),
  },
  closed,
)

const Canonical = Type.Object(
  {
    url: nullable(Type.String()),
    points_to: Type.Enum(['nothing', 'itself', 'same_site', 'other_site', 'several', 'no_url']),
  },
  closed,
)

const counts = <Names extends string>(names: readonly Names[], description?: string) =>
  Type.Object(Object.fromEntries(names.map(name => [name, Type.Integer()])) as Record<Names, Type.TInteger>, {
    ...closed,
    ...(description === undefined ? {} : { description }),
  })

/** Null throughout when there is no page of the site to speak of. */
const Details = {
  indexable: nullable(
    Type.Boolean({ description: 'Whether search engines may keep the page; null when robots.txt could not be read.' }),
  ),
  directives: nullable(Type.Array(Type.String(), { description: 'Of metas and headers, for the crawler.' })),
  robots_txt: nullable(RobotsTxt),
  sitemaps: nullable(Type.Array(Sitemap)),
  canonical: nullable(Canonical),
  hreflang: nullable(Type.Array(Type.String(), { description: 'Languages of the alternates, as written.' })),
  title_length: nullable(Type.Integer()),
  description_length: nullable(Type.Integer()),
  lang: nullable(Type.String()),
  viewport: nullable(Type.String()),
  h1_count: nullable(Type.Integer()),
  word_count: nullable(Type.Integer()),
  images: nullable(counts(['total', 'without_alt'])),
  links: nullable(
    counts(['total', 'generic_text', 'not_crawlable'], 'Of the first 1000, and of 200 more that are contacts.'),
  ),
  structured_data: nullable(
    Type.Object({ blocks: Type.Integer(), invalid: Type.Integer(), types: Type.Array(Type.String()) }, closed),
  ),
}

export const Section = Type.Object(
  {
    ...ServedFields,
    score: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: 'A hundred, less the impacts; null when not graded.' }),
    ),
    issues: Type.Array(Issue, { description: 'Crawling first, then the page.' }),
    ...Details,
  },
  closed,
)

type Graded = Omit<Static<typeof Section>, keyof ServedSection>

/** The fields when there is no page to grade. */
export const ungraded: Graded = {
  score: null,
  issues: [],
  ...(Object.fromEntries(Object.keys(Details).map(name => [name, null])) as { [Name in keyof typeof Details]: null }),
}

export function describe(facts: Facts, issues: Graded['issues'], crawler: string): Graded {
  const { document, crawl, alternates, structured, directives } = facts
  return {
    score: scoreOf(issues),
    issues,
    indexable: indexable(facts),
    directives: directives.slice(0, LISTED).map(shown),
    robots_txt: crawl && robotsOf(facts, crawl, crawler),
    sitemaps: crawl && sitemapsOf(crawl),
    canonical: canonicalOf(facts),
    hreflang: alternates.slice(0, LISTED).map(({ hreflang }) => shown(hreflang ?? '')),
    title_length: lengthOf(document.title?.trim() ?? ''),
    description_length: lengthOf(metaOf(document, 'description') ?? ''),
    lang: document.lang === null ? null : shown(document.lang),
    viewport: shownOrNull(metaOf(document, 'viewport')),
    h1_count: document.headings.filter(({ level }) => level === 1).length,
    word_count: document.word_count,
    images: { total: document.images.total, without_alt: document.images.without_alt },
    links: {
      total: document.anchors.length,
      generic_text: genericLinks(facts),
      not_crawlable: scriptLinks(facts),
    },
    structured_data: { ...structured, types: [...structured.types] },
  }
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]+/gu
const shown = (text: string): string => text.slice(0, TEXT_LENGTH).replace(UNPRINTABLE, ' ')
const shownOrNull = (text: string | null): string | null => (text === null ? null : shown(text))

/** A disallowed page can still be listed by its address alone, but not kept. */
function indexable({ status, directives, robots }: Facts): boolean | null {
  if (status >= 400 || directives.includes('noindex') || robots.allows === false) return false
  return robots.allows === null ? null : true
}

function robotsOf({ robots }: Facts, crawl: CrawlFiles, crawler: string): Static<typeof RobotsTxt> {
  const { rule, allows } = robots
  return {
    status: crawl.robots.status,
    reason: shownOrNull(crawl.robots.reason),
    crawler,
    allows_page: allows,
    rule: rule && shown(`${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`),
  }
}

const sitemapsOf = ({ sitemaps }: CrawlFiles): Static<typeof Sitemap>[] =>
  sitemaps.slice(0, LISTED).map(({ url, status, root, gzip }) => ({ url: shown(url), status, root, gzip }))

function canonicalOf({ canonicals, url }: Facts): Static<typeof Canonical> {
  const [first] = canonicals
  if (first === undefined) return { url: null, points_to: 'nothing' }
  if (canonicals.length > 1) return { url: null, points_to: 'several' }
  if (first === null) return { url: null, points_to: 'no_url' }
  const points_to = samePage(first, url) ? 'itself' : siteOf(first) === siteOf(url) ? 'same_site' : 'other_site'
  return { url: shown(first.href), points_to }
}
