// Reads header fields as browsers do: the lines of a field, and the parts of a line.
import { printable } from '../../src/engine/plugin.ts'

export type Headers = readonly (readonly [name: string, value: string])[]

/** Every line of the field, in order; `name` is in lower case. */
export const linesOf = (headers: Headers, name: string): readonly string[] =>
  headers.filter(([headerName]) => headerName === name).map(([, value]) => value)

/** Splits at a separator outside quoted strings (RFC 9110 section 5.6.4) and trims. An unclosed quote extends to the end. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isQuoted = !isQuoted
    else if (char === '\\' && isQuoted) at++
    else if (char === separator && !isQuoted) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...parts, text.slice(start).trim()]
}

/** The members of a list field over all lines: "get, decode, and split" (Fetch section 2.2.2). */
export const membersOf = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : splitOutsideQuotes(lines.join(', '), ',')

/** All lines of a field for display; null if there is none. */
export const displayText = (lines: readonly string[], max = 512): string | null =>
  lines.length === 0 ? null : printable(lines.join(', '), max)
