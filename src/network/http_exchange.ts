// One request and its response, whatever protocol carries them: decodes the body as it arrives, and stops what is too
// large, too late or malformed.
import { contentCodings, createDecoder, type Decoder } from './content_coding.ts'
import {
  type Flow,
  fieldValues,
  type HttpRequest,
  type HttpResult,
  type Opening,
  type ResponseHead,
  readFields,
  type Timing,
} from './http.ts'
import type { Limits } from './limits.ts'

/** What the connection does for an exchange. `pause` and `resume` hold back the body, and are not called after `end`. */
export interface Carrier extends Flow {
  readonly limits: Limits
  /** Of the first request on the connection. */
  readonly opening?: Opening | undefined
  origin(): Pick<ResponseHead, 'address' | 'http_version'>
  /** Called with the head of the final response before anyone else. */
  onBegin?(head: ResponseHead): void
  /** Sends or receives no more. Not called after `end`. */
  abort(reason: string): void
}

/** The connection reports what arrives; after the end, reports are ignored. */
export type HttpExchange = ReturnType<typeof openExchange>

export function openExchange(request: HttpRequest, carrier: Carrier) {
  const { signal } = request
  const timer = createTimer(() => stop('timeout'))
  const watch = createStopwatch(request.since, carrier.opening)
  let isOver = false
  let isPaused = false
  let hasFailed = false
  let resolve: (result: Promise<HttpResult>) => void = () => {}
  /** Never rejects. */
  const result = new Promise<HttpResult>(settle => {
    resolve = settle
  })
  /** Call after the last octet, or with the failure after which none will come. */
  const end = (failure: string | null) => {
    if (isOver) return
    isOver = true
    timer.end()
    watch.ended()
    signal.removeEventListener('abort', cancel)
    hasFailed = failure !== null
    // The received part of an incomplete body is bounded, and the rest cannot be awaited.
    if (hasFailed) flow.resume()
    // The connection is free for the next response; the decoders may stay paused.
    else if (isPaused) carrier.resume()
    resolve(response.end(failure))
  }
  /** Ends the exchange early. */
  const stop = (reason: string) => {
    if (isOver) return
    end(reason)
    carrier.abort(reason)
  }
  const cancel = () => stop('cancelled')
  const flow: Flow = {
    pause() {
      if (isPaused || hasFailed) return
      isPaused = true
      response.pause()
      if (isOver) return
      timer.pause()
      carrier.pause()
    },
    resume() {
      if (!isPaused) return
      isPaused = false
      if (!isOver) {
        timer.resume()
        carrier.resume()
      }
      response.resume()
    },
  }
  const response = receiveResponse(request, carrier, { flow, stop, timing: watch.timing })
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  return {
    result,
    isOver: () => isOver,
    /** Starts the time limit of the head. */
    awaitHead: () => timer.start(request.headers_ms),
    /** The request is on its way. */
    sent: watch.sent,
    /** Counts one 1xx response (RFC 9110 section 15.2). */
    informational: response.informational,
    begin(status: number, rawHeaders: readonly (Buffer | string)[]) {
      if (isOver) return
      watch.begun()
      timer.start(request.body_ms, request.until)
      response.begin(status, rawHeaders)
    },
    data(chunk: Buffer) {
      if (!isOver) response.data(chunk)
    },
    end,
    stop,
  }
}

/** One time limit at a time, and none after the end. */
function createTimer(onExpiry: () => void) {
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  /** When the time limit and the latest end are, and what is left of the former while it stands still. */
  let limit = 0
  let latest = Number.POSITIVE_INFINITY
  let leftMs = 0
  const set = (at: number) => {
    clearTimeout(timer)
    const ends = Math.min(at, latest)
    if (!hasEnded && ends < Number.POSITIVE_INFINITY)
      timer = setTimeout(onExpiry, Math.max(0, ends - performance.now()))
  }
  const start = (ms: number, until = Number.POSITIVE_INFINITY) => {
    limit = performance.now() + ms
    latest = until
    set(limit)
  }
  return {
    /** Expires after `ms` milliseconds, and at `until`, on the monotonic clock, at the latest. */
    start,
    pause() {
      leftMs = limit - performance.now()
      set(Number.POSITIVE_INFINITY)
    },
    resume: () => start(leftMs, latest),
    end() {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}

/** Marks the times of one exchange. `timing` is undefined unless they are wanted. */
function createStopwatch(since: number | undefined, opening: Opening | undefined) {
  const askedAt = performance.now()
  let [sendTime, beginTime, endTime] = [askedAt, askedAt, askedAt]
  return {
    sent() {
      sendTime = performance.now()
    },
    begun() {
      beginTime = performance.now()
    },
    ended() {
      endTime = performance.now()
    },
    timing: () =>
      since === undefined
        ? undefined
        : timingOf({ since, opening, asked: askedAt, sent: sendTime, begun: beginTime, ended: endTime }),
  }
}

interface Marks {
  readonly since: number
  readonly opening: Opening | undefined
  readonly asked: number
  readonly sent: number
  readonly begun: number
  readonly ended: number
}

/** The marks are rounded and not the spans between them, so that the spans add up. */
export function timingOf({ since, opening, ...marks }: Marks): Timing {
  const at = (mark: number) => Math.max(0, Math.round(mark - since))
  const ready = opening === undefined ? marks.asked : (opening.secured ?? opening.connected)
  const [sendTime, beginTime, endTime] = [Math.max(marks.sent, ready), marks.begun, marks.ended].map(at) as [
    number,
    number,
    number,
  ]
  return {
    started_ms: at(opening?.began ?? marks.asked),
    connect_ms: opening === undefined ? null : at(opening.connected) - at(opening.began),
    tls_ms: opening?.secured === undefined ? null : at(opening.secured) - at(opening.connected),
    queued_ms: sendTime - at(ready),
    wait_ms: Math.max(0, beginTime - sendTime),
    receive_ms: Math.max(0, endTime - Math.max(sendTime, beginTime)),
  }
}

/** The `truncated` value for a failure after the head; `closed` for any other failure. */
const truncations: Readonly<Record<string, string>> = {
  timeout: 'timeout',
  cancelled: 'timeout',
  too_large: 'too_large',
  bad_encoding: 'bad_encoding',
}

interface Reporting {
  /** Holds back the decoded body. */
  readonly flow: Flow
  /** Called with the reason when no more of the response is wanted. */
  stop(reason: string): void
  timing(): Timing | undefined
}

function receiveResponse(
  { url, max_bytes, head_only, receive }: HttpRequest,
  carrier: Carrier,
  { flow, stop, timing }: Reporting,
) {
  const { limits, origin, onBegin } = carrier
  let head: ResponseHead | null = null
  let decoder: Decoder | null = null
  let batch: Batch | null = null
  let informational = 0
  const bytes = { wire: 0, decoded: 0 }
  let pass: ((chunk: Buffer) => void) | null = null

  const countDecoded = (chunk: Buffer) => {
    bytes.decoded += chunk.length
    pass?.(chunk)
  }
  return {
    informational() {
      informational += 1
      if (informational > limits.informational_responses) stop('protocol_error')
    },
    begin(status: number, rawHeaders: readonly (Buffer | string)[]) {
      const headers = readFields(rawHeaders, limits.header_lines)
      if (!headers) return stop('headers_too_large')
      head = { url: url.href, status, ...origin(), headers }
      onBegin?.(head)
      pass = receive?.(head, flow) ?? null
      if (head_only) return
      const codings = contentCodings(fieldValues(headers, 'content-encoding'), limits.content_codings)
      if (!codings) return stop('bad_encoding')
      decoder = createDecoder(codings, { max_bytes, receive: countDecoded, fault: stop })
      batch = createBatch(decoder.write)
    },
    data(chunk: Buffer) {
      const room = max_bytes - bytes.wire
      bytes.wire += Math.min(chunk.length, room)
      if (room > 0) batch?.add(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length > room) stop('too_large')
    },
    pause: () => decoder?.pause(),
    resume: () => decoder?.resume(),
    async end(failure: string | null): Promise<HttpResult> {
      const times = timing()
      batch?.flush()
      const fault = await decoder?.end()
      if (!head) return { exchange: null, failure: failure ?? 'protocol_error' }
      const truncated = fault ?? (failure === null ? null : (truncations[failure] ?? 'closed'))
      const timingField = times === undefined ? {} : { timing: times }
      return {
        exchange: { wire_bytes: bytes.wire, decoded_bytes: bytes.decoded, truncated, ...head, ...timingField },
        failure: null,
      }
    },
  }
}

type Batch = ReturnType<typeof createBatch>

/** Octets collected before they are passed on, so that a body in one-octet chunks costs no more than any other. */
const BATCH_BYTES = 4 * 1024

function createBatch(pass: (chunk: Buffer) => void) {
  let batch = Buffer.alloc(0)
  let size = 0
  const flush = () => {
    if (size > 0) pass(batch.subarray(0, size))
    size = 0
    batch = Buffer.alloc(0)
  }
  return {
    flush,
    add(chunk: Buffer) {
      if (size + chunk.length > BATCH_BYTES) flush()
      if (chunk.length >= BATCH_BYTES) return pass(chunk)
      if (batch.length === 0) batch = Buffer.allocUnsafe(BATCH_BYTES)
      size += chunk.copy(batch, size)
    },
  }
}
