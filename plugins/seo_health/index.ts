// seo_health: whether search engines can crawl, index and understand the page, as far as it shows without a browser.
import {
  analyzer,
  type CrawlFiles,
  type Entrances,
  mainReason,
  notFetched,
  servedFields,
  Type,
  unheard,
  withServed,
} from '../../src/engine/plugin.ts'
import { addressChecks } from './address_checks.ts'
import { findIssues, type SeoCheck } from './check.ts'
import { crawlingChecks } from './crawling_checks.ts'
import { factsOf } from './facts.ts'
import { languageChecks } from './language_checks.ts'
import { pageChecks } from './page_checks.ts'
import { presentation } from './presentation.ts'
import { describe, Section } from './section.ts'
import { snippetChecks } from './snippet_checks.ts'

const Options = Type.Object(
  {
    crawler: Type.String({
      default: 'Googlebot',
      pattern: '^[A-Za-z_-]{1,64}$',
      description: 'User-agent token of the crawler; its rules in robots.txt, meta elements and headers apply.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'seo_health',
  description: 'Whether search engines can crawl, index and understand the page: a score and its issues.',
  targets: ['domain', 'ip'],
  needs: ['served', 'page'],
  wants: ['document', 'crawl_files', 'entrances'],
  presentation,
  schema: Section,
  options: Options,
  signals: {},
  analyze({ served, page, document, crawl_files: crawl, entrances }, { options, now, missing }) {
    const response = servedFields(served)
    if (!response.ok) return { ...response.finding, signals: [] }
    if (document === null) return { unavailable: 'no_document' }
    const { fields, pageless, unread } = response
    if (pageless !== null) return pageless
    if (!document.is_html || !URL.canParse(fields.evaluated_url)) return { notApplicable: 'not_html' }
    const facts = factsOf(
      new URL(fields.evaluated_url),
      { served, page, document, crawl, entrances },
      options.crawler,
      now,
    )
    const reason = unread.unknown ?? (document.truncated ? 'page_too_large' : null)
    const unknownReason = mainReason([...unseenParts(crawl, entrances, missing), ...(reason === null ? [] : [reason])])
    const section = withServed(
      fields,
      describe(facts, findIssues(checks, facts), options.crawler, unknownReason === null),
    )
    return { section, signals: [], unknown: unknownReason }
  },
})

export const checks: readonly SeoCheck[] = [
  ...crawlingChecks,
  ...addressChecks,
  ...snippetChecks,
  ...languageChecks,
  ...pageChecks,
]

// What the issues depend on and was not seen: the score could be any without it.
/** The reasons why something is unknown; none if everything was seen. `missing` has those of evidence that is null. */
export function unseenParts(
  crawl: CrawlFiles | null,
  entrances: Entrances | null,
  missing: { readonly entrances?: { readonly reason: string } },
): string[] {
  const ofEntrances =
    entrances === null
      ? [`entrances_${missing.entrances?.reason ?? 'no_response'}`]
      : [unheard('plain_http', entrances.http.failure), unheard('other_host', entrances.www?.failure)]
  return [...(crawl === null ? ['no_crawl_files'] : unreadFiles(crawl)), ...ofEntrances].filter(
    reason => reason !== null,
  )
}

const unreadFiles = ({ robots, sitemaps }: CrawlFiles): (string | null)[] => [
  notFetched('robots_txt', robots),
  ...sitemaps.map(sitemap => notFetched('sitemap', sitemap)),
]
