// How much of a target was seen, and who is to blame for the rest: decides coverage, cache life and the coverage guard.
import { blameOf, DOMAIN_NOT_FOUND } from '../evidence/facts.ts'
import type { Outcome } from './analysis.ts'

/**
 * How far a result can be relied on, which decides how long it is kept.
 * - `complete`: all that applies was seen whole.
 * - `not_found`: likewise, and the name does not exist.
 * - `withheld`: the target or a third party withholds a part; asking again soon gets the same answer.
 * - `incomplete`: a part is missing because of us.
 */
export type ResultClass = 'complete' | 'not_found' | 'withheld' | 'incomplete'

export interface Completeness {
  readonly complete: boolean
  /** The part of what applies that was seen: 0 to 1, two decimals. */
  readonly ratio: number
  readonly class: ResultClass
}

/** What a section counts towards `ratio` when part of it could not be looked at. */
const PARTLY_SEEN = 0.5

type Judged = Pick<Outcome, 'status' | 'reason'>

/**
 * `isOurs` is asked about reasons that depend on our instruments: whether one of those is down or unproved. Without it
 * they count as ours.
 */
export function completeness(
  outcomes: ReadonlyMap<string, Judged>,
  isOurs: (reason: string) => boolean = () => true,
): Completeness {
  const applicable = [...outcomes.values()].filter(applies)
  const seen = applicable.reduce((sum, outcome) => sum + seenShare(outcome), 0)
  return {
    complete: applicable.every(isWhole),
    ratio: applicable.length === 0 ? 1 : Math.round((seen / applicable.length) * 100) / 100,
    class: classOf([...outcomes.values()], isOurs),
  }
}

/** Not what there is none of, and not what this installation has no source for. */
const applies = ({ status, reason }: Judged): boolean =>
  status !== 'not_applicable' && !(status === 'unavailable' && isNobodys(reason))

const isNobodys = (reason: string | null): boolean => reason !== null && blameOf(reason) === 'nobody'

const isWhole = ({ status, reason }: Judged): boolean =>
  status === 'completed' && (reason === null || isNobodys(reason))

const seenShare = (outcome: Judged): number => (isWhole(outcome) ? 1 : outcome.status === 'completed' ? PARTLY_SEEN : 0)

/** What we missed is looked at again first; a name that does not exist may soon be registered. */
function classOf(outcomes: readonly Judged[], isOurs: (reason: string) => boolean): ResultClass {
  const missing = outcomes.filter(outcome => applies(outcome) && !isWhole(outcome))
  if (missing.some(({ reason }) => isOurFault(reason ?? '', isOurs))) return 'incomplete'
  if (outcomes.some(({ reason }) => reason === DOMAIN_NOT_FOUND)) return 'not_found'
  return missing.length > 0 ? 'withheld' : 'complete'
}

function isOurFault(reason: string, isOurs: (reason: string) => boolean): boolean {
  const blame = blameOf(reason)
  return blame === 'ours' || (blame === 'depends' && isOurs(reason))
}
