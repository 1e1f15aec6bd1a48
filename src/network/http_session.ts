// HTTP/1.1 on one connection: requests in sequence or pipelined, each bounded in time and octets.
import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import { capOctets, type OctetCap } from './connection.ts'
import type { HttpSession } from './http.ts'
import { exchangeOn } from './http_exchange.ts'
import type { Limits } from './limits.ts'

export interface Connected {
  readonly socket: Socket
  readonly address: string
  /** The cap that has counted since TLS began; absent for plain HTTP. */
  readonly octets?: OctetCap
}

/** Requests on their way at once: more than the budget of any purpose. */
const PIPELINED = 16

/** Takes over the connection. */
export function openHttpSession({ socket, address, ...counted }: Connected, limits: Limits): HttpSession {
  const start = watchStart(socket)
  const octets = counted.octets ?? capOctets(socket, () => socket.destroy())
  let tlsError: Error | null = null
  // After a TLS error such as an alert, the client reports only the end of the connection.
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('ERR_SSL_')) tlsError ??= error
  })
  let connected = false
  const client = new Client('http://target.invalid', {
    connect: (_options, done) => {
      if (connected) return done(new Error('The connection is closed'), null)
      connected = true
      start.beforeRequest(() => (socket.errored ? done(socket.errored, null) : done(null, socket)))
    },
    pipelining: PIPELINED,
    maxHeaderSize: limits.header_bytes,
    keepAliveTimeoutThreshold: 0,
    // Off, because they bound only idle time; each request has absolute time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let previous: Promise<unknown> = Promise.resolve()
  return {
    address,
    reusable: () => !socket.destroyed,
    isIntact: () => socket.errored === null,
    send(request) {
      octets.raise(2 * request.max_bytes + limits.header_bytes)
      const sent = exchangeOn(client, request, {
        limits,
        previous,
        origin: () => ({ address, http_version: start.version() }),
        tlsError: () => tlsError,
      })
      previous = sent
      return sent
    },
    close() {
      client.destroy(CLOSED).catch(() => {})
      socket.destroy()
    },
  }
}

/** Created once: capturing a stack each time would cost more than the rest of closing. */
const CLOSED = new Error('The session is closed')

interface Start {
  /** Calls `send` once all octets that arrived before the request have been seen: they answer no request. */
  beforeRequest(send: () => void): void
  version(): string
}

/**
 * Reads the first octets before undici's parser, which does not report the HTTP version, and rejects anything but
 * HTTP/1.
 */
function watchStart(socket: Socket): Start {
  const expected = 'HTTP/1.'
  const heads = createHeadReader()
  let requested = false
  let held: Buffer = Buffer.alloc(0)
  const inspect = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    if (!requested) return void socket.destroy(new errors.HTTPParserError('Data before the first request'))
    const octets = Buffer.concat([held, chunk])
    const complete = octets.length - heads.read(octets, held.length)
    held = octets.subarray(complete)
    if (heads.isOver()) socket.off('readable', inspect)
    if (expected.startsWith(heads.start().slice(0, 7))) socket.unshift(octets.subarray(0, complete))
    else socket.destroy(new errors.HTTPParserError('Not HTTP/1'))
  }
  // Added before the client listens, so that it runs first. `prependListener` would not start reading.
  socket.on('readable', inspect)
  return {
    version: () => heads.start().slice(5, 8),
    // Twice: all data that has arrived by now is read between the two.
    beforeRequest: send =>
      void setImmediate(() =>
        setImmediate(() => {
          requested = true
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
