// The DevTools protocol over a pipe: JSON messages that end with NUL. Clients in libraries keep an object for whatever a page does
// and read everything it makes the browser say; here a page can neither fill the memory of this process nor keep it busy.
import type { Readable, Writable } from 'node:stream'

type Json = Readonly<Record<string, unknown>>

export type Listener = (method: string, params: Json) => void

export interface Protocol {
  /**
   * Rejects with a `ProtocolError`: the browser refused it, its answer is too large, or the browser is gone. `session` is that of a
   * page; the browser's own when absent.
   */
  send(method: string, params?: Json, session?: string): Promise<Json>
  /** Calls the listener for the events of a session, or of the browser itself (null). Returns a function that ends it. */
  subscribe(session: string | null, listener: Listener): () => void
  /** Everything that the session says is dropped unread from now on, answers included. */
  mute(session: string): void
  /** Resolves when the pipe has ended. */
  readonly closed: Promise<void>
}

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** Octets of an answer: documents and pictures are cut far below. */
const ANSWER_BYTES = 8 * 1024 * 1024
/** Octets of an event: those that matter are small, and a page decides how large others are. */
const EVENT_BYTES = 64 * 1024
/** Octets of the beginning and the end of a message, which tell its number and its session. */
const ENDS = 96

interface Pending {
  readonly session: string | undefined
  resolve(result: Json): void
  reject(error: Error): void
}

export function createProtocol(input: Readable, output: Writable): Protocol {
  const pending = new Map<number, Pending>()
  const listeners = new Map<string | null, Set<Listener>>()
  const mutedSessions = new Set<string>()
  let last = 0
  let isOver = false
  let finish: () => void = () => {}
  const closing = new Promise<void>(resolve => {
    finish = resolve
  })

  function take(id: number): Pending | undefined {
    const one = pending.get(id)
    pending.delete(id)
    return one
  }

  function receive(message: Buffer): void {
    const session = sessionOf(message)
    if (session !== null && mutedSessions.has(session)) return
    const { id, result, error, method, params } = JSON.parse(message.toString()) as {
      readonly id?: number
      readonly result?: Json
      readonly error?: { readonly message: string }
      readonly method?: string
      readonly params?: Json
    }
    if (id !== undefined) {
      const one = take(id)
      if (error) one?.reject(new ProtocolError(error.message))
      else one?.resolve(result ?? {})
    } else if (method !== undefined) {
      for (const listener of listeners.get(session) ?? []) listener(method, params ?? {})
    }
  }

  function end(): void {
    if (isOver) return
    isOver = true
    for (const one of pending.values()) one.reject(new ProtocolError('the browser is gone'))
    pending.clear()
    finish()
  }

  const reader = createReader(receive, id => take(id)?.reject(new ProtocolError('the answer is too large')))
  input.on('data', reader)
  for (const stream of [input, output]) stream.on('error', end).on('close', end)

  return {
    closed: closing,
    send(method, params = {}, session) {
      if (isOver) return Promise.reject(new ProtocolError('the browser is gone'))
      last += 1
      const id = last
      output.write(`${JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })}\0`)
      return new Promise((resolve, reject) => pending.set(id, { session, resolve, reject }))
    },
    subscribe(session, listener) {
      const all = listeners.get(session) ?? new Set()
      listeners.set(session, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(session)
      }
    },
    mute(session) {
      mutedSessions.add(session)
      for (const [id, one] of pending) {
        if (one.session === session) take(id)?.reject(new ProtocolError('the session is over'))
      }
    },
  }
}

const SESSION = /"sessionId":"([0-9A-F]{8,64})"\}$/

/** The session is the last member of a message. */
const sessionOf = (message: Buffer): string | null =>
  SESSION.exec(message.subarray(Math.max(0, message.length - ENDS)).toString('latin1'))?.[1] ?? null

/** Splits what arrives into messages. One that is too large is skipped without being held. */
function createReader(receive: (message: Buffer) => void, tooLarge: (id: number) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let isSkipping = false

  const capOf = (first: Buffer): number => (idOf(first) === null ? EVENT_BYTES : ANSWER_BYTES)

  function hold(part: Buffer): void {
    if (isSkipping || part.length === 0) return
    parts.push(part)
    size += part.length
    const [first = part] = parts
    if (size <= capOf(first)) return
    isSkipping = true
    const id = idOf(first)
    parts = []
    if (id !== null) tooLarge(id)
  }

  return chunk => {
    let from = 0
    for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, from)) {
      hold(chunk.subarray(from, at))
      const [only] = parts
      if (!isSkipping && only !== undefined) receive(parts.length === 1 ? only : Buffer.concat(parts, size))
      parts = []
      size = 0
      isSkipping = false
      from = at + 1
    }
    hold(chunk.subarray(from))
  }
}

/** The number of an answer, with which it begins; null for an event. */
function idOf(message: Buffer): number | null {
  const [, id] = /^\{"id":(\d{1,15})[,}]/.exec(message.subarray(0, ENDS).toString('latin1')) ?? []
  return id === undefined ? null : Number(id)
}
