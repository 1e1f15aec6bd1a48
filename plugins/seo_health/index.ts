// seo_health: whether search engines can crawl, index and understand the page, as far as it shows without a browser.

import { analyzer, mainReason, servedFields, Type, withServed } from '../../src/engine/plugin.ts'
import { addressChecks } from './address_checks.ts'
import { findIssues, type SeoCheck } from './check.ts'
import { crawlingChecks } from './crawling_checks.ts'
import { factsOf } from './facts.ts'
import { languageChecks } from './language_checks.ts'
import { pageChecks } from './page_checks.ts'
import { presentation } from './presentation.ts'
import { describe, Section } from './section.ts'
import { snippetChecks } from './snippet_checks.ts'
import { unseenParts } from './unseen_parts.ts'

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
    const unknown = mainReason([...unseenParts(crawl, entrances, missing), ...(reason === null ? [] : [reason])])
    const section = withServed(fields, describe(facts, findIssues(checks, facts), options.crawler, unknown === null))
    return { section, signals: [], unknown }
  },
})

export const checks: readonly SeoCheck[] = [
  ...crawlingChecks,
  ...addressChecks,
  ...snippetChecks,
  ...languageChecks,
  ...pageChecks,
]
