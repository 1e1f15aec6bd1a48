// Signed certificate timestamps (RFC 6962): promises of Certificate Transparency logs to publish a certificate. They are
// read, not verified, because that needs the keys of all logs.
import type { CtLogs } from '../../knowledge/datasets/ct_logs.ts'
import { soleElement, tags } from './der.ts'
import type { SignedTimestamp } from './facts.ts'

/** Timestamps read of one list; authorities embed two to six. */
const MOST = 64
const LOG_ID = 32
/** Version, log and time, then the lengths of the extensions and of the signature with its two algorithms. */
const LEAST_LENGTH = 1 + LOG_ID + 8 + 2 + 4

/** The 2-octet length at the offset, and the octets that it counts; null if there are fewer. */
function vector(bytes: Buffer, at: number): Buffer | null {
  if (at + 2 > bytes.length) return null
  const end = at + 2 + bytes.readUInt16BE(at)
  return end > bytes.length ? null : bytes.subarray(at + 2, end)
}

/** Undefined for a timestamp of a later version, which clients skip; null for a malformed one. */
function readTimestamp(sct: Buffer, source: SignedTimestamp['source']): SignedTimestamp | undefined | null {
  if (sct.length === 0) return null
  if (sct[0] !== 0) return undefined
  const extensions = sct.length < LEAST_LENGTH ? null : vector(sct, 1 + LOG_ID + 8)
  if (extensions === null) return null
  const at = 1 + LOG_ID + 8 + 2 + extensions.length + 2
  const signature = vector(sct, at)
  if (signature === null || at + 2 + signature.length !== sct.length) return null
  const milliseconds = Number(sct.readBigUInt64BE(1 + LOG_ID))
  const moment = new Date(milliseconds)
  // Years of more than four digits have another form, which no consumer expects.
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9999) return null
  return { log_id: sct.subarray(1, 1 + LOG_ID).toString('base64'), logged_at: moment.toISOString(), source }
}

/**
 * The timestamps in the value of an extension of a certificate or an OCSP response (RFC 6962 section 3.3); at most 64.
 * Null if it is malformed. Never throws.
 */
export function readTimestamps(value: Buffer, source: SignedTimestamp['source']): SignedTimestamp[] | null {
  const list = soleElement(value, tags.octetString)
  const entries = list ? vector(list.content, 0) : null
  if (!list || entries === null || entries.length + 2 !== list.content.length) return null
  const timestamps: SignedTimestamp[] = []
  for (let at = 0; at < entries.length && timestamps.length < MOST; ) {
    const sct = vector(entries, at)
    const timestamp = sct === null ? null : readTimestamp(sct, source)
    if (sct === null || timestamp === null) return null
    if (timestamp !== undefined) timestamps.push(timestamp)
    at += 2 + sct.length
  }
  return timestamps
}

/** Each with its log, if the list has it. */
export const nameLogs = (timestamps: readonly SignedTimestamp[], logs: CtLogs | null): readonly SignedTimestamp[] =>
  timestamps.map(one => {
    const log = logs?.get(one.log_id)
    return log === undefined ? one : { ...one, log }
  })
