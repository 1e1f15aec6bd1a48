// What scoring is given, and what it answers.
import type { SignalDefinition, SignalFound } from './signal.ts'

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
