// How much of a target was seen, and who is to blame for the gaps: determines coverage, cache lifetime and the coverage
// guard.
import { blameOf, DOMAIN_NOT_FOUND } from '../evidence/facts.ts'
import type { Outcome } from './analysis.ts'
import type { MissingSource } from './scoring/missing.ts'

/**
 * How reliable a result is, which determines how long it is cached.
 * - `complete`: everything applicable was fully seen.
 * - `not_found`: the same, and the name does not exist.
 * - `withheld`: the target or a third party withholds a part, or the source of a section that only adds facts did not answer,
 *   or not in full; a retry would get the same answer.
 * - `incomplete`: a part is missing because of us.
 */
export type ResultClass = 'complete' | 'not_found' | 'withheld' | 'incomplete'

/** The weight of a partly seen section in `ratio`. */
const PARTLY_SEEN = 0.5

type OutcomeStatus = Pick<Outcome, 'status' | 'reason' | 'supplementary'>

/**
 * `isOurs` is called for reasons that depend on our instruments: whether one of them is down or unproved. Without it
 * they count as ours. `missing` are expected sources that could not be used: a result without them is incomplete, whatever the
 * sections say.
 */
export function completeness(
  outcomes: ReadonlyMap<string, OutcomeStatus>,
  isOurs: (reason: string) => boolean = () => true,
  missing: readonly MissingSource[] = [],
) {
  const applicable = [...outcomes.values()].filter(applies)
  const totalShare = applicable.reduce((sum, outcome) => sum + seenShare(outcome), 0)
  return {
    complete: applicable.every(isWhole) && missing.length === 0,
    /** The fraction of applicable sections that was seen: 0 to 1, two decimals. */
    ratio: applicable.length === 0 ? 1 : Math.round((totalShare / applicable.length) * 100) / 100,
    class: missing.length > 0 ? 'incomplete' : classOf([...outcomes.values()], isOurs),
  }
}

/**
 * A section does not apply if it has nothing to see or no source in this installation. Nor does a section that only adds facts if its
 * source did not answer, or not in full.
 */
const applies = (outcome: OutcomeStatus): boolean =>
  outcome.status !== 'not_applicable' &&
  !(outcome.status === 'unavailable' && isNobodys(outcome.reason)) &&
  !isSilentSupplement(outcome)

const isSilentSupplement = (outcome: OutcomeStatus): boolean =>
  outcome.supplementary === true &&
  (outcome.status === 'unavailable' || outcome.status === 'completed') &&
  !isWhole(outcome) &&
  !isNobodys(outcome.reason)

const isNobodys = (reason: string | null): boolean => reason !== null && blameOf(reason) === 'nobody'

const isWhole = ({ status, reason }: OutcomeStatus): boolean =>
  status === 'completed' && (reason === null || isNobodys(reason))

const seenShare = (outcome: OutcomeStatus): number =>
  isWhole(outcome) ? 1 : outcome.status === 'completed' ? PARTLY_SEEN : 0

/** Parts missing because of us expire first; then missing names, which may soon be registered. */
function classOf(outcomes: readonly OutcomeStatus[], isOurs: (reason: string) => boolean): ResultClass {
  const missing = outcomes.filter(outcome => applies(outcome) && !isWhole(outcome))
  if (missing.some(({ reason }) => isOurFault(reason ?? '', isOurs))) return 'incomplete'
  if (outcomes.some(({ reason }) => reason === DOMAIN_NOT_FOUND)) return 'not_found'
  // Checked again sooner, because its source may answer then.
  return missing.length > 0 || outcomes.some(isSilentSupplement) ? 'withheld' : 'complete'
}

function isOurFault(reason: string, isOurs: (reason: string) => boolean): boolean {
  const blame = blameOf(reason)
  return blame === 'ours' || (blame === 'depends' && isOurs(reason))
}
