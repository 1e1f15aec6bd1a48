// What passes through the pipeline while a check runs.
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { SignalFound } from '../scoring/signal.ts'
import type { Target } from '../targets/target.ts'
import type { SectionStatus } from './outcome.ts'

/** How one section went; `section` is null unless it completed, `reason` tells why not, or which part is unknown. */
export interface Outcome {
  readonly status: SectionStatus
  readonly reason: string | null
  readonly section: unknown
  readonly signals: readonly SignalFound[]
  readonly duration_ms: number
}

/** How one kind of evidence went. `failed` is a defect of its gatherer. */
export type Gathered<Value = unknown> =
  | { readonly status: 'gathered'; readonly value: Value }
  | { readonly status: 'unavailable' | 'not_applicable' | 'failed'; readonly reason: string }

/** A fault of ours or of a plugin's, for the log and never for the client. */
export interface Defect {
  readonly plugin: string
  readonly stage: string
  readonly error: unknown
}

/** One check under way. Analyzers deposit their outcomes by section name. */
export interface Analysis {
  readonly target: Target
  readonly now: Date
  readonly outcomes: Map<string, Outcome>
  readonly defects: Defect[]
  /** Gathers, at most once; never rejects. */
  gather<Name extends EvidenceName>(name: Name): Promise<Gathered<Evidence[Name]>>
  /** What has been gathered so far. */
  readonly evidence: ReadonlyMap<string, Gathered>
  /** Milliseconds since the check began. */
  elapsed(): number
  /** Milliseconds until it must have answered; none or less when its time is up. */
  left(): number
}

/** Told to observers when a check has ended; `result` is null when none could be given. */
export interface Settled {
  readonly analysis: Analysis
  readonly result: Readonly<Record<string, unknown>> | null
  readonly duration_ms: number
}
