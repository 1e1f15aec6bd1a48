// Faults of a configuration: found before anything listens, told all at once.
import { distance } from 'fastest-levenshtein'

export interface Fault {
  /** Where in the configuration: `plugins.ssl_info.weights.expired`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** One line for people. */
export const faultLine = ({ path, message }: Fault): string => `${path ? `${path}: ` : ''}${message}`

/** All of them for people, under a heading. */
export const faultsText = (faults: readonly Fault[]): string =>
  [
    `The configuration has ${faults.length === 1 ? '1 error' : `${faults.length} errors`}:`,
    ...faults.map(fault => `  ${faultLine(fault)}`),
  ].join('\n')

/** How many edits away from what was meant a slip may be: two, or a third of a long name, but never all of a short one. */
const slip = (name: string) => Math.min(name.length - 1, Math.max(2, name.length / 3))

/** `; did you mean "x"?` for the closest of the known names, or nothing when none is close. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const ranked = [...known].map(name => ({ name, away: distance(given, name) })).sort((a, b) => a.away - b.away)
  const [closest] = ranked
  if (!closest || closest.away > slip(closest.name)) return ''
  return `; did you mean "${closest.name}"?`
}
