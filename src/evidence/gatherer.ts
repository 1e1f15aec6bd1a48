// What a gatherer is given: the target, the way to other evidence, and the check's end.
import type { CheckNetwork } from '../network/network.ts'
import type { Target } from '../target/target.ts'
import type { Evidence, EvidenceName } from './evidence.ts'

export interface GatherContext {
  readonly target: Target
  /** The moment of the check. */
  readonly now: Date
  /** Aborts when the check ends, for whatever reason; every socket opened for the check must go down with it. */
  readonly signal: AbortSignal
  /** Milliseconds on the monotonic clock (`performance.now()`) when the answer must leave. */
  readonly deadline: number
  /** The one way out, with this check's budgets. */
  readonly network: CheckNetwork
  /** What gatherers of this check have in common, each by a key of its own; it ends with the check. */
  readonly shared: Map<object, unknown>
  /** Other evidence, gathered at most once a check. Rejects as its gatherer did. */
  gather<Name extends EvidenceName>(name: Name): Promise<Evidence[Name]>
}

/** Yields one kind of evidence as plain JSON data. Rejects with `Unavailable` or `NotApplicable`; anything else is a defect. */
export type Gatherer<Name extends EvidenceName> = (context: GatherContext) => Promise<Evidence[Name]>
