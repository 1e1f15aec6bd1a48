// The protocol between the service and the process of an isolated module: JSON, one numbered message per line in each
// direction.

import type { Limits } from '../network/limits.ts'
import type { Described } from '../presentation/presentation.ts'
import type { Target } from '../targets/target.ts'

/** Longest line that the service accepts: a description with schemas. Findings have a much lower limit. */
export const LINE_BYTES = 1024 * 1024

/** The process's file descriptor for answers. 0 carries the questions; 1 and 2 are free for output of the module. */
export const ANSWERS_FD = 3

/**
 * What a gatherer may ask of its check. The process keeps to these limits by itself; one that exceeds them is killed.
 * Unanswered requests, more of which wait in the process: more than a check has connections and queries at a time.
 */
export const OPEN_REQUESTS = 32
/** Requests of one gatherer in one check: the network has budgets of its own, reading a stream takes one for each piece. */
export const REQUESTS = 2_000
/** Octets of messages from one gatherer in one check. */
export const SENT_BYTES = 8 * LINE_BYTES
/** Octets of evidence, bodies and streams that one gatherer receives in one check; it is refused any more. */
export const RECEIVED_BYTES = 16 * 1024 * 1024
/** Octets of a body or of a piece of a stream: one message, and the most that a page may have. */
export const BODY_BYTES = 2 * 1024 * 1024
export const PIECE_BYTES = 64 * 1024

/**
 * The questions. `load` names the module by its URL and comes first; the others name a plugin by its index in the exports.
 * All are answered in order, except `gather`, which takes as long as it takes. `ping` shows that the process is not stuck.
 */
export type Question =
  | { readonly load: string }
  | { readonly ping: true }
  | Turn
  | DescribeQuestion
  | ApplyQuestion
  | GatherQuestion

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

export interface DescribeQuestion {
  readonly at: number
  readonly describe: { readonly section: unknown; readonly described: Described }
}

export interface ApplyQuestion {
  readonly at: number
  readonly apply: { readonly options: unknown }
}

export interface GatherQuestion {
  readonly at: number
  readonly gather: {
    readonly kind: string
    readonly options: unknown
    readonly target: Target
    readonly now: string
    /** Milliseconds since the check began and until its deadline: the clocks of two processes differ. */
    readonly elapsed_ms: number
    readonly left_ms: number
    readonly limits: Limits
  }
}

/** From the service: a question, the end of a gathering (its number), or the reply to a request of a gatherer. */
export type Downward = (Question & { readonly n: number }) | { readonly over: number } | Reply

export type Reply =
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly error: Thrown }

/** From the process: the answer to a question, a request of a gatherer, or a request that it no longer waits for. */
export type Upward =
  | (Answer & { readonly to: number })
  | { readonly of: number; readonly request: number; readonly name: string; readonly with: unknown }
  | { readonly of: number; readonly drop: number }

/** `reason` is that of evidence that is not available or not applicable, `code` that of a broken connection. */
export interface Thrown {
  readonly name: string
  readonly message: string
  readonly reason?: string
  readonly code?: string
}

/**
 * `error` is what the module or its plugin threw; `too_large` stands for an answer that exceeds a line, `promise` for one in
 * place of a finding; `kinds` are those that an extension gathers.
 */
export type Answer =
  | { readonly plugins: readonly unknown[] }
  | { readonly finding: unknown }
  | { readonly description: unknown }
  | { readonly kinds: readonly string[] }
  | { readonly evidence: unknown }
  | { readonly error: Thrown }
  | { readonly too_large: true }
  | { readonly promise: true }
  | { readonly pong: true }

/** Assembles lines from chunks. Calls `refuse` once a line exceeds `most` octets and ignores everything after it. */
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
