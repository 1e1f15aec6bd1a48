// Tag lists, the `tag=value; tag=value` syntax that DMARC, MTA-STS, TLS-RPT and BIMI took from DKIM (RFC 6376 section 3.2).
import type { TagList } from './facts.ts'
import { readable } from './text.ts'

/** Tags of one record that are read: every standard together has fewer. */
const TAGS = 64
/** Characters in which a record's version must be over. */
const VERSION_CHARACTERS = 64

/** Blank and tab alone are white space here, so a line feed does not pass for one. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Parses a record. A tag without a value is a tag with an empty one. Linear; never throws. */
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

/** The first value of a tag; null when it is not there. */
export const tagValue = (list: TagList, name: string): string | null =>
  list.tags.find(tag => tag.name === name)?.value ?? null

/** The record begins with this version, white space around the equals sign allowed; the version's case counts. */
export const hasVersion = (record: string, version: string): boolean =>
  /^v[ \t]*=[ \t]*([^; \t]*)[ \t]*(?:;|$)/i.exec(record.slice(0, VERSION_CHARACTERS))?.[1] === version
