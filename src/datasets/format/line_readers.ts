// One reader for each way in which lists are written: from a line to the values in it. What they are about is not
// known here. Pure, but for the heading that a table's reader remembers.
import type { Dataset, ListFormat } from '../dataset.ts'
import { splitFields } from './fields.ts'

/** The values of a line; null when the line is not of this format. Empty for comments and what lists nothing. */
export type LineReader = (line: string) => readonly string[] | null

type Layout = Pick<Dataset, 'column' | 'field'>

const nothing: readonly string[] = []

const isComment = (line: string): boolean => line === '' || line[0] === '#' || line[0] === ';' || line.startsWith('//')

/** Up to a blank or a remark behind the value: `#` and `;` have no place in names and prefixes. */
function withoutRemark(line: string): string {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code <= 32 || code === 35 || code === 59) return line.slice(0, at)
  }
  return line
}

const names = (): LineReader => line => (isComment(line) ? nothing : [withoutRemark(line)])

/** Ranges may have blanks around their hyphen. */
const netset = (): LineReader => line =>
  isComment(line) ? nothing : [withoutRemark(line.includes(' - ') ? line.replace(' - ', '-') : line)]

/** URLs may have `#` and `;` in them. */
const urls = (): LineReader => line => (isComment(line) ? nothing : [line.split(/\s/, 1)[0] ?? ''])

/** Names of the machine itself, which every hosts file begins with. */
const ownNames: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost.localdomain', 'local', 'broadcasthost', 'ip6-localhost', 'ip6-loopback', '0.0.0.0'],
  ...['ip6-localnet', 'ip6-mcastprefix', 'ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts'],
])

/** hosts(5): where the names are sent, then the names. */
const hosts = (): LineReader => line => {
  if (isComment(line)) return nothing
  const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
  if (names.length === 0 || !/^[\d.]+$|:/.test(address)) return null
  return names.filter(name => !ownNames.has(name))
}

/** A rule that blocks a whole host: `||name^`, perhaps with options that do not narrow it to other sites. */
const blocking = /^\|\|([^\s/^$*|]+)\^(?:\|?$|\$(?:all|document|doc|third-party|3p|important|popup)(?:,[a-z0-9-]+)*$)/i

/** Other rules (of paths, of elements, exceptions) list no host. */
const adblock = (): LineReader => line => {
  if (line === '' || line[0] === '!' || line[0] === '[' || line[0] === '#') return nothing
  const [, host] = blocking.exec(line) ?? []
  if (host !== undefined) return [host]
  return /^(?:@@|\||\/)|##|#@#|[$^*]/.test(line) ? nothing : null
}

/** The heading is the first line that has the column's name, comment or not; by number every line counts. */
const table =
  (separator: ',' | '\t') =>
  ({ column }: Layout): LineReader => {
    let index = typeof column === 'number' ? column : null
    return line => {
      if (index === null) {
        const heading = splitFields(line.replace(/^#\s*/, ''), separator)
        const found = heading.findIndex(name => name.toLowerCase() === String(column).toLowerCase())
        if (found < 0) return isComment(line) ? nothing : null
        index = found
        return nothing
      }
      if (isComment(line)) return nothing
      const value = splitFields(line, separator)[index]
      return value === undefined ? null : [value.trim()]
    }
  }

const jsonLines = ({ field }: Layout): LineReader => {
  const steps = field.split('.')
  return line => {
    if (isComment(line)) return nothing
    const record = parsed(line)
    if (typeof record !== 'object' || record === null) return null
    const value = steps.reduce<unknown>((inner, step) => member(inner, step), record)
    // A record without the member is another kind of record, such as one about the list itself.
    return typeof value === 'string' ? [value] : nothing
  }
}

function parsed(line: string): unknown {
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
