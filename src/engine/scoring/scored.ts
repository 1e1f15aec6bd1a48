// The input and output of scoring.
import type { Severity } from './severity.ts'
import type { RatedSignal, SignalFound, ThreatType } from './signal.ts'

/** The signals raised by one section. `definitions` come from the policy in force, by signal ID. */
export interface SectionSignals {
  readonly section: string
  readonly definitions: Readonly<Record<string, RatedSignal>>
  readonly signals: readonly SignalFound[]
}

/** A raised signal with its definition in the policy in force. */
export interface WeighedSignal {
  readonly section: string
  readonly definition: RatedSignal
  readonly signal: SignalFound
}

/** A raised signal with its points. */
export interface SignalDetail {
  readonly id: string
  readonly section: string
  readonly group: string
  /** That of the signal, independent of the points that the ceiling of its group leaves. */
  readonly severity: Severity
  readonly points: number
  /** The minimum score it sets, or null. */
  readonly floor: number | null
  /** Kinds of threat that it indicates; absent if an extension added the signal. */
  readonly threat_types?: readonly ThreatType[]
  readonly title: string
  readonly detail: string | null
  readonly evidence: Readonly<Record<string, unknown>>
}

export interface Scored {
  readonly risk_score: number
  readonly details: readonly SignalDetail[]
}
