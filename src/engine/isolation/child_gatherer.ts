// The context of a gatherer in the process of an isolated module: the same interface as in the service, with every request
// sent to it.
import { Duplex } from 'node:stream'
import { onAbort } from '../../base/abort.ts'
import type { GatherContext } from '../../evidence/evidence.ts'
import type { Limits } from '../../network/limits.ts'
import type { CheckNetwork, ConnectResult, FetchResult } from '../../network/network.ts'
import type { Target } from '../../targets/target.ts'
import { deepFreeze } from '../freeze.ts'
import { PIECE_BYTES } from './protocol.ts'

/** What a gatherer is given. Clocks differ between processes, so times are milliseconds from now. */
export interface GatherRequest {
  readonly target: Target
  readonly now: string
  readonly elapsed_ms: number
  readonly left_ms: number
  readonly limits: Limits
}

/** Puts a request to the check. Rejects with the service's error, or if the request cannot be sent. */
export type Ask = (name: string, argument: object) => Promise<unknown>

export function gatherContext(request: GatherRequest, ask: Ask, signal: AbortSignal): GatherContext {
  const { target, now, elapsed_ms, left_ms, limits } = request
  const began = performance.now() - elapsed_ms
  return {
    target,
    now: new Date(now),
    signal,
    deadline: performance.now() + left_ms,
    network: { limits, began, ...networkBy(ask) },
    // Nobody else has turns in this process.
    cpu: { run: async step => step() },
    shared: new Map(),
    gather: (async (kind: string) => deepFreeze((await ask('gather', { kind })) as object)) as GatherContext['gather'],
  }
}

/** What the caller no longer waits for is `cancelledAnswer`, though it goes on in the service until its own limit. */
function unlessAborted<Answer>(
  outcome: Promise<unknown>,
  signal: AbortSignal,
  cancelledAnswer: Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(cancelledAnswer)
    const unsubscribe = onAbort(signal, () => resolve(cancelledAnswer))
    outcome.then(answer => resolve(answer as Answer), reject).finally(unsubscribe)
  })
}

const CANCELLED = { ok: false, failure: 'cancelled' } as const

const networkBy = (ask: Ask): Omit<CheckNetwork, 'limits' | 'began'> => ({
  resolver: {
    query: ((name, type, { signal, ...rest }) =>
      unlessAborted(ask('dns', { name, type, ...rest }), signal, {
        status: 'unknown',
        reason: 'cancelled',
      })) as CheckNetwork['resolver']['query'],
  },
  async fetch({ signal, receive, ...request }) {
    if (receive !== undefined) refuse('fetch with "receive"', 'use "body"')
    const fetchResult = await unlessAborted<FetchResult>(ask('fetch', request), signal, { ...CANCELLED, exchanges: [] })
    return fetchResult.ok ? { ...fetchResult, body: Buffer.from(`${fetchResult.body}`, 'base64') } : fetchResult
  },
  async connect({ signal, ...request }) {
    const connectResult = await unlessAborted<RelayedConnection>(ask('connect', request), signal, CANCELLED)
    if (!connectResult.ok) return connectResult
    const socket = new RelayedSocket(
      (name, more) => ask(name, { socket: connectResult.socket, ...more }),
      connectResult.address,
    )
    return { ok: true, address: connectResult.address, socket } as unknown as ConnectResult
  },
  refuse: () => refuse('refuse', VETTING_REASON),
  refuseName: () => refuse('refuseName', VETTING_REASON),
  reachesMail: () => refuse('reachesMail', 'needs state of the service'),
  takeRequest: () => refuse('takeRequest', 'fetch takes requests by itself'),
})

type RelayedConnection =
  | Extract<ConnectResult, { ok: false }>
  | { readonly ok: true; readonly address: string; readonly socket: number }

const VETTING_REASON = 'connect and fetch vet every address'

function refuse(what: string, instead: string): never {
  throw new Error(`network.${what} is not available to isolated plugins: ${instead}`)
}

/** A connection that the service holds, with what gatherers use of a `net.Socket`. TLS works on it: `connect({ socket })`. */
class RelayedSocket extends Duplex {
  readonly remoteAddress: string
  readonly #ask: (name: string, more?: object) => Promise<unknown>
  #idle_ms = 0
  #idle: NodeJS.Timeout | undefined

  constructor(ask: (name: string, more?: object) => Promise<unknown>, address: string) {
    super({ allowHalfOpen: false })
    this.#ask = ask
    this.remoteAddress = address
  }

  override _read(): void {
    this.#ask('read').then(
      data => {
        this.#touch()
        this.push(data === null ? null : Buffer.from(`${data}`, 'base64'))
      },
      error => this.destroy(error),
    )
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#writeAll(chunk).then(() => done(), done)
  }

  async #writeAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await this.#ask('write', { data: chunk.subarray(at, at + PIECE_BYTES).toString('base64') })
      this.#touch()
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
}
