// Untrusted JSON, read member by member.

export type Json = Readonly<Record<string, unknown>>

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const asRecord = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null

/** The first `most` items; empty for anything but a list. */
export const asList = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : []

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
