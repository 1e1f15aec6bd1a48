// One request and its response, whatever protocol carries them: decodes the body as it arrives, and stops what is too
// large, too late or malformed.
import { contentCodings, createDecoder, type Decoder } from './content_coding.ts'
import { fieldValues, type HttpRequest, type HttpResult, type ResponseHead, readFields } from './http.ts'
import type { Limits } from './limits.ts'

/** What the connection does for an exchange. */
export interface Carrier {
  readonly limits: Limits
  origin(): Pick<ResponseHead, 'address' | 'http_version'>
  /** Called with the head of the final response before anyone else. */
  begun?(head: ResponseHead): void
  /** Sends or receives no more. Not called after `end`. */
  abort(reason: string): void
}

/** The connection reports what arrives; after the end, reports are ignored. */
export interface HttpExchange {
  /** Never rejects. */
  readonly result: Promise<HttpResult>
  isOver(): boolean
  /** Starts the time limit of the head. */
  awaitHead(): void
  /** Counts one 1xx response (RFC 9110 section 15.2). */
  informational(): void
  begin(status: number, rawHeaders: readonly (Buffer | string)[]): void
  data(chunk: Buffer): void
  /** Call after the last octet, or with the failure after which none will come. */
  end(failure: string | null): void
  /** Ends the exchange early. */
  stop(reason: string): void
}

export function openExchange(request: HttpRequest, carrier: Carrier): HttpExchange {
  const { signal } = request
  const timer = createTimer(() => stop('timeout'))
  let isOver = false
  let resolve: (result: Promise<HttpResult>) => void = () => {}
  const result = new Promise<HttpResult>(settle => {
    resolve = settle
  })
  const end = (failure: string | null) => {
    if (isOver) return
    isOver = true
    timer.end()
    signal.removeEventListener('abort', cancel)
    resolve(response.end(failure))
  }
  const stop = (reason: string) => {
    if (isOver) return
    end(reason)
    carrier.abort(reason)
  }
  const cancel = () => stop('cancelled')
  const response = receiveResponse(request, carrier, stop)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  return {
    result,
    isOver: () => isOver,
    awaitHead: () => timer.start(request.headers_ms),
    informational: response.informational,
    begin(status, rawHeaders) {
      if (isOver) return
      timer.start(bodyTime(request))
      response.begin(status, rawHeaders)
    },
    data(chunk) {
      if (!isOver) response.data(chunk)
    },
    end,
    stop,
  }
}

const bodyTime = ({ body_ms, until = Number.POSITIVE_INFINITY }: HttpRequest): number =>
  Math.max(0, Math.min(body_ms, until - performance.now()))

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

interface Response {
  informational(): void
  begin(status: number, rawHeaders: readonly (Buffer | string)[]): void
  data(chunk: Buffer): void
  end(failure: string | null): Promise<HttpResult>
}

/** The `truncated` value for a failure after the head; `closed` for any other failure. */
const truncations: Readonly<Record<string, string>> = {
  timeout: 'timeout',
  cancelled: 'timeout',
  too_large: 'too_large',
  bad_encoding: 'bad_encoding',
}

/** `stop` is called with the reason when no more of the response is wanted. */
function receiveResponse(
  { url, max_bytes, head_only, receive }: HttpRequest,
  { limits, origin, begun }: Carrier,
  stop: (reason: string) => void,
): Response {
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
      begun?.(head)
      pass = receive?.(head) ?? null
      if (head_only) return
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
