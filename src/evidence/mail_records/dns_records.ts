// Asks for a name's mail records in DNS and reads their text: printable text and tag lists.
import { isAskable, type RecordData, type RecordType } from '../../network/dns_records.ts'
import type { Answer, Resolver } from '../../network/resolver.ts'
import { truncate, withoutUnprintable } from '../../printable.ts'
import type { Asked, TaggedRecord, TagList } from './facts.ts'

export type Ask = <Type extends RecordType>(name: string, type: Type) => Promise<Answer<RecordData[Type]>>

/** A name too long for DNS, such as `_dmarc.` before a very long name, counts as not found and is not asked for. */
export const askWith =
  (resolver: Resolver, signal: AbortSignal): Ask =>
  async (name, type) =>
    isAskable(name) ? resolver.query(name, type, { signal }) : { status: 'not_found', authenticated: false, cnames: [] }

export const asked = (answer: Answer<unknown>): Asked => ({
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
function decoded(octets: string): string {
  try {
    return utf8.decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets
  }
}

/** Decoded text without control and format characters, at most `characters` code units long. */
export function readable(octets: string, characters = RECORD_CHARACTERS): string {
  // A character has at most four octets, so later octets cannot be part of the result.
  return truncate(withoutUnprintable(decoded(octets.slice(0, characters * 4))), characters)
}

/** Tags read of one record; all standards together define fewer. */
const TAGS = 64
/** The version must end within this many characters. */
const VERSION_CHARACTERS = 64

/** Trims blanks and tabs only: line feeds are not white space in a tag list. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Parses `tag=value; tag=value`, which DMARC, MTA-STS, TLS-RPT and BIMI share with DKIM (RFC 6376 section 3.2). Linear; never throws. */
export function parseTagList(record: string): TagList {
  const tags: { name: string; value: string }[] = []
  const malformed: string[] = []
  for (const piece of record.split(';').map(trim)) {
    const equals = piece.indexOf('=')
    const name = trim(piece.slice(0, Math.max(equals, 0)))
    if (/^[a-z][a-z0-9_-]*$/i.test(name))
      tags.push({ name: name.toLowerCase(), value: readable(trim(piece.slice(equals + 1))) })
    else if (piece !== '') malformed.push(readable(piece))
  }
  return { text: readable(record), tags: tags.slice(0, TAGS), malformed: malformed.slice(0, TAGS) }
}

/** The first value of a tag; null when it is missing. */
export const tagValue = (list: TagList, name: string): string | null =>
  list.tags.find(tag => tag.name === name)?.value ?? null

/** The record starts with this version (case-sensitive); white space around the equals sign is allowed. */
export const hasVersion = (record: string, version: string): boolean =>
  /^v[ \t]*=[ \t]*([^; \t]*)[ \t]*(?:;|$)/i.exec(record.slice(0, VERSION_CHARACTERS))?.[1] === version

/** Asks for the single TXT record that a standard defines at `name`. `isRecord` tests the version. */
export async function askTagged(name: string, isRecord: (text: string) => boolean, ask: Ask): Promise<TaggedRecord> {
  const answer = await ask(name, 'TXT')
  const versioned = records(answer).filter(isRecord)
  const [only] = versioned
  return {
    name,
    ...asked(answer),
    count: versioned.length,
    record: only !== undefined && versioned.length === 1 ? parseTagList(only) : null,
  }
}
