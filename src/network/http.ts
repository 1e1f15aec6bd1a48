// HTTP requests and responses as plain data, and the interface of a connection that carries them.
import { isUtf8 } from 'node:buffer'
import { redactSetCookie } from './set_cookie.ts'

/**
 * One request and its response, without the body. Header names are lower case, values printable; order and duplicates
 * are kept.
 */
export interface Exchange {
  readonly url: string
  readonly address: string
  readonly status: number
  readonly http_version: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Octets of the body, as transferred and after content decoding. */
  readonly wire_bytes: number
  readonly decoded_bytes: number
  /**
   * Why the body is incomplete: `too_large`, `timeout`, `closed`, `bad_encoding`, or `not_analysed` when it arrived and was not
   * read in time; null when it is complete.
   */
  readonly truncated: string | null
  /** Absent in older recordings, and unless the request asked for it. */
  readonly timing?: Timing
}

/** When a request was made and how long its phases took, one after another, in whole milliseconds. */
export interface Timing {
  /** From the start of the check: when its connection was begun, or when an open one was given the request. */
  readonly started_ms: number
  /** TCP, the tries of other addresses included; null on an open connection. */
  readonly connect_ms: number | null
  /** The TLS handshake, a second one included; null on an open connection, and without TLS. */
  readonly tls_ms: number | null
  /** Until the request was sent: HTTP/1.1 sends one after another. */
  readonly queued_ms: number
  /** Until the head of the response. */
  readonly wait_ms: number
  /** Until the end of the body. */
  readonly receive_ms: number
}

/** When a connection was opened, on the monotonic clock in milliseconds. */
export interface Opening {
  readonly began: number
  readonly connected: number
  /** Absent without TLS. */
  readonly secured?: number
}

export type ResponseHead = Pick<Exchange, 'url' | 'address' | 'status' | 'http_version' | 'headers'>
export type Fields = Exchange['headers']

/**
 * Reads header lines (RFC 9112 section 5): names in lower case, cookies without their values, order and duplicates
 * kept. Null when there are more than `maxLines`.
 */
export function readFields(raw: readonly (Buffer | string)[], maxLines: number): Fields | null {
  if (raw.length / 2 > maxLines) return null
  return Array.from({ length: raw.length / 2 }, (_, line) => {
    const name = withoutControls(decode(raw[line * 2] ?? '')).toLowerCase()
    const value = decode(raw[line * 2 + 1] ?? '')
    return [name, withoutControls(name === 'set-cookie' ? redactSetCookie(value) : value)]
  })
}

/** All values of one field. */
export function fieldValues(fields: Fields, name: string): readonly string[] {
  return fields.filter(([one]) => one === name).map(([, value]) => value)
}

/** Octets beyond ASCII are read as UTF-8 if valid, otherwise as Latin-1 (RFC 9110 section 5.5). */
const decode = (octets: Buffer | string): string =>
  typeof octets === 'string' ? octets : octets.toString(isUtf8(octets) ? 'utf8' : 'latin1')

const withoutControls = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').trim()

export interface HttpRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Sent by POST; over HTTP/1.1 only. */
  readonly content?: string | undefined
  /** Octets of the body, on the wire and after decoding; a longer body is cut. */
  readonly max_bytes: number
  /** No body is wanted. Over HTTP/1.1 it is read all the same, because the connection would end with it. */
  readonly head_only?: boolean | undefined
  /** Milliseconds for the head, once this response is the next on the connection, and then for the body. */
  readonly headers_ms: number
  readonly body_ms: number
  /** On the monotonic clock, in milliseconds: when a body that is still arriving is cut. */
  readonly until?: number
  /** On the same clock: the start of the check, if the times of the exchange are wanted. */
  readonly since?: number | undefined
  readonly signal: AbortSignal
  readonly receive?: Receive | undefined
}

/**
 * Called with the head as soon as it arrives. The function it returns receives the decoded body as it streams in, and may
 * hold it back by `flow`.
 */
export type Receive = (head: ResponseHead, flow: Flow) => ((chunk: Buffer) => void) | null

/** Holds back a body while its receiver is busy. Unread octets stay with the peer, so they cost no memory here. */
export interface Flow {
  /**
   * What has been read and decoded already still arrives: up to 64 KiB of either. The time limit of the body stops, but not
   * `until`.
   */
  pause(): void
  resume(): void
}

/**
 * `failure`: `reset`, `closed`, `timeout`, `cancelled`, `protocol_error`, `headers_too_large`, `http_1_1_required` or
 * `alert:<name>`.
 */
export type HttpResult =
  | { readonly exchange: Exchange; readonly failure: null }
  | { readonly exchange: null; readonly failure: string }

/** Milliseconds that an unused connection may stay open; most servers close theirs within a minute. */
export const IDLE_MS = 30_000

export interface HttpSession {
  readonly address: string
  /** Whether another request may be sent: the connection is still open. */
  reusable(): boolean
  /** Whether nothing is wrong with the connection: no unrequested response, and over HTTP/2 no request without a response. */
  isIntact(): boolean
  /** Whether only the order of the responses shows which request each answers. */
  readonly inOrder: boolean
  /** Whether requests are sent at once, even while earlier ones are unanswered. */
  isParallel(): boolean
  /** Whether the peer negotiated HTTP/2 and then broke or refused it, so that HTTP/1.1 may work. */
  prefersHttp1(): boolean
  /** Sends the request, at the earliest when the response before it has begun, unless requests are parallel. Never rejects. */
  send(request: HttpRequest): Promise<HttpResult>
  close(): void
}

/** Collects the body of the last response in memory. */
export interface Collector {
  readonly receive: Receive
  bytes(): Buffer
}

export function createCollector(): Collector {
  let chunks: Buffer[] = []
  return {
    receive: () => {
      chunks = []
      return chunk => void chunks.push(chunk)
    },
    bytes: () => Buffer.concat(chunks),
  }
}
