// Outcomes and points become one object: head, sections in registration order, coverage.
import { DOMAIN_NOT_FOUND, NOT_CONFIGURED } from '../evidence/decline.ts'
import type { Scored, SignalDetail, WeighedSignal } from '../scoring/scored.ts'
import { verdict } from '../scoring/verdict.ts'
import type { Analysis, Outcome } from './analysis.ts'
import type { Registry } from './registry.ts'
import { extensionFields } from './result_schema.ts'

/** Decides how long an answer may be kept: knowledge longest, what lacks a part shortest. */
export type ResultClass = 'complete' | 'incomplete' | 'not_found'

/** What a section counts towards `ratio` when part of it could not be looked at. */
const PARTLY_KNOWN = 0.5

/** Signals of all sections with the definitions this policy has for them, in registration order. */
export function weigh(registry: Registry, outcomes: ReadonlyMap<string, Outcome>): WeighedSignal[] {
  return registry.analyzers.flatMap(({ analyzer: { name }, signals }) =>
    (outcomes.get(name)?.signals ?? []).flatMap(found => {
      const definition = signals[found.id]
      return definition ? [{ section: name, definition, found }] : []
    }),
  )
}

/** The result before extensions see it; without the members that are the request's own. */
export function compose(
  registry: Registry,
  analysis: Analysis,
  scored: Scored,
  policy: string,
): Record<string, unknown> {
  const { target, outcomes } = analysis
  const judged = verdict(scored.risk_score)
  return {
    domain: target.domain,
    ip: target.ip,
    risk_score: scored.risk_score,
    verdict: judged,
    is_malicious: judged === 'malicious',
    signals: scored.details.filter(isThreat(registry)).map(({ id }) => id),
    signal_details: scored.details,
    ...Object.fromEntries(extensionFields(registry).map(([name]) => [name, null])),
    ...sections(registry, outcomes),
    coverage: coverage(outcomes),
    scoring_policy: policy,
    checked_at: `${analysis.now.toISOString().slice(0, 19)}Z`,
  }
}

/** What raises the score, and what would have raised it, had the others of its group left anything of the ceiling. */
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

function coverage(outcomes: ReadonlyMap<string, Outcome>) {
  const applicable = [...outcomes.values()].filter(({ status }) => status !== 'not_applicable')
  const known = applicable.reduce((sum, outcome) => sum + knownShare(outcome), 0)
  return {
    complete: known === applicable.length,
    ratio: applicable.length === 0 ? 1 : Math.round((known / applicable.length) * 100) / 100,
    sections: Object.fromEntries(
      [...outcomes].map(([name, { status, reason, duration_ms }]) => [name, { status, reason, duration_ms }]),
    ),
  }
}

const knownShare = ({ status, reason }: Outcome) => (status !== 'completed' ? 0 : reason === null ? 1 : PARTLY_KNOWN)

/** What this installation does not have, now or ever, does not make a result short-lived; what it missed this time does. */
export function classify(outcomes: ReadonlyMap<string, Outcome>): ResultClass {
  const all = [...outcomes.values()]
  const missed = all.some(
    outcome =>
      outcome.status !== 'not_applicable' &&
      outcome.reason !== NOT_CONFIGURED &&
      outcome.lasting !== true &&
      knownShare(outcome) < 1,
  )
  if (missed) return 'incomplete'
  return all.some(({ reason }) => reason === DOMAIN_NOT_FOUND) ? 'not_found' : 'complete'
}
