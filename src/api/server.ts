// The HTTP server below the app: what a connection may cost before anybody knows who it is, and how service ends.
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../clock.ts'
import { trackConnections } from './connections.ts'
import type { Log } from './log.ts'
import { Problem, type ProblemCode } from './problem.ts'
import { requestId } from './request_id.ts'
import { rawProblem } from './respond.ts'

export const serverLimits = {
  /** Octets of request line and headers together; a key, an id and what proxies add take far less. */
  header_bytes: 16 * 1024,
  /** Milliseconds to send the headers, and the whole request: whoever is slower than that occupies a connection. */
  headers_ms: 10_000,
  /** How often slow clients are looked for; they are cut off this much late. */
  sweep_ms: 1_000,
  /**
   * Milliseconds that a connection is kept for a next request: longer than balancers keep theirs (60 s by nginx and AWS),
   * or one of them sends a request on what is closed at that moment.
   */
  keep_alive_ms: 75_000,
  /** Milliseconds that an answer may lie unread. */
  unread_ms: 30_000,
  /** At once, a descriptor and some 20 KiB each; a newcomer beyond takes the place of the one idle longest. */
  connections: 10_000,
  /** Milliseconds for a refused client to read why, before unread input turns the close into a reset. */
  linger_ms: 500,
  /** Milliseconds for requests in flight when nothing new is accepted any more: a whole check and its answer. */
  drain_ms: 9_000,
}

export type ServerLimits = typeof serverLimits

export interface ApiServer {
  /** Rejects when it cannot listen. Port 0 takes any free one. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Goes on as before, but ends each connection with its next answer. */
  retire(): void
  /** Accepts nothing new, answers what is in flight, closes idle connections; cuts what is left after `drain_ms`. */
  drain(): Promise<void>
}

/** The parser's and the timers' complaints that have a status of their own; the rest is 400. */
const complaints: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

export interface ServerOptions {
  readonly handle: RequestListener
  readonly log: Log
  readonly clock: Clock
  readonly limits?: Partial<ServerLimits>
}

export function createServer({ handle, log, clock, ...options }: ServerOptions): ApiServer {
  const limits = { ...serverLimits, ...options.limits }
  const server = createHttpServer(
    {
      maxHeaderSize: limits.header_bytes,
      headersTimeout: limits.headers_ms,
      requestTimeout: limits.headers_ms,
      connectionsCheckingInterval: limits.sweep_ms,
      keepAliveTimeout: limits.keep_alive_ms,
      insecureHTTPParser: false,
      // Left to the app, which answers as it answers everything else; a second Host shows as a comma.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      noDelay: true,
    },
    (request, response) => {
      if (connections.begin(request, response)) handle(request, response)
    },
  )
  const connections = trackConnections(server, limits, clock)
  refuseWhatIsNoRequest(server, (socket, problem) => {
    const id = requestId(undefined)
    log.info({ request_id: id, status: problem.status, code: problem.code })
    refuse(socket, rawProblem(problem, id, clock.now()), limits.linger_ms)
  })
  return {
    listen: (port, host) => listen(server, port, host),
    retire: () => connections.retire(),
    async drain() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      connections.finish()
      const cut = setTimeout(() => server.closeAllConnections(), limits.drain_ms)
      await closed
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

/** What the parser rejects and a CONNECT never reach the app; an expectation of any kind does (RFC 9110 §10.1.1), to be answered without the body. */
function refuseWhatIsNoRequest(server: Server, refused: (socket: Duplex, problem: Problem) => void): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refused(socket, new Problem(complaints[error.code ?? ''] ?? 'invalid-request'))
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refused(socket, new Problem('method-not-allowed', undefined, { Allow: 'GET, HEAD' }))
  })
  for (const expectation of ['checkContinue', 'checkExpectation']) {
    server.on(expectation, (request, response) => server.emit('request', request, response))
  }
}

/** Says why and closes. Unread input would turn the close into a reset that overtakes the answer, so it is delayed. */
function refuse(socket: Duplex, response: string, linger: number): void {
  // With another answer half written nothing sensible can follow it.
  if (!socket.writable || socket.writableLength > 0) {
    socket.destroy()
    return
  }
  socket.on('error', () => socket.destroy())
  socket.end(response)
  const timer = setTimeout(() => socket.destroy(), linger)
  socket.once('close', () => clearTimeout(timer))
}
