// What a gatherer in another process may ask of its check, done here: by the network of that check, hence within its guard,
// its budgets and its time. Everything that the gatherer holds is released when it has answered or the check has ended.
import type { Socket } from 'node:net'
import { Type } from 'typebox'
import { faultLine } from '../engine/fault.ts'
import { schemaFault, sectionValidator } from '../engine/json_schema.ts'
import { errorParts } from '../errors.ts'
import type { EvidenceName, GatherContext } from '../evidence/evidence.ts'
import { OVER, onAbort } from '../network/abort.ts'
import { connectionFailure } from '../network/connection.ts'
import { type RecordType, readers } from '../network/dns_records.ts'
import type { ConnectRequest, FetchRequest } from '../network/network.ts'
import type { Requests } from './module_process.ts'
import {
  BODY_BYTES,
  OPEN_REQUESTS,
  PIECE_BYTES,
  RECEIVED_BYTES,
  REQUESTS,
  type Reply,
  SENT_BYTES,
  type Thrown,
} from './protocol.ts'

export interface Relay extends Requests {
  /** Closes what is open and tells the process, unless the gatherer has answered. */
  close(): void
}

/** `knows` tells whether a kind of evidence has a gatherer. */
export function openRelay(context: GatherContext, knows: (kind: string) => boolean): Relay {
  const underway = new Map<number, AbortController>()
  const sockets: Socket[] = []
  const texts = new Map<string, Promise<string>>()
  let requests = 0
  let sent = 0
  let received = 0
  let isOver = false
  let reply: (reply: Reply) => void = () => {}
  let over: () => void = () => {}

  async function answer(request: number, name: string, given: unknown, stop: AbortController): Promise<void> {
    const answered = await perform(name, given, { context, knows, sockets, texts, signal: stop.signal }).then(
      (value): Reply => ({ reply: request, value }),
      (error): Reply => ({ reply: request, error: thrown(error) }),
    )
    if (!underway.delete(request)) return
    received += octetsOf(answered)
    reply(received > RECEIVED_BYTES ? { reply: request, error: TOO_MUCH } : answered)
  }

  const relay: Relay = {
    opened(replying, ending) {
      reply = replying
      over = ending
    },
    take(message, octets) {
      const { request, drop, name, with: given } = message as Readonly<Record<string, unknown>>
      sent += octets
      if (sent > SENT_BYTES) throw new Error(`sent more than ${SENT_BYTES} octets in one check`)
      if (typeof drop === 'number') {
        // Not counted from now on, because the process may ask for something else in the same breath.
        const stop = underway.get(drop)
        underway.delete(drop)
        stop?.abort(OVER)
        return
      }
      if (typeof request !== 'number' || typeof name !== 'string' || !Object.hasOwn(operations, name))
        throw new Error('asked for something unknown')
      requests += 1
      if (requests > REQUESTS) throw new Error(`asked more than ${REQUESTS} times in one check`)
      if (underway.size >= OPEN_REQUESTS) throw new Error(`asked ${OPEN_REQUESTS + 1} things at once`)
      if (underway.has(request)) throw new Error('used the number of a request twice')
      const stop = new AbortController()
      underway.set(request, stop)
      void answer(request, name, given, stop)
    },
    close() {
      if (isOver) return
      isOver = true
      unsubscribe()
      for (const stop of underway.values()) stop.abort(OVER)
      underway.clear()
      for (const socket of sockets) socket.destroy()
      over()
    },
  }
  const unsubscribe = onAbort(context.signal, relay.close)
  return relay
}

const TOO_MUCH: Thrown = { name: 'Error', message: `received more than ${RECEIVED_BYTES} octets in one check` }

/** Only what can be large: bodies, pieces of streams and other evidence. */
function octetsOf(reply: Reply): number {
  const { value } = reply as { readonly value?: unknown }
  if (typeof value !== 'object' || value === null) return 0
  const { body, data, evidence } = value as Readonly<Record<string, unknown>>
  return [body, data, evidence].reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}

function thrown(error: unknown): Thrown {
  const { reason, code } = Object(error) as { readonly reason?: unknown; readonly code?: unknown }
  return {
    ...errorParts(error),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  }
}

interface Performing {
  readonly context: GatherContext
  readonly knows: (kind: string) => boolean
  /** The sockets that this gatherer opened, by number. */
  readonly sockets: Socket[]
  /** Evidence as JSON, by kind: made once, however often it is asked for. */
  readonly texts: Map<string, Promise<string>>
  readonly signal: AbortSignal
}

async function perform(name: string, given: unknown, performing: Performing): Promise<unknown> {
  const { complaint, run } = operations[name] as Operation
  const fault = complaint(given)
  if (fault !== null) throw new TypeError(faultLine(schemaFault(name, fault)))
  return run(given, performing)
}

interface Operation {
  readonly complaint: ReturnType<typeof sectionValidator>
  run(given: unknown, performing: Performing): Promise<unknown>
}

const closed = { additionalProperties: false }
const NameSchema = Type.String({ maxLength: 255 })
const milliseconds = Type.Number({ minimum: 0 })
const port = Type.Integer({ minimum: 1, maximum: 65_535 })
const addresses = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64 })
/** RFC 9110 sections 5.1 and 5.5: nothing that would end a line. */
const HeadersSchema = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  Type.String({ pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$' }),
  closed,
)
const SocketSchema = Type.Object({ socket: Type.Integer({ minimum: 0 }) }, closed)

const operation = (schema: object, run: (given: never, performing: Performing) => Promise<unknown>): Operation => ({
  complaint: sectionValidator(schema),
  run: run as Operation['run'],
})

interface OfSocket {
  readonly socket: number
}

const operations: Readonly<Record<string, Operation>> = {
  dns: operation(
    Type.Object(
      {
        name: NameSchema,
        type: Type.Enum(Object.keys(readers)),
        checkingDisabled: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    ({ name, type, ...rest }: { name: string; type: RecordType }, { context: { network }, signal }) =>
      network.resolver.query(name, type, { ...rest, signal }),
  ),

  /** The body as Base64. */
  fetch: operation(
    Type.Object(
      {
        url: Type.String({ maxLength: 8_192 }),
        addresses: Type.Optional(addresses),
        max_bytes: Type.Integer({ minimum: 0 }),
        timeout_ms: milliseconds,
        redirects: Type.Integer({ minimum: 0, maximum: 20 }),
        https_only: Type.Optional(Type.Boolean()),
        accept: Type.Optional(Type.String()),
        headers: Type.Optional(HeadersSchema),
        body_ms: Type.Optional(milliseconds),
        headers_ms: Type.Optional(milliseconds),
        purpose: Type.Optional(Type.Enum(['page', 'files', 'entrances', 'services'])),
        service: Type.Optional(Type.Boolean()),
        verify_certificate: Type.Optional(Type.Boolean()),
        body: Type.Optional(Type.String()),
        port: Type.Optional(port),
      },
      closed,
    ),
    async (request: FetchRequest, { context: { network }, signal }) => {
      const max_bytes = Math.min(request.max_bytes, BODY_BYTES)
      const fetched = await network.fetch({ ...request, max_bytes, signal })
      return fetched.ok ? { ...fetched, body: fetched.body.toString('base64') } : fetched
    },
  ),

  /** The number of the socket, with the address. */
  connect: operation(
    Type.Object({ addresses, port, purpose: Type.Optional(Type.Enum(['site', 'tls_offer', 'mail'])) }, closed),
    async (request: ConnectRequest, { context: { network }, sockets, signal }) => {
      const connected = await network.connect({ ...request, signal })
      if (!connected.ok) return connected
      if (signal.aborted) {
        connected.socket.destroy()
        return { ok: false, failure: 'cancelled' }
      }
      sockets.push(connected.socket)
      return { ok: true, address: connected.address, socket: sockets.length - 1 }
    },
  ),

  /** The next piece as Base64; null at the end. */
  read: operation(SocketSchema, async ({ socket: at }: OfSocket, { sockets, signal }) => {
    const piece = await nextPiece(socketAt(sockets, at), signal)
    return { data: piece === null ? null : piece.toString('base64') }
  }),

  /** Resolves when the octets are on their way. */
  write: operation(
    Type.Object({ socket: Type.Integer({ minimum: 0 }), data: Type.String({ maxLength: 2 * PIECE_BYTES }) }, closed),
    ({ socket: at, data }: OfSocket & { readonly data: string }, { sockets }) =>
      new Promise((resolve, reject) =>
        socketAt(sockets, at).write(Buffer.from(data, 'base64'), error =>
          error ? reject(connectionError(error)) : resolve(null),
        ),
      ),
  ),

  end: operation(SocketSchema, async ({ socket: at }: OfSocket, { sockets }) => {
    socketAt(sockets, at).end()
    return null
  }),

  destroy: operation(SocketSchema, async ({ socket: at }: OfSocket, { sockets }) => {
    socketAt(sockets, at).destroy()
    return null
  }),

  /** As JSON, because it is as large as a body. */
  gather: operation(
    Type.Object({ kind: NameSchema }, closed),
    async ({ kind }: { readonly kind: string }, { context, knows, texts }) => {
      if (!knows(kind)) throw new Error(`there is no evidence "${kind}"`)
      const text = texts.get(kind) ?? context.gather(kind as EvidenceName).then(found => JSON.stringify(found))
      texts.set(kind, text)
      return { evidence: await text }
    },
  ),
}

function socketAt(sockets: readonly Socket[], at: number): Socket {
  const socket = sockets[at]
  if (socket === undefined) throw new TypeError('there is no such socket')
  return socket
}

/** By reading only what is asked for, a slow reader slows down the peer. */
function nextPiece(socket: Socket, signal: AbortSignal): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const piece: Buffer | null = socket.read(Math.min(socket.readableLength, PIECE_BYTES) || undefined)
      if (piece !== null) return done(() => resolve(piece))
      if (socket.errored) return done(() => reject(connectionError(socket.errored)))
      if (socket.readableEnded || socket.destroyed) done(() => resolve(null))
    }
    const done = (settle: () => void) => {
      for (const event of EVENTS) socket.off(event, look)
      stop()
      settle()
    }
    for (const event of EVENTS) socket.on(event, look)
    const stop = onAbort(signal, () => done(() => resolve(null)))
    look()
  })
}

const EVENTS = ['readable', 'end', 'close'] as const

/** The error as its peer sees it, without addresses. */
function connectionError(error: NodeJS.ErrnoException | null): Error {
  const { code } = error ?? {}
  return Object.assign(new Error(`the connection failed: ${connectionFailure(error ?? new Error())}`), { code })
}
