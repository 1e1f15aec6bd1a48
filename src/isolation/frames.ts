// What goes between the service and the process of an isolated module: JSON, a message a line, each way one at a time.
import type { Target } from '../target/target.ts'

/** Octets of a line that the service takes from there: a description with its schemas; findings are held to far less. */
export const LINE_BYTES = 1024 * 1024

/** Of that process, its own end of the line of answers; 0 is the line of questions, 1 and 2 are for whoever prints. */
export const ANSWERS_FD = 3

/** The first names the module by its URL; each other one asks an analyzer of it, by its place. */
export type Question = { readonly load: string } | Turn

export interface Turn {
  readonly at: number
  readonly evidence: object
  readonly context: {
    readonly target: Target
    readonly options: unknown
    /** ISO 8601 with milliseconds. */
    readonly now: string
    readonly missing: object
  }
}

/** `error` is what the module or its analyzer threw, `too_large` a finding that no line holds. */
export type Answer =
  | { readonly plugins: readonly unknown[] }
  | { readonly finding: unknown }
  | { readonly error: { readonly name: string; readonly message: string } }
  | { readonly too_large: true }

/** Puts lines together from pieces. Once one is longer than `most` octets, `refuse` is called and nothing more is taken. */
export function lineReader(most: number, take: (line: string) => void, refuse: () => void): (piece: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  return piece => {
    let rest = piece
    for (let end = rest.indexOf('\n'); end !== -1 && held + end <= most; end = rest.indexOf('\n')) {
      take(Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8'))
      pieces = []
      held = 0
      rest = rest.subarray(end + 1)
    }
    if (held > most) return
    pieces.push(rest)
    held += rest.length
    if (held <= most) return
    pieces = []
    refuse()
  }
}
