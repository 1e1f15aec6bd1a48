// The result of judging one part of the evidence: the section's fields, the faults, and why something is unknown.
import type { Fault } from './faults.ts'

export interface Judgement<Part> {
  readonly part: Part
  readonly faults: readonly Fault[]
  /** The reason if the part, or some of it, could not be looked up. */
  readonly unknown: string | null
}

export type Status = 'valid' | 'invalid' | 'missing' | 'unknown'
