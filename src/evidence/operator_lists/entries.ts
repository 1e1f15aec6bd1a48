// Entries of the operator's own allow and block lists, as the configuration or a file has them. Pure.
import { getPublicSuffix } from 'tldts'
import { type Block, readBlock } from '../../network/address_block.ts'
import { parseDomain } from '../../targets/domain.ts'

/** What a list does with the targets that it names. */
export type ListKind = 'allow' | 'block'

/** One entry. Exactly one of `name` and `block` is not null. */
export interface ListEntry {
  readonly list: ListKind
  /** As the operator wrote it. */
  readonly entry: string
  /** In A-labels; it covers the names below it too. */
  readonly name: string | null
  readonly block: Block | null
  /** Why it is on the list, in the operator's words. */
  readonly reason: string | null
  /** Milliseconds since the epoch from which it no longer counts. */
  readonly expires_at: number | null
}

/** An entry in the configuration that is more than a text. */
export interface WrittenEntry {
  readonly entry: string
  readonly reason?: string
  /** A date, which ends with its last second in UTC, or a time (RFC 3339). */
  readonly expires?: string
}

export type ReadEntry =
  | { readonly ok: true; readonly entry: ListEntry }
  | { readonly ok: false; readonly detail: string }

/** A line of a list's file that cannot be read; lines count from 1. */
export interface LineFault {
  readonly line: number
  readonly detail: string
}

export interface ReadFile {
  readonly entries: readonly ListEntry[]
  readonly faults: readonly LineFault[]
}

/** Characters of a reason: it is shown beside the verdict. */
export const REASON_CHARACTERS = 200
/** Entries of one file: an installation that has more wants a dataset (docs/datasets.md). */
const FILE_ENTRIES = 100_000

const invalid = (detail: string): ReadEntry => ({ ok: false, detail })

/** Reads one entry: a domain name, an IP address, or a block of addresses in CIDR notation. Never throws. */
export function readEntry(list: ListKind, written: string | WrittenEntry): ReadEntry {
  const { entry, reason = null, expires } = typeof written === 'string' ? ({ entry: written } as WrittenEntry) : written
  const expires_at = expires === undefined ? null : readExpiry(expires)
  if (Number.isNaN(expires_at)) return invalid(`\`${expires}\` is neither a date (2027-01-31) nor a time (RFC 3339).`)
  const rest = { list, entry, reason: reason?.slice(0, REASON_CHARACTERS) ?? null, expires_at }
  const block = readBlock(entry)
  if (block !== null) return { ok: true, entry: { ...rest, name: null, block } }
  if (/^[\d.:a-f]+\//i.test(entry)) return invalid(`\`${entry}\` is not a block of addresses in CIDR notation.`)
  const name = parseDomain(entry)
  if (!name.ok) return invalid(`\`${entry}\`: ${name.detail}`)
  if (list === 'allow' && isPublicSuffix(name.value)) {
    return invalid(`\`${entry}\` is a public suffix: it would allow everybody who registers a name under it.`)
  }
  return { ok: true, entry: { ...rest, name: name.value, block: null } }
}

const isPublicSuffix = (name: string): boolean => getPublicSuffix(name, { allowPrivateDomains: true }) === name

/**
 * Reads a file of one entry a line: `name-or-CIDR [until=DATE] [# reason]`. Empty lines and lines that begin with `#`
 * are skipped.
 */
export function readListFile(list: ListKind, text: string): ReadFile {
  const entries: ListEntry[] = []
  const faults: LineFault[] = []
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const read = readLine(list, line)
    if (!read.ok) faults.push({ line: at + 1, detail: read.detail })
    else if (entries.length === FILE_ENTRIES) return { entries, faults: [...faults, tooMany(at + 1)] }
    else entries.push(read.entry)
  }
  return { entries, faults }
}

const tooMany = (line: number): LineFault => ({ line, detail: `The file has more than ${FILE_ENTRIES} entries.` })

function readLine(list: ListKind, line: string): ReadEntry {
  const [fields = '', ...comment] = line.split('#')
  const reason = comment.join('#').trim()
  const [entry = '', ...options] = fields.trim().split(/\s+/)
  const other = options.find(option => !option.startsWith('until='))
  if (other !== undefined) return invalid(`\`${other}\` is not understood; write the reason behind \`#\`.`)
  const expires = options.at(-1)?.slice('until='.length)
  return readEntry(list, { entry, ...(reason === '' ? {} : { reason }), ...(expires === undefined ? {} : { expires }) })
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

/** Milliseconds since the epoch; NaN when it is no date and no time, or a day that the calendar does not have. */
function readExpiry(text: string): number {
  if (!DATE.test(text) && !TIME.test(text)) return Number.NaN
  const day = text.slice(0, 10)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return Number.NaN
  return DATE.test(text) ? midnight + 86_400_000 : Date.parse(text)
}
