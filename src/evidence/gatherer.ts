// The context of a gatherer: the target, the network, other evidence, and the end of the check.
import type { Cpu } from '../base/cpu_queue.ts'
import type { NoteWait } from '../base/scheduler/queue.ts'
import type { CheckNetwork } from '../network/network.ts'
import type { Target } from '../targets/target.ts'

/** `Others` is the evidence that the gatherer can request, by name. */
export interface GatherContext<Others = object> {
  readonly target: Target
  /** The time of the check. */
  readonly now: Date
  /** Aborts when the check ends for any reason. Every socket opened for the check must then close. */
  readonly signal: AbortSignal
  /** When the result must be sent, in milliseconds on the monotonic clock (`performance.now()`). */
  readonly deadline: number
  /** The only access to the network, with the budgets of this check. */
  readonly network: CheckNetwork
  /** Runs work that takes milliseconds, such as parsing, in turns with other checks. */
  readonly cpu: Cpu
  /** Who asks, by any name: clients take turns. */
  readonly client?: string | undefined
  /** Notes how long it waited for a resource, for the log. */
  readonly waited?: NoteWait | undefined
  /** State that gatherers of this check share, each under its own key. */
  readonly shared: Map<object, unknown>
  /** Other evidence, gathered at most once per check. Rejects with the error of its gatherer. */
  gather<Name extends keyof Others & string>(name: Name): Promise<Others[Name]>
  /**
   * For a gatherer of evidence that the result should not wait for: resolves when the check waits for nothing but such
   * evidence. Absent where that is not known.
   */
  rest?(name: string): Promise<void>
}

/**
 * Returns one kind of evidence as plain JSON data. Rejects with `Unavailable` or `NotApplicable`; any other error is a
 * defect.
 */
export type Gatherer<Facts, Others = object> = (context: GatherContext<Others>) => Promise<Facts>
