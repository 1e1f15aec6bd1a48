// HTTP/1.1 on one connection: requests one after another or pipelined, each bounded in time and octets.
import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import { capOctets, type OctetCap } from './connection.ts'
import type { HttpSession } from './http.ts'
import { exchangeOn } from './http_exchange.ts'
import type { Limits } from './limits.ts'

export interface Connected {
  readonly socket: Socket
  readonly address: string
  /** What has been counting since TLS began; absent in the clear. */
  readonly octets?: OctetCap
}

/** Takes the connection over. */
export function openHttpSession({ socket, address, ...counted }: Connected, limits: Limits): HttpSession {
  const start = watchStart(socket)
  const octets = counted.octets ?? capOctets(socket, () => socket.destroy())
  let trouble: Error | null = null
  // The client only tells of the end that follows an error of TLS, such as an alert.
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('ERR_SSL_')) trouble ??= error
  })
  let given = false
  const client = new Client('http://target.invalid', {
    connect: (_options, done) => {
      if (given) return done(new Error('the connection is used up'), null)
      given = true
      start.asking(() => (socket.errored ? done(socket.errored, null) : done(null, socket)))
    },
    pipelining: limits.http_requests,
    maxHeaderSize: limits.header_bytes,
    keepAliveTimeoutThreshold: 0,
    // Idle timers bound nothing: every request has absolute ones of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let previous: Promise<unknown> = Promise.resolve()
  return {
    address,
    reusable: () => !socket.destroyed,
    sound: () => socket.errored === null,
    send(request) {
      octets.raise(2 * request.max_bytes + limits.header_bytes)
      const sent = exchangeOn(client, request, {
        limits,
        turn: previous,
        origin: () => ({ address, http_version: start.version() }),
        trouble: () => trouble,
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

/** Made once: the client's own would have a stack each time, which takes longer to write down than the rest of the closing. */
const CLOSED = new Error('the session is closed')

interface Start {
  /** Calls back when what has come before a request is known: such octets are an answer to nothing. */
  asking(ask: () => void): void
  version(): string
}

/** Looks at the first octets before the parser does, which does not tell the version, and refuses what is not HTTP/1. */
function watchStart(socket: Socket): Start {
  const expected = 'HTTP/1.'
  const heads = createHeadReader()
  let asked = false
  let held: Buffer = Buffer.alloc(0)
  const look = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    if (!asked) return void socket.destroy(new errors.HTTPParserError('an answer to nothing'))
    const octets = Buffer.concat([held, chunk])
    const known = octets.length - heads.read(octets, held.length)
    held = octets.subarray(known)
    if (heads.isOver()) socket.off('readable', look)
    if (expected.startsWith(heads.start().slice(0, 7))) socket.unshift(octets.subarray(0, known))
    else socket.destroy(new errors.HTTPParserError('not HTTP/1'))
  }
  // Before the client listens, so that it is called first; not by prepending, which would not start the reading.
  socket.on('readable', look)
  return {
    version: () => heads.start().slice(5, 8),
    // Twice, since only between the two is everything read that has arrived by now.
    asking: ask =>
      void setImmediate(() =>
        setImmediate(() => {
          asked = true
          ask()
        }),
      ),
  }
}

/** Octets of a head up to its status, as in `HTTP/1.1 200`, and those that end it. */
const STATUS_END = 12
const HEAD_END = Buffer.from('\r\n\r\n')
const [CR, LF, SP, HTAB] = [0x0d, 0x0a, 0x20, 0x09]

/**
 * Reads along in the heads of 1xx before the first answer (RFC 9110 section 15.2), and in its own. The client gives up
 * at a 100: each is made a 102, which says as little and counts the same. And at a line that is folded, as one of nginx
 * is whose value was written in several: its ends become blanks (RFC 9112 section 5.2).
 */
function createHeadReader() {
  let start = ''
  let ending = 0
  let over = false
  return {
    /** The first answer's head has been read. */
    isOver: () => over,
    /** Of the head that was read last. */
    start: () => start,
    /** Begins at `from`. Answers how many octets at the end must wait for the next, since they may be a fold. */
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

/** Octets of the end of line, or of what may become one, before a place. */
function lineEndAt(octets: Buffer, end: number): number {
  if (octets[end - 1] === CR) return 1
  if (octets[end - 1] !== LF) return 0
  return octets[end - 2] === CR ? 2 : 1
}

function unfold(octets: Buffer, at: number): void {
  octets.fill(SP, at - lineEndAt(octets, at), at)
}
