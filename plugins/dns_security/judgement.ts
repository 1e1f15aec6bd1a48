// The result of judging one part of the evidence: the section's fields, the faults, and why something is unknown.
import type { DnsFault } from './faults.ts'

export interface PartJudgement<Part> {
  readonly part: Part
  readonly faults: readonly DnsFault[]
  /** The reason if the part, or some of it, could not be looked up. */
  readonly unknown: string | null
}

export type PartStatus = 'valid' | 'invalid' | 'missing' | 'unknown'
