// Parses entries of the operator's own allow and block lists, from the configuration or a file. Pure.
import { getPublicSuffix } from 'tldts'
import { type Block, readBlock } from '../../network/address_block.ts'
import { parseDomain } from '../../targets/domain.ts'

/** What a list does with the targets it names. */
export type ListKind = 'allow' | 'block'

/** One entry. Exactly one of `name` and `block` is set. */
export interface ListEntry {
  readonly list: ListKind
  /** As written by the operator. */
  readonly entry: string
  /** A-labels; also covers all names below it. */
  readonly name: string | null
  readonly block: Block | null
  /** The reason in the operator's words. */
  readonly reason: string | null
  /** Milliseconds since the Unix epoch from which the entry no longer counts. */
  readonly expires_at: number | null
}

/** An entry in the configuration with more than a name or address. */
export interface WrittenEntry {
  readonly entry: string
  readonly reason?: string
  /** A date, valid to its last second in UTC, or a time (RFC 3339). */
  readonly expires?: string
}

export type ReadEntry =
  | { readonly ok: true; readonly entry: ListEntry }
  | { readonly ok: false; readonly detail: string }

/** A line of a list file that cannot be parsed; lines count from 1. */
export interface LineFault {
  readonly line: number
  readonly detail: string
}

export interface ReadFile {
  readonly entries: readonly ListEntry[]
  readonly faults: readonly LineFault[]
}

/** Maximum length of a reason, which is shown next to the verdict. */
export const REASON_CHARACTERS = 200
/** Entries per file. An installation with more should use a dataset (docs/datasets.md). */
const FILE_ENTRIES = 100_000

const invalid = (detail: string): ReadEntry => ({ ok: false, detail })

/** Parses one entry: a domain name, an IP address, or a block of addresses in CIDR notation. Never throws. */
export function readEntry(list: ListKind, writtenEntry: string | WrittenEntry): ReadEntry {
  const {
    entry,
    reason = null,
    expires,
  } = typeof writtenEntry === 'string' ? ({ entry: writtenEntry } as WrittenEntry) : writtenEntry
  const expiresAt = expires === undefined ? null : readExpiry(expires)
  if (Number.isNaN(expiresAt)) return invalid(`\`${expires}\` is neither a date (2027-01-31) nor a time (RFC 3339).`)
  const rest = { list, entry, reason: reason?.slice(0, REASON_CHARACTERS) ?? null, expires_at: expiresAt }
  const block = readBlock(entry)
  if (block !== null) return { ok: true, entry: { ...rest, name: null, block } }
  if (/^[\d.:a-f]+\//i.test(entry)) return invalid(`\`${entry}\` is not a block of addresses in CIDR notation.`)
  const name = parseDomain(entry)
  if (!name.ok) return invalid(`\`${entry}\`: ${name.detail}`)
  if (list === 'allow' && isPublicSuffix(name.value)) {
    return invalid(`\`${entry}\` is a public suffix: it would allow every name registered under it.`)
  }
  return { ok: true, entry: { ...rest, name: name.value, block: null } }
}

const isPublicSuffix = (name: string): boolean => getPublicSuffix(name, { allowPrivateDomains: true }) === name

/**
 * Parses a file with one entry per line: `name-or-CIDR [until=DATE] [# reason]`. Skips empty lines and lines that start
 * with `#`.
 */
export function readListFile(list: ListKind, text: string): ReadFile {
  const entries: ListEntry[] = []
  const faults: LineFault[] = []
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const reading = readLine(list, line)
    if (!reading.ok) faults.push({ line: at + 1, detail: reading.detail })
    else if (entries.length === FILE_ENTRIES) return { entries, faults: [...faults, tooMany(at + 1)] }
    else entries.push(reading.entry)
  }
  return { entries, faults }
}

const tooMany = (line: number): LineFault => ({ line, detail: `The file has more than ${FILE_ENTRIES} entries.` })

function readLine(list: ListKind, line: string): ReadEntry {
  const [fields = '', ...comment] = line.split('#')
  const reason = comment.join('#').trim()
  const [entry = '', ...options] = fields.trim().split(/\s+/)
  const other = options.find(option => !option.startsWith('until='))
  if (other !== undefined) return invalid(`\`${other}\` is not a valid option; write the reason after \`#\`.`)
  const expires = options.at(-1)?.slice('until='.length)
  return readEntry(list, { entry, ...(reason === '' ? {} : { reason }), ...(expires === undefined ? {} : { expires }) })
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

/** Milliseconds since the Unix epoch; NaN for anything but a valid date or time. */
function readExpiry(text: string): number {
  if (!DATE.test(text) && !TIME.test(text)) return Number.NaN
  const day = text.slice(0, 10)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return Number.NaN
  return DATE.test(text) ? midnight + 86_400_000 : Date.parse(text)
}
