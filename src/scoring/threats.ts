// Kinds of threat, and which of them the signals of a result speak for. Pure.
import type { Recommendation } from './recommendation.ts'
import type { SignalDetail } from './scored.ts'
import { bySeverity } from './severity.ts'
import { THREAT_TYPES, type ThreatType } from './signal.ts'

export { THREAT_TYPES, type ThreatType } from './signal.ts'

/** Whether it is a list of nothing else. */
export const isThreatTypes = (value: unknown): value is readonly ThreatType[] =>
  Array.isArray(value) && value.every(isThreatType)

export const isThreatType = (word: unknown): word is ThreatType => THREAT_TYPES.some(one => one === word)

/**
 * Each kind once, that of the most serious signal first. None for a target that is allowed: what is left of its
 * signals is too little to accuse it of anything.
 */
export function threatTypes(
  recommendation: Recommendation,
  details: readonly Pick<SignalDetail, 'id' | 'severity' | 'points' | 'threat_types'>[],
): ThreatType[] {
  if (recommendation === 'allow') return []
  return [...new Set([...details].sort(bySeverity).flatMap(({ threat_types = [] }) => threat_types))]
}
