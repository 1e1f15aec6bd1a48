// What passes through the pipeline while a check runs.
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { SectionStatus } from './outcome.ts'
import type { SignalDefinition, SignalFound } from './signal.ts'
import type { Target } from './target.ts'

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
}

/** A found signal with its definition as this policy has it. */
export interface WeighedSignal {
  readonly section: string
  readonly definition: SignalDefinition
  readonly found: SignalFound
}

/** A found signal with what it costs here. */
export interface SignalDetail {
  readonly id: string
  readonly section: string
  readonly group: string
  readonly points: number
  /** The least score it leaves, or null. */
  readonly floor: number | null
  readonly title: string
  readonly detail: string | null
  readonly evidence: Readonly<Record<string, unknown>>
}

export interface Scored {
  readonly risk_score: number
  readonly details: readonly SignalDetail[]
}

/** Told to observers when a check has ended; `result` is null when none could be given. */
export interface Settled {
  readonly analysis: Analysis
  readonly result: Readonly<Record<string, unknown>> | null
  readonly duration_ms: number
}
