// Conditions beside the signals that they raise: a plugin declares each signal in one place, and `raise` finds those that apply.
import type { SignalDefinition, SignalFound } from './scoring/signal.ts'

/** What is said of a raised signal besides its ID. */
export type Raised = Omit<SignalFound, 'id'>

/** A signal with the condition that raises it. */
export interface ConditionalSignal<Facts> extends SignalDefinition {
  /** A pure function of what the analyzer found. Absent if `analyze` raises the signal itself. */
  readonly when?: (facts: Facts) => Raised | false | null | undefined
}

/** Signals by ID, each with what to do about it: `const signals = { … } satisfies Signals<Facts>` keeps the IDs for the compiler. */
export type Signals<Facts = never> = Readonly<
  Record<string, ConditionalSignal<Facts> & Required<Pick<SignalDefinition, 'advice'>>>
>

/** The signals with a condition that holds, in the order of their declaration. */
export const raise = <Facts, Id extends string>(
  signals: Readonly<Record<Id, ConditionalSignal<Facts>>>,
  facts: Facts,
): SignalFound<Id>[] =>
  Object.entries<ConditionalSignal<Facts>>(signals).flatMap(([id, { when }]) => {
    const finding = when?.(facts)
    return finding ? [{ id: id as Id, ...finding }] : []
  })
