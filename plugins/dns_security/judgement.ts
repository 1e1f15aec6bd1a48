// What judging one part of the evidence yields: the part of the section, the faults, and why something is not known.
import type { Fault } from './faults.ts'

export interface Judgement<Part> {
  readonly part: Part
  readonly faults: readonly Fault[]
  /** The reason when the part could not be looked at, or not wholly. */
  readonly unknown: string | null
}

export type Status = 'valid' | 'invalid' | 'missing' | 'unknown'
