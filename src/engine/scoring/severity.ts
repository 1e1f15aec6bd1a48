// How serious a signal is for the decision to open, allow or trust the target. Pure.
import { HYGIENE } from './groups.ts'
import { SEVERITIES, type Severity, type SignalDefinition } from './signal.ts'
import { verdict } from './verdict.ts'

export { SEVERITIES, type Severity } from './signal.ts'

/** Severities that need a review before a target is allowed. */
export const SERIOUS: ReadonlySet<Severity> = new Set<Severity>(['critical', 'high'])

/** Poor hygiene is not a danger by itself: good sites have it too. */
const HYGIENE_AT_MOST: Severity = 'medium'

/** A third of the points that make a target suspicious, so three such signals do. */
const MEDIUM_FROM_POINTS = 10

/** Smaller is more serious. */
export const severityRank = (severity: Severity): number => SEVERITIES.indexOf(severity)

/**
 * The declared severity; without one, the verdict that weight or floor would reach alone decides: malicious is `critical`,
 * suspicious is `high`. Below that, `medium` from 10 points, `low` above 0, `info` at 0 and for signals that remove points.
 */
export function severityOf({ severity, weight, floor = 0, group }: SignalDefinition): Severity {
  if (severity !== undefined) return severity
  const derivedSeverity = derivedFrom(Math.max(weight, floor), weight)
  return group === HYGIENE && SERIOUS.has(derivedSeverity) ? HYGIENE_AT_MOST : derivedSeverity
}

function derivedFrom(alone: number, weight: number): Severity {
  const soleVerdict = verdict(Math.round(alone))
  if (soleVerdict === 'malicious') return 'critical'
  if (soleVerdict === 'suspicious') return 'high'
  if (weight >= MEDIUM_FROM_POINTS) return 'medium'
  return weight > 0 ? 'low' : 'info'
}

/** Why a signal cannot have the severity it declares, or null. */
export function severityFault({ severity, weight, group }: SignalDefinition): string | null {
  if (severity === undefined) return null
  if (!SEVERITIES.includes(severity)) return `"severity" must be one of ${SEVERITIES.join(', ')}`
  if (group === HYGIENE && SERIOUS.has(severity)) {
    return `a signal of group ${HYGIENE} cannot be ${severity}: ${HYGIENE_AT_MOST} at most`
  }
  return weight < 0 && severity !== 'info' ? `a signal that takes points off cannot be ${severity}: info only` : null
}

interface RatedSignal {
  readonly severity: Severity
  readonly points: number
  readonly id: string
}

/** Most serious first, then most points, then by id. */
export const bySeverity = (a: RatedSignal, b: RatedSignal): number =>
  severityRank(a.severity) - severityRank(b.severity) || b.points - a.points || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
