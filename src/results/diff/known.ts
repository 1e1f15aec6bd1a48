// The value that a result has at a path, and a change between two results.
import type { ComparedValue, Severity } from './rules.ts'

export type Result = Readonly<Record<string, unknown>>

export const UNKNOWN = Symbol('unknown')

interface SectionCoverage {
  readonly status: string
  readonly reason: string | null
}

export function sectionsOf(result: Result): Readonly<Record<string, SectionCoverage | undefined>> {
  const sections = valueAt(result, 'coverage.sections')
  return sections !== null && typeof sections === 'object' ? (sections as Record<string, SectionCoverage>) : {}
}

export function valueAt(result: Result, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], result)
}

const STATE_UNKNOWN = 'unknown'
/** The record is valid. It says nothing about a value that it lacks. */
const STATE_VALID = 'valid'

/** Something else was served in place of the page, so the section says nothing about the site itself. */
const isBlocked = (result: Result, section: string): boolean => valueAt(result, `${section}.blocked`) === true

/** The value, with null replaced by its meaning; `UNKNOWN` when the check could not determine it. */
export function knownValue(result: Result, { path, state, none, even_blocked }: ComparedValue): unknown {
  const section = path.split('.')[0] ?? ''
  if (!even_blocked && isBlocked(result, section)) return UNKNOWN
  const value = valueAt(result, path)
  const status = state === undefined ? undefined : valueAt(result, state)
  if (status === STATE_UNKNOWN || value === STATE_UNKNOWN) return UNKNOWN
  if (value !== null && value !== undefined) return value
  if (typeof status === 'string' && status !== STATE_VALID) return status
  return none !== undefined && isComplete(result, section) ? none : UNKNOWN
}

/** Whether the section is complete: no part of it is unknown. */
export function isComplete(result: Result, section: string): boolean {
  const coverage = sectionsOf(result)[section]
  return coverage?.status === 'completed' && coverage.reason === null
}

/** The check saw everything of the section, or that there is nothing to see. */
export const isSettled = (result: Result, section: string): boolean =>
  (isComplete(result, section) && !isBlocked(result, section)) ||
  sectionsOf(result)[section]?.status === 'not_applicable'

export interface Change {
  /** The changed member: `ssl_info.issuer`. */
  readonly path: string
  readonly severity: Severity
  /** A sentence without a full stop. Values in it may be truncated. */
  readonly message: string
  /** Plain data. */
  readonly before: unknown
  readonly after: unknown
}
