// What one line of the results says: the whole result, or why there is none, and which line of the input asked for it.
import { faultKey, INTERNAL, type InputLine, type RecordedError, targetKey, UNAVAILABLE } from './task.ts'

export type Result = Readonly<Record<string, unknown>>

export interface Asked {
  /** The line of the input as written. */
  readonly input: string
  /** Its number, from 1. */
  readonly line: number
}

/** A result as the interface gives it, with the line that asked for it. */
export type ResultRecord = Asked & Result

export interface ErrorRecord extends Asked {
  /** Null when the line names no target. */
  readonly domain: string | null
  readonly ip: string | null
  readonly error: RecordedError
}

export type BulkRecord = ResultRecord | ErrorRecord

/** Members of a record that no section may have for its name. */
export const RECORD_MEMBERS: readonly string[] = ['input', 'line', 'error', 'changes', 'not_compared']

export const resultRecord = ({ text, line }: InputLine, result: Result): ResultRecord => ({
  input: text,
  line,
  ...result,
})

export const errorRecord = (
  { text, line }: InputLine,
  target: { readonly domain: string | null; readonly ip: string | null } | null,
  error: RecordedError,
): ErrorRecord => ({ input: text, line, domain: target?.domain ?? null, ip: target?.ip ?? null, error })

export const isError = (record: BulkRecord): record is ErrorRecord => 'error' in record

/** Tried again when the run goes on: nothing was learned of the target, and the next time may learn it. */
export const isOpen = (record: BulkRecord): boolean =>
  isError(record) && (record.error.code === UNAVAILABLE || record.error.code === INTERNAL)

export const recordKey = (record: BulkRecord): string => {
  const domain = record.domain as string | null
  const ip = record.ip as string | null
  return domain === null && ip === null ? faultKey(record.input) : targetKey({ domain, ip })
}

/** A record from a line of a file; null when it is none. */
export function parseRecord(text: string): BulkRecord | null {
  try {
    const value = JSON.parse(text) as BulkRecord
    return isSound(value) ? value : null
  } catch {
    return null
  }
}

/** Throws for what has no members. */
function isSound(value: BulkRecord): boolean {
  const { input, line, domain, ip } = value
  const isName = (one: unknown) => one === null || typeof one === 'string'
  if (typeof input !== 'string' || typeof line !== 'number' || !isName(domain) || !isName(ip)) return false
  if (isError(value)) return typeof value.error.code === 'string'
  return typeof value['verdict'] === 'string' && Array.isArray(value['signal_details'])
}
