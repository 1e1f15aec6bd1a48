// What a gatherer in another process may ask of its check, done here: by the network of that check, hence within its guard,
// its budgets, its time and the hosts that its extension declares. What it opened closes when it has answered.
import type { Socket } from 'node:net'
import { Type } from 'typebox'
import { faultLine } from '../../base/fault.ts'
import type { EvidenceName, GatherContext } from '../../evidence/evidence.ts'
import { Unavailable } from '../../evidence/facts.ts'
import { connectionFailure } from '../../network/connection.ts'
import { type RecordType, readers } from '../../network/dns_records.ts'
import type { ConnectRequest, FetchRequest } from '../../network/network.ts'
import { schemaFault, sectionValidator } from '../json_schema.ts'
import { PIECE_BYTES } from './protocol.ts'

/** Requests of one gatherer in one check; reading a stream takes one for each piece. It is refused any more. */
export const REQUESTS = 2_000
/** Requests after which it is not refused, but ended: it does not listen. */
export const ENDED_REQUESTS = 2 * REQUESTS
/** Octets of requests, evidence, bodies and streams of one gatherer in one check. */
export const EXCHANGED_BYTES = 16 * 1024 * 1024
/** Octets of a body: the most that a page may have. */
const BODY_BYTES = 2 * 1024 * 1024

export type Relay = ReturnType<typeof openRelay>

/** `knows` says whether a kind of evidence has a gatherer. */
export function openRelay(context: GatherContext, knows: (kind: string) => boolean) {
  const stop = new AbortController()
  const performing: Performing = { context, knows, connections: [], signal: stop.signal }
  let requests = 0
  let exchangeCount = 0

  async function perform({ complaint, run }: Operation, call: number, name: string, message: unknown): Promise<string> {
    if (requests > REQUESTS) throw new Unavailable('too_many_requests')
    const fault = complaint(message)
    if (fault !== null) throw new TypeError(faultLine(schemaFault(name, fault)))
    const text = JSON.stringify({ answer: call, value: (await run(message, performing)) ?? null })
    exchangeCount += text.length
    if (exchangeCount > EXCHANGED_BYTES) throw new Error(`exchanged more than ${EXCHANGED_BYTES} octets in one check`)
    return text
  }

  return {
    /**
     * The message that answers request `call`, as JSON. Throws when the process must not go on, and rejects with an error for the gatherer.
     * `octets` is the size of the request.
     */
    take(call: number, name: string, message: unknown, octets: number) {
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
      if (operation === undefined) throw new Error('sent an unknown request')
      requests += 1
      exchangeCount += octets
      if (requests > ENDED_REQUESTS) throw new Error(`sent more than ${ENDED_REQUESTS} requests in one check`)
      return perform(operation, call, name, message)
    },
    close() {
      stop.abort()
      for (const { socket } of performing.connections) socket.destroy()
    },
  }
}

interface Performing {
  readonly context: GatherContext
  readonly knows: (kind: string) => boolean
  /** Those that this gatherer opened, by number. */
  readonly connections: Connection[]
  /** Aborts when the gatherer has answered. */
  readonly signal: AbortSignal
}

interface Connection {
  readonly socket: Socket
  /** Reads only on demand, so that a slow reader slows down the peer. */
  readonly pieces: AsyncIterator<Buffer>
}

interface Operation {
  readonly complaint: ReturnType<typeof sectionValidator>
  run(argument: unknown, performing: Performing): Promise<unknown>
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
const SocketSchema = { socket: Type.Integer({ minimum: 0 }) }

const operation = (
  properties: object,
  run: (argument: never, performing: Performing) => Promise<unknown>,
): Operation => ({
  complaint: sectionValidator(Type.Object(properties as Parameters<typeof Type.Object>[0], closed)),
  run: run as Operation['run'],
})

interface OfSocket {
  readonly socket: number
}

const operations: Readonly<Record<string, Operation>> = {
  dns: operation(
    { name: NameSchema, type: Type.Enum(Object.keys(readers)), checkingDisabled: Type.Optional(Type.Boolean()) },
    ({ name, type, ...rest }: { name: string; type: RecordType }, { context: { network }, signal }) =>
      network.resolver.query(name, type, { ...rest, signal }),
  ),

  /** The body as Base64. */
  fetch: operation(
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
    async (request: FetchRequest, { context: { network }, signal }) => {
      const maxBytes = Math.min(request.max_bytes, BODY_BYTES)
      const fetchResult = await network.fetch({ ...request, max_bytes: maxBytes, signal })
      return fetchResult.ok ? { ...fetchResult, body: fetchResult.body.toString('base64') } : fetchResult
    },
  ),

  /** The number of the socket, with the address. */
  connect: operation(
    { addresses, port, purpose: Type.Optional(Type.Enum(['site', 'tls_offer', 'mail'])) },
    async (request: ConnectRequest, { context: { network }, connections, signal }) => {
      const connectResult = await network.connect({ ...request, signal })
      if (!connectResult.ok) return connectResult
      const { socket, address } = connectResult
      if (signal.aborted) socket.destroy()
      connections.push({ socket, pieces: socket.iterator({ destroyOnReturn: false }) })
      return { ok: true, address, socket: connections.length - 1 }
    },
  ),

  /** The next piece as Base64; null at the end. */
  read: operation(SocketSchema, async ({ socket: at }: OfSocket, { connections }) => {
    const { value, done } = await connectionAt(connections, at).pieces.next().catch(throwFailure)
    return done ? null : (value as Buffer).toString('base64')
  }),

  /** Answers when the octets are on their way. */
  write: operation(
    { ...SocketSchema, data: Type.String({ maxLength: 2 * PIECE_BYTES }) },
    ({ socket: at, data }: OfSocket & { readonly data: string }, { connections }) =>
      new Promise<void>((resolve, reject) =>
        connectionAt(connections, at).socket.write(Buffer.from(data, 'base64'), error =>
          error ? reject(error) : resolve(),
        ),
      ).catch(throwFailure),
  ),

  end: operation(SocketSchema, async ({ socket: at }: OfSocket, { connections }) => {
    connectionAt(connections, at).socket.end()
  }),

  destroy: operation(SocketSchema, async ({ socket: at }: OfSocket, { connections }) => {
    connectionAt(connections, at).socket.destroy()
  }),

  gather: operation({ kind: NameSchema }, async ({ kind }: { readonly kind: string }, { context, knows }) => {
    if (!knows(kind)) throw new Error(`there is no evidence "${kind}"`)
    return context.gather(kind as EvidenceName)
  }),
}

function connectionAt(connections: readonly Connection[], at: number): Connection {
  const connection = connections[at]
  if (connection === undefined) throw new TypeError('there is no such socket')
  return connection
}

/** Throws the error as its peer sees it, without addresses. */
function throwFailure(error: NodeJS.ErrnoException): never {
  const { code } = error
  throw Object.assign(new Error(`the connection failed: ${connectionFailure(error)}`), { code })
}
