// What passes through the pipeline while a check runs.
import type { SectionStatus } from './outcome.ts'
import type { SignalDefinition, SignalFound } from './plugin.ts'
import type { Target } from './target.ts'

/** How one section went; `section` is null unless it completed. */
export interface Outcome {
  readonly status: SectionStatus
  readonly reason: string | null
  readonly section: unknown
  readonly signals: readonly SignalFound[]
  readonly duration_ms: number
}

/** One check under way: analyzers deposit outcomes by section name. */
export interface Analysis {
  readonly target: Target
  readonly now: Date
  readonly outcomes: Map<string, Outcome>
}

/** A found signal with what it costs here. */
export interface SignalDetail {
  readonly id: string
  readonly section: string
  readonly group: string
  readonly points: number
  readonly title: string
  readonly detail: string | null
  readonly evidence: Readonly<Record<string, unknown>>
}

export interface Scored {
  readonly risk_score: number
  readonly details: readonly SignalDetail[]
}

/** A definition as this policy has it. */
export interface WeighedSignal {
  readonly section: string
  readonly definition: SignalDefinition
  readonly found: SignalFound
}

/** Told to observers when a check has ended. */
export interface Settled {
  readonly target: Target
  readonly result: unknown
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** Defects met on the way: which plugin, at which stage, and the error itself (for the log, never for the client). */
  readonly defects: readonly { readonly plugin: string; readonly stage: string; readonly error: unknown }[]
  readonly duration_ms: number
}
