// What judging one part of the evidence yields: the part of the section, the faults, and why something is not known.
import type { Fault } from './faults.ts'

export interface Judgement<Part> {
  readonly part: Part
  readonly faults: readonly Fault[]
  /** The reason when the part could not be looked at, or not wholly. */
  readonly unknown: string | null
}

export type Status = 'valid' | 'invalid' | 'missing' | 'unknown'

/** Entries of a list in the answer. */
export const LISTED = 50

/** Code units of a sentence or a single value in the answer. */
const SHOWN = 512
const QUOTED = 80

const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Short enough for the answer, and still well-formed. */
export const shown = (text: string): string => cut(text, SHOWN)

/** Short enough to be quoted in a sentence. */
export const quoted = (text: string): string => `"${text.length > QUOTED ? `${cut(text, QUOTED)}…` : text}"`
