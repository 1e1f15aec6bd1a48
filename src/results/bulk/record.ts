// One line of the input as a task, and one line of the results: a result or an error, with the input line that it belongs to.

import { RECOMMENDATIONS, type Recommendation } from '../../engine/scoring/recommendation.ts'
import type { Target, TargetUrl } from '../../targets/target.ts'
import { URL_CHARACTERS } from '../../targets/url.ts'

/** A line of the input that is neither empty nor a comment, numbered from 1. */
export interface InputLine {
  readonly line: number
  /** As written, trimmed. */
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

/** The codes that the API uses for the same errors. */
export const UNAVAILABLE = 'analysis-unavailable'
export const INTERNAL = 'internal-error'

/** All spellings of a target have the same key, so that it is checked once. */
export const targetKey = (target: TargetFields): string => urlOf(target) ?? target.domain ?? target.ip ?? ''

/** A target, or a record. Records of earlier versions have no URL. */
export interface TargetFields {
  readonly domain: string | null
  readonly ip: string | null
  readonly url?: TargetUrl | string | null
}

const urlOf = ({ url = null }: TargetFields): string | null => (typeof url === 'object' ? (url?.href ?? null) : url)

/** The key of an invalid line is its text; no target starts with an exclamation mark. */
export const faultKey = (text: string): string => `!${text}`

/** Octets of a line that are read: the longest URL and its fragment; longer lines are shown in part. */
export const INPUT_LINE_BYTES = 2 * URL_CHARACTERS

export type Result = Readonly<Record<string, unknown>>

interface InputOrigin {
  /** The line of the input as written. */
  readonly input: string
  /** Its number, from 1. */
  readonly line: number
}

/** A result as the API returns it, with its input line. */
export type ResultRecord = InputOrigin & Result

export interface ErrorRecord extends InputOrigin {
  /** Null when the line is not a valid target. */
  readonly domain: string | null
  readonly ip: string | null
  readonly url: string | null
  readonly error: RecordedError
}

export type BulkRecord = ResultRecord | ErrorRecord

/** Members of a record, which no section may use as its name. */
export const RECORD_MEMBERS: readonly string[] = ['input', 'line', 'error', 'changes', 'not_compared', 'accepted']

export const resultRecord = ({ text, line }: InputLine, result: Result): ResultRecord => ({
  input: text,
  line,
  ...result,
})

export const errorRecord = (
  { text, line }: InputLine,
  target: TargetFields | null,
  error: RecordedError,
): ErrorRecord => ({
  input: text,
  line,
  domain: target?.domain ?? null,
  ip: target?.ip ?? null,
  url: target === null ? null : urlOf(target),
  error,
})

export const isError = (record: BulkRecord): record is ErrorRecord => 'error' in record

/** The recommendation of a result. Results of earlier versions have none and never count as allowed. */
export function recommendationOf({ recommendation, verdict }: Result): Recommendation {
  const recommendationName = RECOMMENDATIONS.find(one => one === recommendation)
  return recommendationName ?? (verdict === 'malicious' ? 'block' : 'review')
}

/** Whether the coverage is incomplete. */
export const isIncomplete = ({ coverage }: Result): boolean =>
  (coverage as { readonly complete?: unknown } | null | undefined)?.complete === false

/** Whether the next run retries the target, because nothing was learned about it. */
export const isOpen = (record: BulkRecord): boolean =>
  isError(record) && (record.error.code === UNAVAILABLE || record.error.code === INTERNAL)

export const recordKey = (record: BulkRecord): string => {
  const domain = record.domain as string | null
  const ip = record.ip as string | null
  const url = (record.url ?? null) as string | null
  return domain === null && ip === null ? faultKey(record.input) : targetKey({ domain, ip, url })
}

/** Parses a record; null when the text is not one. */
export function parseRecord(text: string): BulkRecord | null {
  try {
    const value = JSON.parse(text) as BulkRecord
    return isSound(value) ? value : null
  } catch {
    return null
  }
}

/** Throws when the value is not an object. */
function isSound(value: BulkRecord): boolean {
  const { input, line, domain, ip, url = null } = value
  const isName = (one: unknown) => one === null || typeof one === 'string'
  if (typeof input !== 'string' || typeof line !== 'number' || !isName(domain) || !isName(ip) || !isName(url))
    return false
  if (isError(value)) return typeof value.error.code === 'string'
  return typeof value['verdict'] === 'string' && Array.isArray(value['signal_details'])
}
