// HTTP/1.1 on one connection: each request is sent once the response before it has begun. undici parses HTTP, but its
// timeouts bound only idle time, its body limit is per connection, and it does not limit 1xx responses.
import type { Socket } from 'node:net'
import { Client, type Dispatcher, errors } from 'undici'
import { connectionFailure, type OctetCap } from './connection.ts'
import {
  type Fields,
  type Flow,
  fieldValues,
  type HttpRequest,
  type HttpSession,
  IDLE_MS,
  type Opening,
} from './http.ts'
import { type HttpExchange, openExchange } from './http_exchange.ts'
import type { Limits } from './limits.ts'

export interface HttpConnection {
  readonly socket: Socket
  readonly address: string
  readonly octets: OctetCap
  readonly opening: Opening | undefined
}

/** More than the requests of any purpose: the session itself decides when each is sent. */
const PIPELINING = 64

/** Takes over the connection. */
export function openHttp1Session({ socket, address, octets, ...rest }: HttpConnection, limits: Limits): HttpSession {
  const start = watchStart(socket)
  const gate = createGate(socket)
  let tlsError: Error | null = null
  // After a TLS error such as an alert, the client reports only the end of the connection.
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('ERR_SSL_')) tlsError ??= error
  })
  let isConnected = false
  const client = new Client('http://target.invalid', {
    connect: (_options, done) => {
      if (isConnected) return done(new Error('The connection is closed'), null)
      isConnected = true
      start.beforeRequest(() => (socket.errored ? done(socket.errored, null) : done(null, socket)))
    },
    pipelining: PIPELINING,
    maxHeaderSize: limits.header_bytes,
    keepAliveTimeout: IDLE_MS,
    keepAliveTimeoutThreshold: 0,
    // Off, because they bound only idle time; each request has absolute time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const queue = createQueue()
  let { opening } = rest
  let previous: Promise<unknown> = Promise.resolve()
  return {
    address,
    inOrder: true,
    isParallel: queue.readsAhead,
    prefersHttp1: () => false,
    reusable: () => !socket.destroyed,
    isIntact: () => socket.errored === null || httpFailure(socket.errored) !== 'protocol_error',
    send(request) {
      octets.raise(2 * request.max_bytes + limits.header_bytes)
      const dispatch = createDispatch(client, request, {
        failureOf: error => httpFailure(tlsError ?? error),
        // A body without a length ends with the connection, and so would one that is held back.
        endOf: () => (gate.isCut() ? 'closed' : null),
      })
      const exchange = openExchange(request, {
        limits,
        opening,
        origin: () => ({ address, http_version: start.version() }),
        onBegin: ({ headers }) => queue.proceed(readsAhead(headers)),
        abort: dispatch.abort,
        pause: gate.pause,
        resume: gate.resume,
      })
      opening = undefined
      queue.add(() => {
        if (exchange.isOver()) return queue.proceed()
        dispatch.start(exchange)
        exchange.result.then(({ exchange: response }) => response ?? queue.proceed())
      })
      previous.then(exchange.awaitHead)
      previous = exchange.result
      return exchange.result
    },
    close() {
      client.destroy(SESSION_CLOSED).catch(() => {})
      socket.destroy()
    },
  }
}

/**
 * Holds back a request until the previous response has begun and everything that arrived with it has been read. Common
 * servers read an earlier request into a buffer and then wait on the socket for seconds before they check the buffer.
 */
function createQueue() {
  const waiting: (() => void)[] = []
  let readsAhead = false
  /** A request has been sent and its response has not begun, or its beginning is being read. */
  let isBusy = false
  let isOpen = false
  const next = () => {
    isOpen = readsAhead
    const starting = waiting.splice(0, isOpen ? waiting.length : 1)
    isBusy = starting.length > 0
    for (const start of starting) start()
  }
  return {
    readsAhead: () => readsAhead,
    add(start: () => void) {
      if (isBusy && !isOpen) return void waiting.push(start)
      isBusy = true
      start()
    },
    /**
     * The last response has begun, or will not arrive. `ahead`: the server reads ahead, so no request is held back any
     * more.
     */
    proceed(ahead = false) {
      readsAhead ||= ahead
      setImmediate(next)
    },
  }
}

/**
 * Servers that answered pipelined requests without delay in tests, for static and proxied content (RFC 9112 section
 * 9.3.2).
 */
const READING_AHEAD = /^(?:nginx|openresty|apache)(?![\w-])/i

const readsAhead = (headers: Fields): boolean => fieldValues(headers, 'server').some(name => READING_AHEAD.test(name))

function createDispatch(
  client: Client,
  { url, headers, content }: HttpRequest,
  { failureOf, endOf }: { failureOf: (error: Error) => string; endOf: () => string | null },
) {
  let controller: Dispatcher.DispatchController | null = null
  let abortReason: string | null = null
  return {
    abort(reason: string) {
      abortReason = reason
      controller?.abort(new Error(reason))
    },
    start(exchange: HttpExchange) {
      const path = url.pathname + url.search
      client.dispatch(
        // `blocking: false`: the request does not wait for the end of an earlier response.
        {
          ...(content === undefined ? { method: 'GET' } : { method: 'POST', body: content }),
          path,
          headers: { host: url.host, ...headers },
          blocking: false,
        },
        {
          onRequestStart(dispatchController) {
            controller = dispatchController
            exchange.sent()
            if (abortReason !== null) dispatchController.abort(new Error(abortReason))
          },
          onResponseStart({ rawHeaders }, status) {
            if (status < 100 || status > 599) return exchange.stop('protocol_error')
            if (status < 200) return exchange.informational()
            exchange.begin(status, Array.isArray(rawHeaders) ? rawHeaders : [])
          },
          onResponseData: (_controller, chunk) => exchange.data(chunk),
          onResponseEnd: () => exchange.end(endOf()),
          onResponseError: (_controller, error) => exchange.end(failureOf(error)),
        },
      )
    },
  }
}

/** Errors of the client, by code. Errors of its parser and failed assertions are `protocol_error` too. */
const clientErrors: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  // undici also uses this code for a malformed head that has a length.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  ERR_ASSERTION: 'protocol_error',
}

function httpFailure(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (error instanceof errors.HTTPParserError) return 'protocol_error'
  if (code === 'UND_ERR_SOCKET') return message.endsWith('closed') ? 'closed' : 'protocol_error'
  return clientErrors[code] ?? connectionFailure(error)
}

interface Gate extends Flow {
  /** The connection ended while octets were held back. */
  isCut(): boolean
}

/**
 * Lets undici read from the socket or not. Its own `pause` ends the process with an assertion when the connection breaks
 * meanwhile (https://github.com/nodejs/undici/issues/5360), which any server can arrange.
 */
function createGate(socket: Socket): Gate {
  const read = socket.read.bind(socket)
  let isPaused = false
  socket.read = size => (isPaused ? null : read(size))
  const announce = () => void (isPaused || socket.emit('readable'))
  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      // What has arrived meanwhile is not announced again. Later, because undici may be parsing right now.
      process.nextTick(announce)
    },
    isCut: () => isPaused && socket.destroyed,
  }
}

/** Created once: capturing a stack each time would cost more than the rest of closing. */
const SESSION_CLOSED = new Error('The session is closed')

/**
 * Reads the first octets before undici's parser, which does not report the HTTP version, and rejects anything but
 * HTTP/1.
 */
function watchStart(socket: Socket) {
  const expected = 'HTTP/1.'
  const heads = createHeadReader()
  let isRequested = false
  let partialHead: Buffer = Buffer.alloc(0)
  const inspect = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    if (!isRequested) return void socket.destroy(new errors.HTTPParserError('Data before the first request'))
    const octets = Buffer.concat([partialHead, chunk])
    const complete = octets.length - heads.read(octets, partialHead.length)
    partialHead = octets.subarray(complete)
    if (heads.isOver()) socket.off('readable', inspect)
    if (expected.startsWith(heads.start().slice(0, 7))) socket.unshift(octets.subarray(0, complete))
    else socket.destroy(new errors.HTTPParserError('Not HTTP/1'))
  }
  // Added before the client listens, so that it runs first. `prependListener` would not start reading.
  socket.on('readable', inspect)
  return {
    version: () => heads.start().slice(5, 8),
    /** Calls `send` once all octets that arrived before the request have been seen: they answer no request. */
    // Twice: all data that has arrived by now is read between the two.
    beforeRequest: (send: () => void) =>
      void setImmediate(() =>
        setImmediate(() => {
          isRequested = true
          send()
        }),
      ),
  }
}

/** Octets of a head up to and including the status, as in `HTTP/1.1 200`. */
const STATUS_END = 12
const HEAD_END = Buffer.from('\r\n\r\n')
const [CR, LF, SP, HTAB] = [0x0d, 0x0a, 0x20, 0x09]

/**
 * Reads the heads of the 1xx responses before the first final response (RFC 9110 section 15.2), and that response's
 * head. It repairs in place what undici rejects: a 100 becomes a 102, which means as little and counts the same; the
 * line ends of a folded field, such as nginx sends for a value on several lines, become spaces (RFC 9112 section 5.2).
 */
function createHeadReader() {
  let start = ''
  let ending = 0
  let over = false
  return {
    /** Whether the head of the first final response has been read. */
    isOver: () => over,
    /** The start line of the last head, up to the status. */
    start: () => start,
    /**
     * Reads from offset `from`. Returns how many octets at the end must wait for the next chunk, because they may begin
     * a fold.
     */
    read(octets: Buffer, from: number): number {
      for (let at = from; at < octets.length && !over; at += 1) {
        const octet = octets.readUInt8(at)
        if (start.length < STATUS_END) {
          start += String.fromCharCode(octet)
          if (start.length === STATUS_END && start.endsWith(' 100')) octets.write('2', at)
          continue
        }
        if (octet === SP || octet === HTAB) unfold(octets, at)
        ending = octet === HEAD_END[ending] ? ending + 1 : Number(octet === HEAD_END[0])
        if (ending < HEAD_END.length) continue
        over = start[9] !== '1'
        if (!over) start = ''
      }
      return over || start.length < STATUS_END ? 0 : lineEndAt(octets, octets.length)
    },
  }
}

/** Octets of a line end, or of the beginning of one, before `end`. */
function lineEndAt(octets: Buffer, end: number): number {
  if (octets[end - 1] === CR) return 1
  if (octets[end - 1] !== LF) return 0
  return octets[end - 2] === CR ? 2 : 1
}

function unfold(octets: Buffer, at: number): void {
  octets.fill(SP, at - lineEndAt(octets, at), at)
}
