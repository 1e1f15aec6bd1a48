// HTTP/2 on one connection (RFC 9113): every request is a stream of its own. Node's client is used directly, because
// undici's client on top of it costs a fifth more CPU per check and hides why a stream ended.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { connectionFailure, type OctetCap } from './connection.ts'
import type { HttpRequest, HttpSession, Opening } from './http.ts'
import { type HttpExchange, openExchange } from './http_exchange.ts'
import type { Limits } from './limits.ts'

export interface Http2Connection {
  readonly socket: TLSSocket
  readonly address: string
  readonly octets: OctetCap
  readonly opening: Opening | undefined
}

/** PING and SETTINGS frames that a server may send; an honest one sends a handful. nghttp2 bounds what it must answer. */
const CONTROL_FRAMES = 100

/** Malformed and empty frames that are ignored before the session ends. */
const INVALID_FRAMES = 100

/**
 * Octets of a response that a server may send while its body is held back, which Node keeps. Nearly every page is shorter; for a
 * longer one a WINDOW_UPDATE follows as soon as half of it has been read, so that it does not wait.
 */
const WINDOW_BYTES = 512 * 1024

/** MiB that Node keeps for a session besides bodies: compression tables, pending frames and header fields. */
const SESSION_MIB = 2

/** Takes over the connection. */
export function openHttp2Session({ socket, address, octets, ...rest }: Http2Connection, limits: Limits): HttpSession {
  let { opening } = rest
  const session = connect('https://target.invalid', { createConnection: () => socket, ...optionsFor(limits) })
  outliveStreams(session, socket)
  session.setLocalWindowSize(2 * limits.page_bytes)
  const isOver = () => session.closed || session.destroyed || socket.destroyed
  const faults = watchFaults(session, { socket, isOver })
  /** If a response does not arrive, the connection may be dead for every later request too. */
  let isDoubtful = false
  return {
    address,
    inOrder: false,
    isParallel: () => true,
    reusable: () => !isOver(),
    isIntact: () => !isDoubtful,
    prefersHttp1: faults.refuseHttp2,
    send(request) {
      octets.raise(2 * request.max_bytes + limits.header_bytes)
      let stream: ClientHttp2Stream | null = null
      const exchange = openExchange(request, {
        limits,
        opening,
        origin: () => ({ address, http_version: '2' }),
        abort(reason) {
          faults.ended(reason)
          stream?.close(constants.NGHTTP2_CANCEL)
        },
        pause: () => void stream?.pause(),
        resume: () => void stream?.resume(),
      })
      opening = undefined
      if (exchange.isOver()) return exchange.result
      exchange.awaitHead()
      exchange.result.then(({ exchange: response }) => {
        isDoubtful ||= response === null
      })
      if (isOver()) exchange.end(faults.of(constants.NGHTTP2_CANCEL))
      else {
        exchange.sent()
        try {
          stream = session.request(requestFields(request), { endStream: true })
        } catch {
          // A field that HTTP/2 forbids, such as `connection` (RFC 9113 section 8.2.2).
          exchange.end('protocol_error')
          return exchange.result
        }
        receive(stream, exchange, { limits, faults, head_only: request.head_only === true })
      }
      return exchange.result
    },
    close() {
      session.destroy()
      socket.destroy()
    },
  }
}

/** Milliseconds after the connection has closed within which Node itself ends the session and its streams. */
const TEARDOWN_MS = 100

/**
 * Keeps the native part of a session for one turn after its end. Node lets go of it at once and of its streams a turn later;
 * a garbage collection in between ends the process with an assertion (`current_nghttp2_memory_ == 0`) when a stream holds
 * part of a head, as a hostile server can arrange.
 */
function outliveStreams(session: ClientHttp2Session, socket: TLSSocket): void {
  const native = nativePartOf(session)
  socket.once('close', () => {
    const end = () => {
      session.destroy()
      setImmediate(ignore, native)
    }
    setTimeout(end, TEARDOWN_MS).unref()
  })
}

const ignore = (_kept: unknown) => {}

/** Node has no public access to it. */
function nativePartOf(session: ClientHttp2Session): unknown {
  const properties = Object.getOwnPropertySymbols(session).map(symbol => Reflect.get(session, symbol))
  return properties.find(value => value?.constructor?.name === 'Http2Session')
}

const optionsFor = (limits: Limits) => ({
  settings: {
    enablePush: false,
    maxHeaderListSize: limits.header_bytes,
    initialWindowSize: WINDOW_BYTES,
  },
  maxReservedRemoteStreams: 0,
  // Node resets the stream beyond twice the limit; below that, the same rule applies as for HTTP/1.1.
  maxHeaderListPairs: 2 * limits.header_lines,
  maxSessionInvalidFrames: INVALID_FRAMES,
  maxSessionMemory: SESSION_MIB,
})

const requestFields = ({ url, headers }: HttpRequest) => ({
  ':method': 'GET',
  ':scheme': url.protocol.slice(0, -1),
  ':authority': url.host,
  ':path': url.pathname + url.search,
  ...headers,
})

function receive(
  stream: ClientHttp2Stream,
  exchange: HttpExchange,
  { limits, faults, head_only }: { limits: Limits; faults: Faults; head_only: boolean },
): void {
  let isWhole = false
  stream.on('headers', exchange.informational)
  stream.once('response', (_headers, _flags, raw: readonly string[] = []) => {
    faults.answered()
    const { status, fields, size } = readHead(raw)
    if (size > limits.header_bytes) return exchange.stop('headers_too_large')
    if (status < 200 || status > 599) return exchange.stop('protocol_error')
    exchange.begin(status, fields)
    if (head_only) {
      exchange.end(null)
      stream.close(constants.NGHTTP2_CANCEL)
      return
    }
    // Not earlier, because data would be passed on before the head.
    stream.on('data', exchange.data)
    stream.once('end', () => {
      isWhole = true
    })
  })
  stream.on('error', faults.note)
  // A body also ends when the connection does; the error code of the stream tells the difference.
  stream.once('close', () => {
    const { rstCode = constants.NGHTTP2_NO_ERROR } = stream
    exchange.end(isWhole && rstCode === constants.NGHTTP2_NO_ERROR ? null : faults.of(rstCode))
  })
}

/** Octets that a field takes in HTTP/1.1 besides its name and value, so that the same limit means the same. */
const FIELD_OVERHEAD = ': \r\n'.length

/** Removes pseudo-header fields (RFC 9113 section 8.3). Node returns octets as Latin-1. */
function readHead(raw: readonly string[]): { status: number; fields: Buffer[]; size: number } {
  const fields: Buffer[] = []
  let status = 0
  let size = 0
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]]
    size += name.length + value.length + FIELD_OVERHEAD
    if (name === ':status') status = Number(value)
    if (!name.startsWith(':')) fields.push(Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1'))
  }
  return { status, fields, size }
}

type Faults = ReturnType<typeof watchFaults>

/** Notes what ends the session: its peer's errors, too many control frames, errors of the socket. */
function watchFaults(session: ClientHttp2Session, { socket, isOver }: { socket: TLSSocket; isOver: () => boolean }) {
  let reason = socket.errored ? sessionFailure(socket.errored) : null
  let hasAnswered = false
  let refusesHttp2 = false
  let frames = 0
  const fail = (fault: string) => {
    reason ??= fault
  }
  const count = () => {
    frames += 1
    if (frames <= CONTROL_FRAMES) return
    fail('protocol_error')
    session.destroy()
  }
  session.on('ping', count).on('remoteSettings', count)
  session.on('goaway', code => {
    if (code !== constants.NGHTTP2_NO_ERROR) fail(failureOf(code))
  })
  /** Records an error of a stream: it may be an error of the whole session, which reports it later. */
  const note = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_HTTP2_STREAM_ERROR') fail(sessionFailure(error))
  }
  session.on('error', note)
  socket.prependListener('error', note)
  /** Notes that a stream ended for this reason. */
  const onEnd = (failure: string) => {
    refusesHttp2 ||= REFUSALS.has(failure) || (!hasAnswered && isOver())
  }
  return {
    note,
    ended: onEnd,
    /** Why a stream failed that ended with this error code. */
    of(code: number) {
      const failure = reason ?? failureOf(code)
      onEnd(failure)
      return failure
    },
    /** Notes that the server has answered a request. */
    answered() {
      hasAnswered = true
    },
    /** Whether the server broke HTTP/2, refused it, or hung up without an answer. */
    refuseHttp2: () => refusesHttp2,
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['protocol_error', 'http_1_1_required'])

/** By error code (RFC 9113 section 7), whoever sent it. Every other one is `closed`. */
const failures: Readonly<Record<number, string>> = {
  [constants.NGHTTP2_PROTOCOL_ERROR]: 'protocol_error',
  [constants.NGHTTP2_FLOW_CONTROL_ERROR]: 'protocol_error',
  [constants.NGHTTP2_SETTINGS_TIMEOUT]: 'protocol_error',
  [constants.NGHTTP2_STREAM_CLOSED]: 'protocol_error',
  [constants.NGHTTP2_FRAME_SIZE_ERROR]: 'protocol_error',
  [constants.NGHTTP2_COMPRESSION_ERROR]: 'protocol_error',
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: 'headers_too_large',
  [constants.NGHTTP2_INADEQUATE_SECURITY]: 'http_1_1_required',
  [constants.NGHTTP2_HTTP_1_1_REQUIRED]: 'http_1_1_required',
}

const failureOf = (code: number): string => failures[code] ?? 'closed'

/** nghttp2 reports what it cannot accept as `ERR_HTTP2_ERROR`; Node's own limits have codes of their own. */
const sessionFailure = (error: NodeJS.ErrnoException): string =>
  error.code?.startsWith('ERR_HTTP2_') ? 'protocol_error' : connectionFailure(error)
