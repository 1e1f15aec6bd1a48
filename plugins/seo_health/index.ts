// seo_health: whether search engines can crawl, index and understand the page, as far as it shows without a browser.

import {
  analyzer,
  type CrawlFiles,
  mainReason,
  notFetched,
  servedFields,
  Type,
  unseen,
  withServed,
} from '../../src/engine/plugin.ts'
import { addressChecks } from './address_checks.ts'
import { type Check, findIssues } from './check.ts'
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
      description: 'User-agent token of the crawler whose rules in robots.txt, meta elements and headers apply.',
    }),
  },
  { additionalProperties: false },
)

/** What we could not fetch, or null. */
function unknownOf(crawl: CrawlFiles | null): string | null {
  if (crawl === null) return 'no_crawl_files'
  return notFetched('robots_txt', crawl.robots)
}

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
  analyze({ served, page, document, crawl_files: crawl, entrances }, { options, now }) {
    const response = servedFields(served)
    if (!response.ok) return { ...response.finding, signals: [] }
    if (document === null) return { unavailable: 'no_document' }
    const { fields, withheld, unread } = response
    if (fields.blocked || !document.is_html || !URL.canParse(fields.evaluated_url)) {
      return { section: unseen(Section, fields), signals: [], ...withheld }
    }
    const facts = factsOf(
      new URL(fields.evaluated_url),
      { served, page, document, crawl, entrances },
      options.crawler,
      now,
    )
    const unknown = mainReason([unknownOf(crawl), unread.unknown ?? null].filter(reason => reason !== null))
    const isCrawled = crawl !== null && crawl.robots.status !== 'unknown'
    const isWhole = isCrawled && entrances !== null && !document.truncated
    const section = withServed(fields, describe(facts, findIssues(checks, facts), options.crawler, isWhole))
    return { section, signals: [], ...(unknown === null ? {} : { unknown }) }
  },
})

export const checks: readonly Check[] = [
  ...crawlingChecks,
  ...addressChecks,
  ...snippetChecks,
  ...languageChecks,
  ...pageChecks,
]
