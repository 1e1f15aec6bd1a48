// Signals: what a plugin may notice, and what it noticed.

/** What a signal costs. `weight` in points (negative mitigates, 0 informs); `floor` is the least score it leaves. */
export interface SignalDefinition {
  readonly weight: number
  /** Whose ceiling its points count against: `reputation`, `identity`, `content`, `network`, `transport`, `hygiene`, `trust`. */
  readonly group: string
  /** A few words for people, without a full stop. */
  readonly title: string
  readonly floor?: number
}

/** A signal that was noticed. */
export interface SignalFound<Id extends string = string> {
  readonly id: Id
  /** Share of the weight it earns, 0 to 1; 1 when absent. */
  readonly strength?: number
  /** A sentence about this target. */
  readonly detail?: string
  /** Plain data a reader can verify it by. */
  readonly evidence?: Readonly<Record<string, unknown>>
}
