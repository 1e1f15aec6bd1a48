// seo_health: what search engines find, may keep and understand of the page, as far as it shows without a browser.
import { analyzer, type CrawlFiles, isOurFailure, servedFields, Type, withServed } from '../../src/engine/plugin.ts'
import { findIssues } from './check.ts'
import { checks } from './checks.ts'
import { factsOf } from './facts.ts'
import { describe, Section, ungraded } from './section.ts'

const Options = Type.Object(
  {
    crawler: Type.String({
      default: 'Googlebot',
      pattern: '^[A-Za-z_-]{1,64}$',
      description: 'Product token of the search engine whose rules in robots.txt, metas and headers apply.',
    }),
  },
  { additionalProperties: false },
)

/** What we could not look at, or null. A refusal and an error status are answers. */
function unknownOf(crawl: CrawlFiles | null): string | null {
  if (crawl === null) return 'no_crawl_files'
  const { status, reason } = crawl.robots
  return status === 'unknown' && isOurFailure(reason ?? '') ? `robots_txt_${reason}` : null
}

export default analyzer({
  name: 'seo_health',
  description: 'Whether search engines can find, keep and understand the page: a score, explained by its issues.',
  targets: ['domain', 'ip'],
  needs: ['served', 'page'],
  wants: ['document', 'crawl_files', 'entrances'],
  schema: Section,
  options: Options,
  signals: {},
  analyze({ served, page, document, crawl_files: crawl, entrances }, { options, now }) {
    const response = servedFields(served)
    if (!response.ok) return { ...response.finding, signals: [] }
    if (document === null) return { unavailable: 'no_document' }
    const { fields, unseen } = response
    if (fields.blocked || !document.is_html || !URL.canParse(fields.evaluated_url)) {
      return { section: withServed(fields, ungraded), signals: [], ...unseen }
    }
    const facts = factsOf(
      new URL(fields.evaluated_url),
      { served, page, document, crawl, entrances },
      options.crawler,
      now,
    )
    const section = withServed(fields, describe(facts, findIssues(checks, facts), options.crawler))
    const unknown = unknownOf(crawl)
    return { section, signals: [], ...(unknown === null ? {} : { unknown }) }
  },
})
