// Parses lists: from the text of a file to the values of each line. Pure, except for the heading that a table reader
// remembers.
import type { Dataset, ListFormat } from './dataset.ts'

/** Characters: ten times the longest URL that browsers accept. */
export const LONGEST_LINE = 20_480

export function splitLines() {
  let rest = ''
  let overlong = false
  const cut = (line: string) => {
    const long = overlong || line.length > LONGEST_LINE
    overlong = false
    return long ? null : line.trim()
  }
  return {
    /** The lines that the piece completes, trimmed. A line that is too long is null. */
    push(piece: string): readonly (string | null)[] {
      const all = rest + piece
      // Some lists end their lines with a carriage return alone.
      const lines = all.includes('\r') ? all.split(/[\r\n]/) : all.split('\n')
      rest = lines.pop() ?? ''
      const complete = lines.map(cut)
      if (rest.length > LONGEST_LINE) {
        overlong = true
        rest = ''
      }
      return complete
    },
    /** The rest. */
    end(): readonly (string | null)[] {
      const last = rest === '' && !overlong ? [] : [cut(rest)]
      rest = ''
      return last
    },
  }
}

/** Columns that are read; no list of names has more. */
const FIELDS = 256

/**
 * Splits one line of CSV (RFC 4180) or TSV. A field may be quoted, with quotes inside doubled; an open quote ends with
 * the line.
 * No CSV library: with csv-parse, an unclosed quote in a third-party list would swallow the lines after it.
 */
export function splitFields(line: string, separator: ',' | '\t'): string[] {
  const fields: string[] = []
  for (let at = 0; at <= line.length && fields.length < FIELDS; ) {
    const { value, end } = line[at] === '"' ? quotedField(line, at + 1) : plain(line, at, separator)
    fields.push(value)
    const next = line.indexOf(separator, end)
    at = next < 0 ? line.length + 1 : next + 1
  }
  return fields
}

interface Field {
  readonly value: string
  /** Where the search for the separator starts. */
  readonly end: number
}

function plain(line: string, at: number, separator: string): Field {
  const next = line.indexOf(separator, at)
  const end = next < 0 ? line.length : next
  return { value: line.slice(at, end).trim(), end }
}

function quotedField(line: string, at: number): Field {
  let value = ''
  for (let from = at; ; ) {
    const quote = line.indexOf('"', from)
    if (quote < 0) return { value: value + line.slice(from), end: line.length }
    value += line.slice(from, quote)
    if (line[quote + 1] !== '"') return { value, end: quote + 1 }
    value += '"'
    from = quote + 2
  }
}

/**
 * Why a line or a value of a list counts for nothing: a rule that lists no host, one that holds only in some circumstances, a wildcard
 * within a name, a line in another format or too long, a value that is neither a host name nor an address, or a value of a kind that
 * the list is not `about`.
 */
export type DropReason = 'other_rule' | 'limited_rule' | 'wildcard' | 'unreadable' | 'no_host' | 'other_kind'

export type DroppedCounts = Readonly<Partial<Record<DropReason, number>>>

/** What stands before a name in a list of rules, in this order: that it is an exception, and that the rule is important. */
export const EXCEPT = '@@'
export const IMPORTANT = '!'

/** The values of a line, none for a comment, or why it has none. */
type LineReader = (line: string) => readonly string[] | DropReason

type Layout = Pick<Dataset, 'column' | 'field'>

const NO_NAMES: readonly string[] = []

const isComment = (line: string): boolean => line === '' || line[0] === '#' || line[0] === ';' || line.startsWith('//')

/** Cuts the value at a blank, `#` or `;`: names and prefixes contain none of these. */
function withoutRemark(line: string): string {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code <= 32 || code === 35 || code === 59) return line.slice(0, at)
  }
  return line
}

const names = (): LineReader => line => (isComment(line) ? NO_NAMES : [withoutRemark(line)])

/** An IPv4 network with a mask, after a slash or a blank. */
const MASKED_NETWORK = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/|\s{1,9})((?:255|0)\.\d{1,3}\.\d{1,3}\.\d{1,3})(?![\d.])/

/** The network in CIDR notation (RFC 4632 section 3.1); as it is when its mask has holes. */
function withPrefix(line: string): string {
  const [, network, mask] = MASKED_NETWORK.exec(line) ?? []
  if (network === undefined || mask === undefined) return line
  const bits = mask.split('.').map(octet => Number(octet).toString(2).padStart(8, '0'))
  const [, ones] = /^(1*)0*$/.exec(bits.join('')) ?? []
  return ones === undefined ? line : `${network}/${ones.length}`
}

/** Ranges may have blanks around the hyphen. */
const netset = (): LineReader => line =>
  isComment(line) ? NO_NAMES : [withoutRemark(withPrefix(line.includes(' - ') ? line.replace(' - ', '-') : line))]

const SCHEME = /^(?:[a-z][a-z0-9+.-]{0,31}|hxxps?)(?::|\[:\])\/\//i

/** An address or a network. */
const ADDRESSES = /^(?:[\d.]{1,15}|[\da-f.]{0,40}:[\da-f:.]{0,45})(?:\/\d{1,3})?$/i

/** URLs may contain `#` and `;`. Many lists leave out the scheme. */
const urls = (): LineReader => line => {
  if (isComment(line)) return NO_NAMES
  const [value = ''] = line.split(/\s/, 1)
  return [SCHEME.test(value) || ADDRESSES.test(value) ? value : `http://${value}`]
}

/** Names of the local machine, with which every hosts file begins. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'local',
  'broadcasthost',
  'ip6-localhost',
  'ip6-loopback',
  '0.0.0.0',
  'ip6-localnet',
  'ip6-mcastprefix',
  'ip6-allnodes',
  'ip6-allrouters',
  'ip6-allhosts',
])

/** hosts(5): an address, then the names that map to it. */
const hosts = (): LineReader => line => {
  if (isComment(line)) return NO_NAMES
  const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
  if (names.length === 0 || !/^[\d.]+$|:/.test(address)) return 'unreadable'
  return names.filter(name => !OWN_NAMES.has(name))
}

/**
 * A rule about a whole host: `||name^`, or `||*.name^`, which is about all below it, and its options. `@@` before it makes an
 * exception of the host.
 */
const OF_HOST = /^(@@)?\|\|((?:\*\.)?[^\s/^$*|]+)\^(?:\|?$|\$(.+))/

/** Options with which a rule is about whole pages, hence about the host. */
const WHOLE: ReadonlySet<string> = new Set(['all', 'document', 'doc'])

/** Kinds of requests: beside one of those above they add nothing, alone they limit the rule. */
const KINDS: ReadonlySet<string> = new Set([
  'script',
  'image',
  'stylesheet',
  'css',
  'object',
  'xmlhttprequest',
  'xhr',
  'subdocument',
  'frame',
  'ping',
  'other',
  'websocket',
  'webrtc',
  'font',
  'media',
  'popup',
  'popunder',
  'inline-script',
  'inline-font',
])

/** Whether the rule lists its host whatever the circumstances: no other site, kind of request, client or type of record counts. */
function holdsAlways(options: readonly string[]): boolean {
  const others = options.filter(option => option !== 'important')
  return (
    others.every(option => WHOLE.has(option) || KINDS.has(option)) &&
    (others.length === 0 || others.some(option => WHOLE.has(option)))
  )
}

/** Other rules, about paths and elements, list no host. */
const adblock = (): LineReader => line => {
  if (line === '' || line[0] === '!' || line[0] === '[' || line[0] === '#') return NO_NAMES
  const rule = line.replace(/\s[#!].{0,200}$/, '').trimEnd()
  const [, except = '', host, optionText = ''] = OF_HOST.exec(rule) ?? []
  if (host !== undefined) {
    const options = optionText === '' ? [] : optionText.toLowerCase().split(',')
    // A filter that is cancelled, and an exception of what is below a host alone.
    if (options.includes('badfilter') || (except !== '' && host.startsWith('*'))) return 'other_rule'
    if (!holdsAlways(options)) return 'limited_rule'
    return [`${except}${options.includes('important') ? IMPORTANT : ''}${host}`]
  }
  if (/^(?:@@)?\|\|[^/^$]*\*/.test(rule)) return 'wildcard'
  return /^(?:@@|\||\/)|##|#@#|[$^*]/.test(rule) ? 'other_rule' : 'unreadable'
}

/** With a column name, the heading is the first line that contains it, comment or not; with a number, every line is data. */
const table =
  (separator: ',' | '\t') =>
  ({ column }: Layout): LineReader => {
    let index = typeof column === 'number' ? column : null
    return line => {
      if (index === null) {
        const heading = splitFields(line.replace(/^#\s*/, ''), separator)
        const position = heading.findIndex(name => name.toLowerCase() === String(column).toLowerCase())
        if (position < 0) return isComment(line) ? NO_NAMES : 'unreadable'
        index = position
        return NO_NAMES
      }
      if (isComment(line)) return NO_NAMES
      const value = splitFields(line, separator)[index]
      return value === undefined ? 'unreadable' : [value.trim()]
    }
  }

const jsonLines = ({ field }: Layout): LineReader => {
  const steps = field.split('.')
  return line => {
    if (isComment(line)) return NO_NAMES
    const record = parseJson(line)
    if (typeof record !== 'object' || record === null) return 'unreadable'
    const value = steps.reduce<unknown>((inner, step) => member(inner, step), record)
    // A record without the member is of another kind, such as metadata of the list.
    return typeof value === 'string' ? [value] : NO_NAMES
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

const member = (inner: unknown, step: string): unknown =>
  typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
    ? (inner as Record<string, unknown>)[step]
    : undefined

export const lineReaders: Readonly<Record<ListFormat, (layout: Layout) => LineReader>> = {
  names,
  netset,
  urls,
  hosts,
  adblock,
  csv: table(','),
  tsv: table('\t'),
  json_lines: jsonLines,
}
