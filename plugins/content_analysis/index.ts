// content_analysis (alias site_content): page metadata, contacts and forms, and signals of phishing.
import {
  analyzer,
  ConfiguredBrands,
  configuredBrands,
  type Evidence,
  findRefresh,
  findUndrawn,
  mainReason,
  missedReason,
  raise,
  servedFields,
  Type,
  unseen,
  withServed,
  words,
} from '../../src/engine/plugin.ts'
import { seeBrands } from './brand_sights.ts'
import { seeForms } from './forms.ts'
import { segmentsOf } from './own_name.ts'
import { factsOf, type PageFacts } from './page_model/facts.ts'
import { createPageJudge, type PageJudgement, type PageModel } from './page_model/judge.ts'
import weights from './page_model/weights.json' with { type: 'json' }
import { presentation } from './presentation.ts'
import { fitsItsHost, presentedBrand } from './presented.ts'
import { describe, Section } from './section.ts'
import type { Onward } from './sight.ts'
import { signals } from './signals.ts'
import { resolveUrl } from './text.ts'

const Options = Type.Object({ brands: ConfiguredBrands }, { additionalProperties: false })

/** With a page model of its own, for measuring one that was trained on other pages. */
export function createContentAnalysis(model: PageModel) {
  const judgePage = createPageJudge(model)
  return analyzer({
    name: 'content_analysis',
    description: 'Title, description, contacts, social profiles and forms of the page, and signals of phishing.',
    targets: ['domain', 'ip'],
    needs: ['served'],
    wants: ['document', 'page', 'tls', 'addresses', 'location', 'registration', 'icon'],
    presentation,
    schema: Section,
    options: Options,
    signals,
    aliases: ['site_content'],
    analyze({ served, document, page: visit, icon, ...evidence }, { target, options, missing }) {
      const response = servedFields(served)
      if (!response.ok) return { ...response.finding, signals: [] }
      if (document === null) return { unavailable: 'no_document' }
      const { fields } = response
      const undrawn = findUndrawn({ page: visit, served, document })
      // No field of the section depends on whose the name is, and a site without an icon is seen as well.
      const { tls: _, addresses: __, location: ___, registration: ____, icon: _____, ...sources } = missing
      const reasons = [response.unread.unknown ?? null, undrawn, missedReason(sources)]
      const unknownPart = { unknown: mainReason(reasons.filter(reason => reason !== null)) }
      const parkedSignals = served.kind === 'parking' ? [parkedBy(served.rule)] : []
      const page = resolveUrl(document.url, fields.evaluated_url)
      if (!document.is_html || page === null) {
        return { section: unseen(Section, fields), signals: parkedSignals, unknown: unknownPart.unknown ?? 'not_html' }
      }
      const forms = seeForms(document)
      const refresh = findRefresh(document)
      const name = target.domain === null ? null : { name: target.domain, seen: evidence }
      const sights = seeBrands(document, page, configuredBrands(options.brands), name)
      const facts = factsOf(document, page, sights)
      const onward = followedFrom(visit)
      const brand = presentedBrand(facts, page, sights)
      const isNamed = sights.atHome || fitsItsHost(document, page, sights)
      const sight = {
        page,
        document,
        blocked: fields.blocked,
        forms,
        refresh,
        onward,
        sights,
        presented: brand,
        isNamed,
        facts,
        judgement: judgeTitle(judgePage, facts, isNamed),
      }
      const section = fields.blocked
        ? unseen(Section, fields)
        : withServed(fields, describe(document, { icon, forms, refresh, undrawn }))
      return { section, signals: [...raise(signals, sight), ...parkedSignals], ...unknownPart }
    },
  })
}

export default createContentAnalysis(weights)

/** Kits can put any name at an end of the title: a page that resembles them is judged without it, unless it fits the host. */
function judgeTitle(judge: (facts: PageFacts) => PageJudgement, facts: PageFacts, isNamed: boolean): PageJudgement {
  const judgement = judge(facts)
  const segments = segmentsOf(facts.title)
  if (isNamed || judgement.level !== 'possible' || segments.length < 2) return judgement
  return [segments.slice(0, -1), segments.slice(1)]
    .map(rest => judge({ ...facts, title: rest.join(' – ') }))
    .reduce((one, other) => (other.odds > one.odds ? other : one), judgement)
}

function followedFrom(page: Evidence['page'] | null): Onward | null {
  if (page?.handover === undefined) return null
  const { at, by, seconds, frame } = page.handover
  const next = by === 'frame' ? frame?.[0] : page.exchanges[at + 1]
  const [from = '', to = ''] = [page.exchanges[at]?.url, next?.url]
  if (!URL.canParse(from) || !URL.canParse(to)) return null
  return { from: new URL(from), to: new URL(to), by, seconds: seconds ?? 0 }
}

const parkedBy = (rule: string | null) =>
  ({
    id: 'parked_domain',
    detail: `The page is a placeholder${rule === null ? '' : ` (${words(rule)})`}.`,
    evidence: { rule },
  }) as const
