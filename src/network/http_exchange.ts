// One request and its response on a connection. Anything too large, too late or malformed ends it. undici parses HTTP,
// but its timeouts bound only idle time, its body limit is per connection, and it does not limit 1xx responses.
import { type Client, type Dispatcher, errors } from 'undici'
import { connectionFailure } from './connection.ts'
import { contentCodings, createDecoder, type Decoder } from './content_coding.ts'
import { fieldValues, type HttpRequest, type HttpResult, type ResponseHead, readFields } from './http.ts'
import type { Limits } from './limits.ts'

/** The parts of a connection that an exchange needs. */
export interface Connection {
  readonly limits: Limits
  /** Settles when the previous response is complete. The time limits start then. */
  readonly previous: Promise<unknown>
  origin(): Origin
  /** The first TLS error, or null. */
  tlsError(): Error | null
}

/** Never rejects. */
export function exchangeOn(client: Client, request: HttpRequest, connection: Connection): Promise<HttpResult> {
  return new Promise(resolve => {
    const { url, signal } = request
    const stopper = createStopper(reason => void settle(reason))
    const timer = createTimer(() => stopper.stop('timeout'))
    const response = receiveResponse(request, { stop: stopper.stop, ...connection })
    const cancel = () => stopper.stop('cancelled')
    const settle = async (failure: string | null) => {
      timer.end()
      signal.removeEventListener('abort', cancel)
      resolve(await response.end(stopper.reason() ?? failure))
    }
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    connection.previous.then(() => timer.start(request.headers_ms))
    client.dispatch(
      // `blocking: false`: the request does not wait for an earlier response, because the caller chose to pipeline.
      {
        method: 'GET',
        path: url.pathname + url.search,
        headers: { host: url.host, ...request.headers },
        blocking: false,
      },
      {
        onRequestStart: stopper.attach,
        onResponseStart({ rawHeaders }, status) {
          if (status < 100 || status > 599) return stopper.stop('protocol_error')
          if (status < 200) return response.informational()
          timer.start(bodyTime(request))
          response.begin(status, Array.isArray(rawHeaders) ? rawHeaders : [])
        },
        onResponseData: (_controller, chunk) => response.data(chunk),
        onResponseEnd: () => void settle(null),
        onResponseError: (_controller, error) => void settle(httpFailure(connection.tlsError() ?? error)),
      },
    )
  })
}

const bodyTime = ({ body_ms, until = Number.POSITIVE_INFINITY }: HttpRequest): number =>
  Math.max(0, Math.min(body_ms, until - performance.now()))

interface Stopper {
  attach(controller: Dispatcher.DispatchController): void
  /** Ends the exchange and the connection; the first reason counts. */
  stop(reason: string): void
  reason(): string | null
}

/**
 * Calls `onUnsent` when the request is stopped before the client has sent it, because the client will not report that.
 */
function createStopper(onUnsent: (reason: string) => void): Stopper {
  let controller: Dispatcher.DispatchController | null = null
  let reason: string | null = null
  return {
    reason: () => reason,
    attach(attached) {
      controller = attached
      if (reason !== null) attached.abort(new Error(reason))
    },
    stop(given) {
      reason ??= given
      if (controller) controller.abort(new Error(reason))
      else onUnsent(reason)
    },
  }
}

/** One timer at a time, and none after the end. */
function createTimer(expired: () => void) {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  return {
    start(ms: number) {
      clearTimeout(timer)
      if (!ended) timer = setTimeout(expired, ms)
    },
    end() {
      ended = true
      clearTimeout(timer)
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

type Origin = Pick<ResponseHead, 'address' | 'http_version'>

interface Response {
  /** Counts one 1xx response (RFC 9110 section 15.2). */
  informational(): void
  begin(status: number, rawHeaders: readonly (Buffer | string)[]): void
  data(chunk: Buffer): void
  /** Call after the last octet, or with the failure after which none will come. */
  end(failure: string | null): Promise<HttpResult>
}

/** The `truncated` value for a failure after the head; `closed` for any other failure. */
const truncations: Readonly<Record<string, string>> = {
  timeout: 'timeout',
  cancelled: 'timeout',
  too_large: 'too_large',
  bad_encoding: 'bad_encoding',
}

interface Reception {
  readonly limits: Limits
  origin(): Origin
  /** Called with the reason when no more of the response is wanted. */
  stop(reason: string): void
}

function receiveResponse(request: HttpRequest, { limits, origin, stop }: Reception): Response {
  const { url, max_bytes, receive } = request
  let head: ResponseHead | null = null
  let decoder: Decoder | null = null
  let batch: Batch | null = null
  let informational = 0
  let wire_bytes = 0
  let decoded_bytes = 0

  let pass: ((chunk: Buffer) => void) | null = null

  const decoded = (chunk: Buffer) => {
    decoded_bytes += chunk.length
    pass?.(chunk)
  }
  return {
    informational() {
      informational += 1
      if (informational > limits.informational_responses) stop('protocol_error')
    },
    begin(status, rawHeaders) {
      const headers = readFields(rawHeaders, limits.header_lines)
      if (!headers) return stop('headers_too_large')
      head = { url: url.href, status, ...origin(), headers }
      pass = receive?.(head) ?? null
      const codings = contentCodings(fieldValues(headers, 'content-encoding'), limits.content_codings)
      if (!codings) return stop('bad_encoding')
      decoder = createDecoder(codings, { max_bytes, receive: decoded, fault: stop })
      batch = createBatch(decoder.write)
    },
    data(chunk) {
      const room = max_bytes - wire_bytes
      wire_bytes += Math.min(chunk.length, room)
      if (room > 0) batch?.add(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length > room) stop('too_large')
    },
    async end(failure) {
      batch?.flush()
      const fault = await decoder?.end()
      if (!head) return { exchange: null, failure: failure ?? 'protocol_error' }
      const truncated = fault ?? (failure === null ? null : (truncations[failure] ?? 'closed'))
      return { exchange: { wire_bytes, decoded_bytes, truncated, ...head }, failure: null }
    },
  }
}

interface Batch {
  add(chunk: Buffer): void
  flush(): void
}

/** Octets collected before they are passed on, so that a body in one-octet chunks costs no more than any other. */
const BATCH_BYTES = 4 * 1024

function createBatch(pass: (chunk: Buffer) => void): Batch {
  let held = Buffer.alloc(0)
  let size = 0
  const flush = () => {
    if (size > 0) pass(held.subarray(0, size))
    size = 0
    held = Buffer.alloc(0)
  }
  return {
    flush,
    add(chunk) {
      if (size + chunk.length > BATCH_BYTES) flush()
      if (chunk.length >= BATCH_BYTES) return pass(chunk)
      if (held.length === 0) held = Buffer.allocUnsafe(BATCH_BYTES)
      size += chunk.copy(held, size)
    },
  }
}
