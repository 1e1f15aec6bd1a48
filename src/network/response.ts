// A response as it comes in: head and body are counted, decoded, passed on, and cut where they are too much.
import { contentCodings, createDecoder, type Decoder } from './content_coding.ts'
import type { HttpRequest, HttpResult } from './http.ts'
import type { Limits } from './limits.ts'
import { fieldValues, type ResponseHead, readFields } from './response_head.ts'

export type Origin = Pick<ResponseHead, 'address' | 'http_version'>

export interface Response {
  /** One more 1xx (RFC 9110 section 15.2). */
  informational(): void
  begin(status: number, rawHeaders: readonly (Buffer | string)[]): void
  data(chunk: Buffer): void
  /** After the last octet, or when none will come any more for the reason given. */
  end(failure: string | null): Promise<HttpResult>
}

/** How an exchange that failed after its head truncates the body; any other failure is `closed`. */
const truncations: Readonly<Record<string, string>> = {
  timeout: 'timeout',
  cancelled: 'timeout',
  too_large: 'too_large',
  bad_encoding: 'bad_encoding',
}

export interface Reception {
  readonly limits: Limits
  origin(): Origin
  /** Told, with the reason, when no more of the response is wanted. */
  stop(reason: string): void
}

export function receiveResponse(request: HttpRequest, { limits, origin, stop }: Reception): Response {
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

/** Octets put together before they are passed on, so that a body in chunks of one octet costs no more than another. */
const batched = 4 * 1024

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
      if (size + chunk.length > batched) flush()
      if (chunk.length >= batched) return pass(chunk)
      if (held.length === 0) held = Buffer.allocUnsafe(batched)
      size += chunk.copy(held, size)
    },
  }
}
