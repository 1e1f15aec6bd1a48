// Configuration errors: found before the service listens, and reported together.
import { distance } from 'fastest-levenshtein'

export interface Fault {
  /** Path in the configuration: `plugins.ssl_info.weights.expired`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** One error as a line of text. */
export const faultLine = ({ path, message }: Fault): string => `${path ? `${path}: ` : ''}${message}`

/** All errors as text with a heading. */
export const faultsText = (faults: readonly Fault[]): string =>
  [
    `The configuration has ${faults.length === 1 ? '1 error' : `${faults.length} errors`}:`,
    ...faults.map(fault => `  ${faultLine(fault)}`),
  ].join('\n')

/** The most edits a typo may have: two, or a third of a long name, but fewer than the name's length. */
const slip = (name: string) => Math.min(name.length - 1, Math.max(2, name.length / 3))

/** Letters of a name that stand for it when no other known name begins so: `ssl` for `ssl_info`. */
const BEGINNING = 3

/** `; did you mean "x"?` for the closest known name, or the only name with that prefix; empty if no name matches. */
export function didYouMean(text: string, knownNames: Iterable<string>): string {
  const names = [...knownNames]
  const candidates = names.map(name => ({ name, away: distance(text, name) })).sort((a, b) => a.away - b.away)
  const [closest] = candidates
  if (!closest) return ''
  const longer = text.length < BEGINNING ? [] : names.filter(name => name.startsWith(text))
  const [completion] = closest.away > 1 && longer.length === 1 ? longer : []
  const suggestion = completion ?? (closest.away <= slip(closest.name) ? closest.name : undefined)
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
}

/** Whether a name is one edit, or the case of its letters, away from another. */
const isNear = (text: string, name: string): boolean => {
  const [one, other] = [text.toLowerCase(), name.toLowerCase()]
  return Math.abs(one.length - other.length) <= 1 && distance(one, other) <= 1
}

/** The known name that an unknown one was meant to be, without much doubt; undefined otherwise. */
export const meantName = (text: string, names: readonly string[]): string | undefined =>
  names.find(name => isNear(text, name))

/** Unknown fields of an object that resemble a known one. Such a field has no effect; any other is the author's own. */
export const misspelt = (object: unknown, knownFields: readonly string[], what: string): string[] =>
  Object.keys(Object(object))
    .filter(field => !knownFields.includes(field))
    .map(field => [field, didYouMean(field, knownFields)] as const)
    .flatMap(([field, hint]) => (hint === '' ? [] : [`"${field}" is not a field of ${what}${hint}`]))
