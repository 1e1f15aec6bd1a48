// What scoring is given, and what it answers.
import type { Severity } from './severity.ts'
import type { RatedSignal, SignalFound, ThreatType } from './signal.ts'

/** What one section found. `definitions` are those of the policy in force, by signal id. */
export interface SectionSignals {
  readonly section: string
  readonly definitions: Readonly<Record<string, RatedSignal>>
  readonly found: readonly SignalFound[]
}

/** A found signal with its definition in the policy in force. */
export interface WeighedSignal {
  readonly section: string
  readonly definition: RatedSignal
  readonly found: SignalFound
}

/** A found signal with what it costs here. */
export interface SignalDetail {
  readonly id: string
  readonly section: string
  readonly group: string
  /** The signal's own, whatever its group's ceiling left of its points. */
  readonly severity: Severity
  readonly points: number
  /** The least score it leaves, or null. */
  readonly floor: number | null
  /** Kinds of threat that it speaks for; absent where an extension added the signal. */
  readonly threat_types?: readonly ThreatType[]
  readonly title: string
  readonly detail: string | null
  readonly evidence: Readonly<Record<string, unknown>>
}

export interface Scored {
  readonly risk_score: number
  readonly details: readonly SignalDetail[]
}
