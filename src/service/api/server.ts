// The HTTP server below the app: what a connection may cost before its client is known, and how the service shuts down.
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { ClientOf, Log } from './log.ts'
import { Problem, type ProblemCode } from './problem.ts'
import { isFollowable } from './request_line.ts'
import { requestId } from './request_state.ts'
import { rawProblem } from './respond.ts'

export const serverLimits = {
  /** Bytes of the request line and headers together. A key, an ID and what proxies add take far less. */
  header_bytes: 16 * 1024,
  /** Milliseconds to send the headers, and the whole request. A slower client occupies a connection. */
  headers_ms: 10_000,
  /** Milliseconds between searches for slow clients, which are cut off that much late. */
  sweep_ms: 1_000,
  /**
   * Milliseconds that an idle connection is kept: longer than load balancers keep theirs (60 s in nginx and AWS), which would
   * otherwise send a request on a connection that is just closing.
   */
  keep_alive_ms: 75_000,
  /** Milliseconds that a response may stay unread. */
  unread_ms: 30_000,
  /** Concurrent connections, a descriptor and some 20 KiB each. One more replaces the connection that was idle longest. */
  connections: 10_000,
  /** Milliseconds for a refused client to read the response, before unread input turns the close into a reset. */
  linger_ms: 500,
  /** Milliseconds for requests in flight during shutdown: a whole check and its response. */
  drain_ms: 9_000,
  /** Milliseconds during shutdown for connections that wait to be accepted, and for a new one to send its first request. */
  silent_ms: 500,
}

export type ServerLimits = typeof serverLimits

export type ApiServer = ReturnType<typeof createServer>

/** Errors of the parser and its timers that have a status of their own; any other is a 400. */
const complaints: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

/** What clients send first, and then. */
export type Arrival = 'connection' | 'request'

export interface HttpServerOptions {
  readonly handle: RequestListener
  readonly log: Log
  /** No address is logged when absent. */
  readonly clientOf?: ClientOf
  readonly clock: Clock
  readonly limits?: Partial<ServerLimits>
  readonly onArrival?: (what: Arrival) => void
}

export function createServer({ handle, log, clientOf, clock, onArrival = () => {}, ...options }: HttpServerOptions) {
  const limits = { ...serverLimits, ...options.limits }
  const server = createHttpServer(
    {
      maxHeaderSize: limits.header_bytes,
      headersTimeout: limits.headers_ms,
      requestTimeout: limits.headers_ms,
      connectionsCheckingInterval: limits.sweep_ms,
      keepAliveTimeout: limits.keep_alive_ms,
      insecureHTTPParser: false,
      // The app checks it, so that the response looks like any other. A second Host header appears as a comma.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      noDelay: true,
    },
    (request, response) => {
      onArrival('request')
      if (connections.begin(request, response)) handle(request, response)
    },
  )
  server.on('connection', () => onArrival('connection'))
  const connections = new OpenConnections(server, limits, clock)
  refuseWhatIsNoRequest(server, (socket, problem, headers = {}) => {
    const id = requestId(undefined)
    const client = clientOf?.({ socket: socket as Socket, headers })
    log.info({ request_id: id, status: problem.status, code: problem.code, client })
    refuse(socket, rawProblem(problem, id, clock.now()), limits.linger_ms)
  })
  return {
    /** Rejects when it cannot listen. Port 0 takes any free port. */
    listen: (port: number, host: string) => listen(server, port, host),
    /** Closes each connection after its next response. */
    retire: () => connections.retire(),
    /** Accepts nothing new, finishes requests in flight and closes idle connections; cuts the rest after `drain_ms`. */
    async drain() {
      connections.retire()
      await connections.settled()
      const serverClose = new Promise<void>(resolve => server.close(() => resolve()))
      connections.finish()
      const cut = setTimeout(() => server.closeAllConnections(), limits.drain_ms)
      await serverClose
      clearTimeout(cut)
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

type Refuse = (socket: Duplex, problem: Problem, headers?: IncomingHttpHeaders) => void

/**
 * Invalid requests and CONNECT never reach the app. A request with an expectation does (RFC 9110 section 10.1.1), and is
 * answered without its body.
 */
function refuseWhatIsNoRequest(server: Server, refuse: Refuse): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(socket, new Problem(complaints[error.code ?? ''] ?? 'invalid-request'))
  })
  server.on('connect', ({ headers }: IncomingMessage, socket: Duplex) => {
    refuse(socket, new Problem('method-not-allowed', undefined, { Allow: 'GET, HEAD' }), headers)
  })
  for (const expectation of ['checkContinue', 'checkExpectation']) {
    server.on(expectation, (request, response) => server.emit('request', request, response))
  }
}

/**
 * Sends the response and closes. Unread input would turn the close into a reset that overtakes the response, so the close is
 * delayed.
 */
function refuse(socket: Duplex, response: string, linger: number): void {
  // After half of another response, nothing valid can follow.
  if (!socket.writable || socket.writableLength > 0) {
    socket.destroy()
    return
  }
  socket.on('error', () => socket.destroy())
  socket.end(response)
  const timer = setTimeout(() => socket.destroy(), linger)
  socket.once('close', () => clearTimeout(timer))
}

export interface ConnectionLimits {
  /** Concurrent connections. */
  readonly connections: number
  /** Milliseconds for a client to read a response, and between searches for clients that do not. */
  readonly unread_ms: number
  readonly sweep_ms: number
  /** Milliseconds for a new connection to send a request after `finish`. */
  readonly silent_ms: number
}

interface ClientConnection {
  /** Null once it is closed. */
  socket: Socket | null
  /** The latest. */
  response: ServerResponse | null
}

class OpenConnections {
  readonly #limits: ConnectionLimits
  readonly #clock: Clock
  /**
   * Ordered by request time. Moving entries to the end makes the set begin a new table again and again, and V8 keeps what is in
   * the former ones until it collects the old generation: a table of sockets and responses would keep all of them that long.
   */
  readonly #open = new Set<ClientConnection>()
  readonly #connections = new WeakMap<Socket, ClientConnection>()
  readonly #ending = new WeakSet<Socket>()
  /** When a written response was first seen unread. A timer for each socket would cost more than the sweep. */
  readonly #untaken = new WeakMap<ServerResponse, number>()
  #accepted = 0
  #isRetiring = false

  constructor(server: Server, limits: ConnectionLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
    server.on('connection', (socket: Socket) => this.#accept(socket))
    const sweep = setInterval(() => this.#cutUnread(), limits.sweep_ms).unref()
    server.once('close', () => clearInterval(sweep))
  }

  /** Notes a request. False when it follows one that ends its connection, and must be ignored. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (this.#ending.has(socket)) return false
    const connection = this.#connections.get(socket)
    // A request may still be parsed on a connection that was closed to make room.
    if (connection === undefined || !this.#open.delete(connection)) return false
    this.#open.add(connection)
    connection.response = response
    if (this.#isRetiring || !isFollowable(request)) {
      response.shouldKeepAlive = false
      this.#ending.add(socket)
    }
    return true
  }

  /** Closes each connection after its next response, so that its client reconnects elsewhere. */
  retire(): void {
    this.#isRetiring = true
  }

  /** Resolves when the connections that wait are accepted and what they sent is read, or after `silent_ms`. */
  settled(): Promise<void> {
    return untilQuiet(() => this.#accepted, this.#limits.silent_ms)
  }

  /** Closes idle connections now, new ones after `silent_ms`, and the others after their current response. */
  finish(): void {
    for (const connection of this.#open) {
      const { socket, response } = connection
      if (response === null) {
        setTimeout(() => isBusy(connection.response) || socket?.destroy(), this.#limits.silent_ms).unref()
        continue
      }
      if (!isBusy(response)) {
        socket?.destroy()
        continue
      }
      response.shouldKeepAlive = false
      response.once('close', () => socket?.destroySoon())
    }
  }

  #accept(socket: Socket): void {
    if (this.#open.size >= this.#limits.connections && !this.#makeRoom()) return void socket.destroy()
    const connection: ClientConnection = { socket, response: null }
    this.#connections.set(socket, connection)
    this.#open.add(connection)
    this.#accepted += 1
    socket.once('close', () => {
      this.#open.delete(connection)
      connection.socket = null
      connection.response = null
    })
  }

  /** Clients that hold idle connections must not keep others out: the connection idle longest is closed. */
  #makeRoom(): boolean {
    for (const connection of this.#open) {
      if (isBusy(connection.response)) continue
      this.#open.delete(connection)
      connection.socket?.destroy()
      return true
    }
    return false
  }

  #cutUnread(): void {
    const now = this.#clock.monotonic()
    for (const { socket, response } of this.#open) {
      if (!isBusy(response) || !response.headersSent) continue
      // A stream whose lines were all taken waits for its next line, not for its reader.
      if (!response.writableEnded && response.writableLength === 0) {
        this.#untaken.delete(response)
        continue
      }
      const since = this.#untaken.get(response) ?? now
      this.#untaken.set(response, since)
      if (now - since >= this.#limits.unread_ms) socket?.destroy()
    }
  }
}

const isBusy = (response: ServerResponse | null): response is ServerResponse =>
  response !== null && !response.writableFinished

/** What arrives within a turn may be read in the next one. */
const QUIET_TURNS = 2

/**
 * Resolves when `count` has not changed for a whole turn of the event loop, or after `mostMs`. Node accepts one connection in a
 * turn, so that a process that was busy needs many.
 */
async function untilQuiet(count: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  let lastCount = count()
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < end; ) {
    await turn()
    quiet = count() === lastCount ? quiet + 1 : 0
    lastCount = count()
  }
}
