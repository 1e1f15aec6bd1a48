// What is asked over HTTP/1.1, and what comes of it.
import type { Exchange } from './exchange.ts'
import type { ResponseHead } from './response_head.ts'

export interface HttpRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Octets of the body, on the wire and after decoding; what is over is cut. */
  readonly max_bytes: number
  /** Milliseconds, absolute: from the moment this response is the next to come until its head is whole, and from there. */
  readonly headers_ms: number
  readonly body_ms: number
  /** On the monotonic clock, in milliseconds: a body is cut then at the latest, and what has come of it is given. */
  readonly until?: number
  readonly signal: AbortSignal
  readonly receive?: Receive | undefined
}

/** Told of the head as soon as it is there; what it returns is given the decoded body as that streams in. */
export type Receive = (head: ResponseHead) => ((chunk: Buffer) => void) | null

/** `failure`: `reset`, `closed`, `timeout`, `cancelled`, `protocol_error`, `headers_too_large` or `alert:<name>`. */
export type HttpResult =
  | { readonly exchange: Exchange; readonly failure: null }
  | { readonly exchange: null; readonly failure: string }

export interface HttpSession {
  readonly address: string
  /** Another request may be sent: the connection is open, and the server keeps it. */
  reusable(): boolean
  /** Nothing has come that was not asked for, nor any other fault that ended the connection. */
  sound(): boolean
  /** Never rejects. Sent at once, also while earlier responses are still to come (RFC 9112 section 9.3.2). */
  send(request: HttpRequest): Promise<HttpResult>
  close(): void
}
