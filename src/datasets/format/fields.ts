// Fields of one line of CSV (RFC 4180) or TSV. Pure.

/** Columns of a line that are looked at: no list of names has more. */
const FIELDS = 256

/** Quotes may enclose a field, doubled ones inside stand for one; an open quote ends with the line. */
export function splitFields(line: string, separator: ',' | '\t'): string[] {
  const fields: string[] = []
  for (let at = 0; at <= line.length && fields.length < FIELDS; ) {
    const { value, end } = line[at] === '"' ? quoted(line, at + 1) : plain(line, at, separator)
    fields.push(value)
    const next = line.indexOf(separator, end)
    at = next < 0 ? line.length + 1 : next + 1
  }
  return fields
}

interface Field {
  readonly value: string
  /** Where the separator is looked for. */
  readonly end: number
}

function plain(line: string, at: number, separator: string): Field {
  const next = line.indexOf(separator, at)
  const end = next < 0 ? line.length : next
  return { value: line.slice(at, end).trim(), end }
}

function quoted(line: string, at: number): Field {
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
