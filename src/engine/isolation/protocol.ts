// The protocol between the service and the process of an isolated module: numbered calls and their answers, one line of JSON
// each. Node's own channel (`child.send`) has no limit to a message, and the service must not hold what a module invents.
import { errorParts } from '../../base/errors.ts'
import { asDeclined, isReason, NotApplicable, Unavailable } from '../../evidence/facts.ts'

/** Longest line that the service accepts: a description with schemas. Findings have a much lower limit. */
export const LINE_BYTES = 1024 * 1024

/** The process's file descriptor for its messages. 0 carries messages of the service; 1 and 2 are free for output of the module. */
export const ANSWERS_FD = 3

/** Octets of one write to a connection that the service holds: well below a line in Base64. */
export const PIECE_BYTES = 64 * 1024

/** Requests to a process (`load`, `analyze`, ...) and requests of a gatherer to its check (`fetch`, `dns`, ...). */
export interface CallMessage {
  readonly call: number
  readonly name: string
  readonly given: unknown
  /** The gatherer's call that makes the request. */
  readonly of?: number
}

export type AnswerMessage =
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: ThrownError }

/** The check of the gatherer that this call began has ended. */
export interface OverMessage {
  readonly over: number
}

/** `reason` belongs to evidence that is not available or not applicable, `code` to a broken connection. */
export interface ThrownError {
  readonly name: string
  readonly message: string
  readonly reason?: string
  readonly code?: string
}

export function thrownErrorOf(error: unknown): ThrownError {
  const { reason, code } = Object(error) as { readonly reason?: unknown; readonly code?: unknown }
  return {
    ...errorParts(error),
    ...(isReason(reason) && { reason }),
    ...(typeof code === 'string' && { code }),
  }
}

/** The error on the other side, which may be untrusted. One that declines is of the class that gatherers test for. */
export function errorOf(from: unknown): Error {
  const { name, message, reason, code } = Object(from) as Readonly<Record<string, unknown>>
  const declined = asDeclined({ name, reason })
  if (declined?.status === 'unavailable') return new Unavailable(declined.reason)
  if (declined?.status === 'not_applicable') return new NotApplicable(declined.reason)
  return Object.assign(new Error(String(message)), {
    name: String(name),
    ...(typeof code === 'string' && { code }),
    ...(isReason(reason) && { reason }),
  })
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The calls of one side that have no answer yet. */
export function openCalls(send: (message: object) => void) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  return {
    /** The number of the latest call. */
    last: () => last,
    /** Throws when the call cannot be sent. */
    ask(name: string, argument: unknown, of?: number): { readonly call: number; readonly answer: Promise<unknown> } {
      const call = last + 1
      send({ call, name, given: argument, ...(of !== undefined && { of }) } satisfies CallMessage)
      last = call
      const answer = new Promise((resolve, reject) => waiting.set(call, { resolve, reject }))
      return { call, answer }
    },
    /** False if no caller waits for the answer. */
    settle(message: AnswerMessage): boolean {
      const one = waiting.get(message.answer)
      if (one === undefined) return false
      waiting.delete(message.answer)
      if ('error' in message) one.reject(errorOf(message.error))
      else one.resolve(message.value)
      return true
    },
    /** Rejects one call, or all of them. */
    fail(error: Error, call?: number): void {
      for (const [number, { reject }] of [...waiting]) {
        if (call !== undefined && number !== call) continue
        waiting.delete(number)
        reject(error)
      }
    },
  }
}

/** Assembles lines from chunks. Calls `refuse` once a line exceeds `most` octets and ignores everything after it. */
export function lineReader(most: number, take: (line: string) => void, refuse: () => void): (piece: Buffer) => void {
  let pieces: Buffer[] = []
  let pendingLength = 0
  return piece => {
    let rest = piece
    for (let end = rest.indexOf('\n'); end !== -1 && pendingLength + end <= most; end = rest.indexOf('\n')) {
      take(Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8'))
      pieces = []
      pendingLength = 0
      rest = rest.subarray(end + 1)
    }
    if (pendingLength > most) return
    pieces.push(rest)
    pendingLength += rest.length
    if (pendingLength <= most) return
    pieces = []
    refuse()
  }
}
