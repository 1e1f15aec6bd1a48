// The context of a gatherer in the process of an isolated module: the same interface as in the service, with every request
// sent to it.
import { Duplex } from 'node:stream'
import { deepFreeze } from '../engine/freeze.ts'
import type { EvidenceName, GatherContext } from '../evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../evidence/facts.ts'
import { onAbort } from '../network/abort.ts'
import type { CheckNetwork, ConnectResult, Fetched } from '../network/network.ts'
import {
  type GatherQuestion,
  LINE_BYTES,
  OPEN_REQUESTS,
  PIECE_BYTES,
  REQUESTS,
  type Reply,
  SENT_BYTES,
  type Thrown,
  type Upward,
} from './protocol.ts'

export interface Gathering {
  readonly context: GatherContext
  /** Takes the reply to a request. False when the request is not one of this gathering. */
  take(reply: Reply): boolean
  /** Ends what is open: the gatherer has answered, or its check is over. */
  end(): void
}

/** Why a request was not made or not answered. */
class Stopped extends Error {
  readonly kind: 'cancelled' | 'limit'
  constructor(kind: Stopped['kind']) {
    super(kind === 'limit' ? 'the gatherer asked for more than one check allows' : 'the check has ended')
    this.kind = kind
  }
}

interface Request {
  readonly number: number
  readonly line: Upward
  settle(reply: Reply | Error): void
}

type Ask = (name: string, given: object, signal?: AbortSignal) => Promise<unknown>

/** `send` writes a message, or throws if it is too long; `number` gives requests numbers that are unique in this process. */
export function openGathering(
  of: number,
  { target, now, elapsed_ms, left_ms, limits }: GatherQuestion['gather'],
  send: (message: Upward) => number,
  number: () => number,
): Gathering {
  const ended = new AbortController()
  const waiting: Request[] = []
  const open = new Map<number, Request>()
  let requests = 0
  let octets = 0

  const ask: Ask = (name, given, signal) =>
    new Promise((resolve, reject) => {
      if (ended.signal.aborted || signal?.aborted) throw new Stopped('cancelled')
      if (requests >= REQUESTS || octets > SENT_BYTES - LINE_BYTES) throw new Stopped('limit')
      requests += 1
      const request: Request = {
        number: number(),
        get line(): Upward {
          return { of, request: request.number, name, with: given }
        },
        settle(reply) {
          unsubscribe?.()
          if (reply instanceof Error) reject(reply)
          else if ('error' in reply) reject(errorOf(reply.error))
          else resolve(reply.value)
        },
      }
      const leave = () => {
        const at = waiting.indexOf(request)
        if (at !== -1) waiting.splice(at, 1)
        else if (open.delete(request.number)) octets += send({ of, drop: request.number })
        request.settle(new Stopped('cancelled'))
        next()
      }
      const unsubscribe = signal && signal !== ended.signal ? onAbort(signal, leave) : undefined
      waiting.push(request)
      next()
    })

  function next(): void {
    while (open.size < OPEN_REQUESTS) {
      const request = waiting.shift()
      if (request === undefined) return
      open.set(request.number, request)
      try {
        octets += send(request.line)
      } catch (error) {
        open.delete(request.number)
        request.settle(error as Error)
      }
    }
  }

  return {
    context: {
      target,
      now: new Date(now),
      signal: ended.signal,
      deadline: performance.now() + left_ms,
      network: networkBy(ask, { limits, began: performance.now() - elapsed_ms }),
      // Nobody else has turns in this process.
      cpu: { run: async step => step() },
      shared: new Map(),
      gather: (async (kind: EvidenceName) => {
        const { evidence } = (await ask('gather', { kind }).catch(decline)) as { readonly evidence: string }
        return deepFreeze(JSON.parse(evidence))
      }) as GatherContext['gather'],
    },
    take(reply) {
      const request = open.get(reply.reply)
      if (request === undefined) return false
      open.delete(reply.reply)
      request.settle(reply)
      next()
      return true
    },
    end() {
      if (ended.signal.aborted) return
      ended.abort('over')
      for (const request of [...open.values(), ...waiting.splice(0)]) request.settle(new Stopped('cancelled'))
      open.clear()
    },
  }
}

/** As the service's own error, so that a gatherer can tell it by its class. */
function errorOf({ name, message, reason = '', code }: Thrown): Error {
  if (name === 'Unavailable') return new Unavailable(reason)
  if (name === 'NotApplicable') return new NotApplicable(reason)
  return Object.assign(
    name === 'TypeError' ? new TypeError(message) : new Error(message),
    code === undefined ? {} : { code },
  )
}

function decline(error: unknown): never {
  if (!(error instanceof Stopped)) throw error
  throw new Unavailable(error.kind === 'limit' ? 'too_many_requests' : 'cancelled')
}

/** What an operation that never rejects answers when it was stopped. */
const unlessStopped =
  <Answered>(answerOf: (kind: Stopped['kind']) => Answered) =>
  (error: unknown): Answered => {
    if (error instanceof Stopped) return answerOf(error.kind)
    throw error
  }

const failed = (limit: string) => (kind: Stopped['kind']) =>
  ({ ok: false, failure: kind === 'limit' ? limit : 'cancelled' }) as const

function networkBy(ask: Ask, known: Pick<CheckNetwork, 'limits' | 'began'>): CheckNetwork {
  return {
    ...known,
    resolver: {
      query: ((name, type, { signal, ...rest }) =>
        ask('dns', { name, type, ...rest }, signal).catch(
          unlessStopped(kind => ({ status: 'unknown', reason: kind === 'limit' ? 'too_many_queries' : 'cancelled' })),
        )) as CheckNetwork['resolver']['query'],
    },
    async fetch({ signal, receive, ...request }) {
      if (receive !== undefined) throw unavailable('fetch with "receive"', 'use "body"')
      const fetched = (await ask('fetch', request, signal).catch(
        unlessStopped(kind => ({ ...failed('too_many_requests')(kind), exchanges: [] })),
      )) as Fetched
      return fetched.ok ? { ...fetched, body: Buffer.from(`${fetched.body}`, 'base64') } : fetched
    },
    async connect({ signal, ...request }) {
      const connected = (await ask('connect', request, signal).catch(
        unlessStopped(failed('too_many_connections')),
      )) as RelayedConnection
      if (!connected.ok) return connected
      const { address, socket } = connected
      return {
        ok: true,
        address,
        socket: new RelayedSocket(ask, socket, address, request.port),
      } as unknown as Connected
    },
    refuse: () => refuseCall('refuse', VETTED),
    refuseName: () => refuseCall('refuseName', VETTED),
    reachesMail: () => refuseCall('reachesMail', 'needs state of the service'),
    takeRequest: () => refuseCall('takeRequest', 'fetch takes requests by itself'),
  }
}

type Connected = Extract<ConnectResult, { ok: true }>
type RelayedConnection =
  | Extract<ConnectResult, { ok: false }>
  | { readonly ok: true; readonly address: string; readonly socket: number }

const VETTED = 'connect and fetch vet every address'

const unavailable = (what: string, instead: string): Error =>
  new Error(`network.${what} is not available to isolated plugins: ${instead}`)

function refuseCall(name: string, instead: string): never {
  throw unavailable(name, instead)
}

/** A connection that the service holds, with what gatherers use of a `net.Socket`. TLS works on it: `connect({ socket })`. */
class RelayedSocket extends Duplex {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly connecting = false
  bytesRead = 0
  bytesWritten = 0
  readonly #ask: (name: string, more?: object) => Promise<unknown>
  #idle_ms = 0
  #idle: NodeJS.Timeout | undefined

  constructor(ask: Ask, socket: number, address: string, port: number) {
    super({ allowHalfOpen: false })
    this.#ask = (name, more) => ask(name, { socket, ...more })
    this.remoteAddress = address
    this.remotePort = port
  }

  override _read(): void {
    this.#ask('read').then(
      answer => {
        const { data } = answer as { readonly data: string | null }
        this.#touch()
        const piece = data === null ? null : Buffer.from(data, 'base64')
        this.bytesRead += piece?.length ?? 0
        this.push(piece)
      },
      error => this.destroy(error),
    )
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#writeAll(chunk).then(() => done(), done)
  }

  async #writeAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES)
      await this.#ask('write', { data: piece.toString('base64') })
      this.#touch()
      this.bytesWritten += piece.length
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    void this.#ask('end').then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.setTimeout(0)
    // The service closes it by itself when the gatherer has answered.
    this.#ask('destroy').catch(() => {})
    done(error)
  }

  /** Milliseconds without data after which `timeout` is emitted; 0 for none. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener) this.once('timeout', listener)
    this.#idle_ms = milliseconds
    this.#touch()
    return this
  }

  #touch(): void {
    clearTimeout(this.#idle)
    if (this.#idle_ms > 0) this.#idle = setTimeout(() => this.emit('timeout'), this.#idle_ms)
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
