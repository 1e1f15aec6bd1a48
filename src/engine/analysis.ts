// The state of a running check as it passes through the pipeline, and how checks end.
import type { Cpu } from '../base/cpu_queue.ts'
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { Target } from '../targets/target.ts'
import type { MissingSource } from './scoring/missing.ts'
import type { SignalFound } from './scoring/signal.ts'

/**
 * The result of one section. `section` is null unless it completed; `reason` says why not, or which part is unknown.
 */
export interface Outcome {
  readonly status: SectionStatus
  readonly reason: string | null
  readonly section: unknown
  readonly signals: readonly SignalFound[]
  readonly duration_ms: number
  /** Of an optional section without signals: nothing else in the result depends on it. */
  readonly supplementary?: true
}

/** The result of gathering one kind of evidence. `failed` is a defect of its gatherer. */
export type GatherOutcome<Value = unknown> =
  | { readonly status: 'gathered'; readonly value: Value }
  | { readonly status: 'unavailable' | 'not_applicable' | 'failed'; readonly reason: string }

/** A defect of the service or of a plugin. It is logged and never sent to the client. */
export interface Defect {
  readonly plugin: string
  readonly stage: string
  readonly error: unknown
}

/** A running check. Analyzers store their outcomes by section name. */
export interface Analysis {
  readonly target: Target
  readonly now: Date
  readonly outcomes: Map<string, Outcome>
  readonly defects: Defect[]
  /** Gathers at most once; never rejects. */
  gather<Name extends EvidenceName>(name: Name): Promise<GatherOutcome<Evidence[Name]>>
  /** Analyzers run in turns with other checks. */
  readonly cpu: Cpu
  /** The evidence gathered so far. */
  readonly evidence: ReadonlyMap<string, GatherOutcome>
  /** Names of evidence that an analyzer had no time to read: it counts as not seen. */
  readonly unread: Set<string>
  /** Expected sources that could not be used when the check began. */
  readonly missing: readonly MissingSource[]
  /** Milliseconds since the check started. */
  elapsed(): number
  /** Milliseconds until the deadline; zero or negative after it. */
  left(): number
}

/** Passed to observers after a check; `result` is null when there is none. */
export interface SettledAnalysis {
  readonly analysis: Analysis
  readonly result: Readonly<Record<string, unknown>> | null
  readonly duration_ms: number
}

export type SectionStatus = 'completed' | 'not_applicable' | 'unavailable' | 'failed'

export interface UnavailableCause {
  /** A slug: `resolver_timeout`, `way_out_no_route`, `gatherer_failed`, ... */
  readonly reason: string
  /** A sentence that names the instrument that is down; null if none is. */
  readonly detail?: string | null
  /** A local feed lists the target: an older result that calls it safe must not be served. */
  readonly listed?: boolean
}

/** One of our instruments is down, or nothing could be looked at: there is no result, and above all no safe one. */
export class AnalysisUnavailable extends Error {
  override readonly name = 'AnalysisUnavailable'
  readonly reason: string
  readonly detail: string | null
  readonly listed: boolean
  constructor({ reason, detail = null, listed = false }: UnavailableCause) {
    super(detail ?? `Analysis unavailable: ${reason}`)
    this.reason = reason
    this.detail = detail
    this.listed = listed
  }
}

/** The check was cancelled because no client waits for it. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}
