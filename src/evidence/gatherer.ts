// What a gatherer receives: the target, the network, other evidence, and the end of the check.
import type { CheckNetwork } from '../network/network.ts'
import type { Target } from '../targets/target.ts'

/** `Others` is the evidence that a gatherer may ask for, by name. */
export interface GatherContext<Others = object> {
  readonly target: Target
  /** The moment of the check. */
  readonly now: Date
  /** Aborts when the check ends, for whatever reason. Every socket opened for the check must close with it. */
  readonly signal: AbortSignal
  /** Milliseconds on the monotonic clock (`performance.now()`) when the result must be sent. */
  readonly deadline: number
  /** The only access to the network, with this check's budgets. */
  readonly network: CheckNetwork
  /** State that gatherers of this check share, each under a key of its own. It ends with the check. */
  readonly shared: Map<object, unknown>
  /** Other evidence, gathered at most once a check. Rejects as its gatherer did. */
  gather<Name extends keyof Others & string>(name: Name): Promise<Others[Name]>
}

/** Yields one kind of evidence as plain JSON data. Rejects with `Unavailable` or `NotApplicable`; anything else is a defect. */
export type Gatherer<Facts, Others = object> = (context: GatherContext<Others>) => Promise<Facts>
