// Asks for a name's mail records in DNS and reads their text as printable text.

import { truncate, withoutUnprintable } from '../../base/printable.ts'
import { isAskable, type RecordData, type RecordType } from '../../network/dns_records.ts'
import type { Answer, Resolver } from '../../network/resolver.ts'
import type { QueryOutcome } from './facts.ts'

export type Ask = <Type extends RecordType>(name: string, type: Type) => Promise<Answer<RecordData[Type]>>

/** A name too long for DNS, such as `_dmarc.` before a very long name, counts as not found and is not queried. */
export const askWith =
  (resolver: Resolver, signal: AbortSignal): Ask =>
  async (name, type) =>
    isAskable(name) ? resolver.query(name, type, { signal }) : { status: 'not_found', authenticated: false, cnames: [] }

export const outcomeOf = (answer: Answer<unknown>): QueryOutcome => ({
  status: answer.status,
  reason: answer.status === 'unknown' ? answer.reason : null,
})

export const records = <T>(answer: Answer<T>): readonly T[] => (answer.status === 'found' ? answer.records : [])

/** Characters kept of a record: sixteen times the longest string in a TXT record. */
const RECORD_CHARACTERS = 4_096
/** Characters kept of a name, an address or another single value. */
export const VALUE_CHARACTERS = 512

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes octets held in a Latin-1 string as UTF-8, or returns them unchanged if they are not valid UTF-8. */
function decodeUtf8(octets: string): string {
  try {
    return utf8.decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets
  }
}

/** Decoded text without control and format characters, at most `characters` code units long. */
export function readable(octets: string, characters = RECORD_CHARACTERS): string {
  // A character has at most four octets, so later octets cannot be part of the result.
  return truncate(withoutUnprintable(decodeUtf8(octets.slice(0, characters * 4))), characters)
}
