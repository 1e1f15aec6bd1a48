// One line of the input as something to do: a target to check, or a fault to record.
import type { ParsedTarget, Target } from '../target/target.ts'

/** A line that names something, numbered from 1 as editors do it. */
export interface InputLine {
  readonly line: number
  /** As written, without the space around it. */
  readonly text: string
}

export interface Task extends InputLine {
  readonly target: Target
}

export interface RecordedError {
  /** A slug: that of a refused target, `analysis-unavailable` or `internal-error`. */
  readonly code: string
  readonly detail: string
}

/** What the interface says of nothing that could be looked at, by the same code. */
export const UNAVAILABLE = 'analysis-unavailable'
export const INTERNAL = 'internal-error'

/** A target has one key however it is written, so that it is checked once. */
export const targetKey = ({ domain, ip }: { readonly domain: string | null; readonly ip: string | null }): string =>
  domain ?? ip ?? ''

/** Lines that name no target are told apart by what they say; no target starts with an exclamation mark. */
export const faultKey = (text: string): string => `!${text}`

/** Octets of a line that are looked at: a name has at most 253, the rest is a fault that is shown in part. */
export const INPUT_LINE_BYTES = 1_024

export const parseLine = (
  text: string,
  parse: (asked: { domain: string | null; ip: string | null }) => ParsedTarget,
  isAddress: (text: string) => boolean,
): ParsedTarget => parse(isAddress(text) ? { domain: null, ip: text } : { domain: text, ip: null })
