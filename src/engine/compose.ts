// Combines outcomes and points into one object: head, sections in registration order, coverage.
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import { URL_CHARACTERS } from '../targets/url.ts'
import type { Analysis, Outcome } from './analysis.ts'
import { completeness } from './completeness.ts'
import type { Registry } from './registry.ts'
import { extensionFields } from './result_schema.ts'
import { type Confidence, confidence } from './scoring/confidence.ts'
import { type Recommendation, recommendation, recommendationReason } from './scoring/recommendation.ts'
import type { Scored, SectionSignals, SignalDetail } from './scoring/scored.ts'
import { type ThreatType, threatTypes } from './scoring/threats.ts'
import { type Verdict, verdict } from './scoring/verdict.ts'
import { sightingsOf } from './sightings.ts'

/** The signals of each section with their definitions, in registration order, for scoring. */
export const sectionSignals = ({ analyzers }: Registry, outcomes: ReadonlyMap<string, Outcome>): SectionSignals[] =>
  analyzers.map(({ analyzer: { name }, signals }) => ({
    section: name,
    definitions: signals,
    signals: outcomes.get(name)?.signals ?? [],
  }))

/** The result before extensions change it, without the request-specific members. */
export function compose(
  registry: Registry,
  analysis: Analysis,
  scored: Scored,
  policy: string,
): Record<string, unknown> {
  const { target, outcomes } = analysis
  return {
    // The service that keeps results names them.
    result_id: null,
    domain: target.domain,
    ip: target.ip,
    url: target.url?.href ?? null,
    final_url: target.url === null ? null : finalUrl(analysis),
    host_verdict: gatheredValue(analysis, 'host_result')?.verdict ?? null,
    risk_score: scored.risk_score,
    ...judge(scored, analysis),
    signals: scored.details.filter(isThreat(registry)).map(({ id }) => id),
    signal_details: scored.details,
    ...Object.fromEntries(extensionFields(registry).map(([name]) => [name, null])),
    ...sections(registry, outcomes),
    coverage: coverage(analysis),
    scoring_policy: policy,
    checked_at: `${analysis.now.toISOString().slice(0, 19)}Z`,
  }
}

/** Null when no page answered. */
const finalUrl = (analysis: Analysis): string | null =>
  gatheredValue(analysis, 'served')?.url?.slice(0, URL_CHARACTERS) ?? null

/** As gathered, without validation: an extension may return another shape. */
function gatheredValue<Name extends EvidenceName>({ evidence }: Analysis, name: Name): Partial<Evidence[Name]> | null {
  const gatherOutcome = evidence.get(name)
  return gatherOutcome?.status === 'gathered' ? (gatherOutcome.value as Partial<Evidence[Name]>) : null
}

/** The judgement of the score and the evidence seen. */
export interface Judgement {
  readonly verdict: Verdict
  readonly is_malicious: boolean
  readonly threat_types: readonly ThreatType[]
  readonly recommendation: Recommendation
  readonly recommendation_reason: string
  readonly confidence: Confidence
}

export function judge(
  { risk_score, details }: Scored,
  analysis: Parameters<typeof sightingsOf>[0] & Partial<Pick<Analysis, 'missing'>>,
): Judgement {
  const sightings = sightingsOf(analysis)
  const { missing = [] } = analysis
  const sure = confidence(sightings, details, missing)
  const judgement = { risk_score, verdict: verdict(risk_score), confidence: sure, details, missing }
  const advice = recommendation(judgement)
  return {
    verdict: judgement.verdict,
    is_malicious: judgement.verdict === 'malicious',
    threat_types: threatTypes(advice, details),
    recommendation: advice,
    recommendation_reason: recommendationReason(judgement, sightings),
    confidence: judgement.confidence,
  }
}

/** Whether a signal raises the score, or would raise it if its group were below the ceiling. */
function isThreat({ analyzers }: Registry): (detail: SignalDetail) => boolean {
  const weights = new Map(
    analyzers.flatMap(({ signals }) => Object.entries(signals).map(([id, { weight }]) => [id, weight] as const)),
  )
  return ({ id, points, floor }) => points > 0 || floor !== null || (weights.get(id) ?? 0) > 0
}

function sections(registry: Registry, outcomes: ReadonlyMap<string, Outcome>): Record<string, unknown> {
  const entries = registry.analyzers.flatMap(({ analyzer: { name, aliases = [] } }) => {
    const section = outcomes.get(name)?.section ?? null
    return [name, ...aliases].map(field => [field, section] as const)
  })
  return Object.fromEntries(entries)
}

function coverage({ outcomes, missing }: Analysis) {
  const { complete, ratio } = completeness(outcomes, undefined, missing)
  return {
    complete,
    ratio,
    ...(missing.length > 0 && { missing: missing.map(({ id }) => id) }),
    sections: Object.fromEntries(
      [...outcomes].map(([name, { status, reason, duration_ms }]) => [name, { status, reason, duration_ms }]),
    ),
  }
}
