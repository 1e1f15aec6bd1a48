// Faults of a configuration: found before anything listens, told all at once.
import { distance } from 'fastest-levenshtein'

export interface Fault {
  /** Where in the configuration: `plugins.ssl_info.weights.expired`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** How many edits a name may be away from the one that was meant: a third of its letters, as a typing slip would be. */
const MEANT_WITHIN = 1 / 3

/** `; did you mean "x"?` for the closest of the known names, or nothing when none is close. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const ranked = [...known].map(name => ({ name, away: distance(given, name) })).sort((a, b) => a.away - b.away)
  const [closest] = ranked
  if (!closest || closest.away > Math.max(1, closest.name.length * MEANT_WITHIN)) return ''
  return `; did you mean "${closest.name}"?`
}
