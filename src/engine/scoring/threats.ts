// Kinds of threat, and the kinds that the signals of a result indicate. Pure.
import type { Recommendation } from './recommendation.ts'
import type { SignalDetail } from './scored.ts'
import { bySeverity } from './severity.ts'
import { THREAT_TYPES, type ThreatType } from './signal.ts'

export { THREAT_TYPES, type ThreatType } from './signal.ts'

/** Whether the value is a list of kinds of threat. */
export const isThreatTypes = (value: unknown): value is readonly ThreatType[] =>
  Array.isArray(value) && value.every(isThreatType)

export const isThreatType = (word: unknown): word is ThreatType => THREAT_TYPES.some(one => one === word)

/**
 * Each kind once, kinds of the most serious signal first. Empty for a target that is allowed, because its remaining signals prove
 * nothing.
 */
export function threatTypes(
  recommendation: Recommendation,
  details: readonly Pick<SignalDetail, 'id' | 'severity' | 'points' | 'threat_types'>[],
): ThreatType[] {
  if (recommendation === 'allow') return []
  return [...new Set([...details].sort(bySeverity).flatMap(({ threat_types = [] }) => threat_types))]
}
