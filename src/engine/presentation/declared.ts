// Checks a presentation as a plugin declares it, at the start.
import { BOUNDS } from './bounded.ts'

/** Longest text of what is checked, in characters: one line. */
const LOOKS = 200

const KNOWN = ['title', 'looks', 'order', 'informs', 'describe'] as const

type Suggest = (name: string, known: readonly string[]) => string

/** What is wrong, in words; `suggest` names a known word that is near. */
export function presentationFaults(presentation: unknown, suggest: Suggest): string[] {
  if (typeof presentation !== 'object' || presentation === null || Array.isArray(presentation))
    return ['"presentation" must be an object']
  const { title, looks, order, informs, describe } = presentation as Readonly<Record<string, unknown>>
  return [
    ...Object.keys(presentation)
      .filter(name => !KNOWN.some(known => known === name))
      .map(name => `"presentation" has an unknown field "${name}"${suggest(name, KNOWN)}`),
    ...text('title', title, BOUNDS.label),
    ...text('looks', looks, LOOKS),
    ...(order === undefined || Number.isFinite(order) ? [] : ['"presentation.order" must be a number']),
    ...(informs === undefined || typeof informs === 'boolean' ? [] : ['"presentation.informs" must be true or false']),
    ...(describe === undefined || typeof describe === 'function' ? [] : ['"presentation.describe" must be a function']),
  ]
}

const text = (name: string, value: unknown, most: number): string[] =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most
    ? []
    : [`"presentation.${name}" must be a string of 1 to ${most} characters`]
