// HTTP/1.1 requests and responses as plain data.
import { isUtf8 } from 'node:buffer'
import { redactSetCookie } from '../set_cookie.ts'

/** One request and the response to it. Header names are lower case, values printable; order and duplicates are kept. */
export interface Exchange {
  readonly url: string
  readonly address: string
  readonly status: number
  readonly http_version: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Octets of the body as transferred and after content decoding. */
  readonly wire_bytes: number
  readonly decoded_bytes: number
  /** Why the body is not whole: `too_large`, `timeout`, `closed`, `bad_encoding`; null when it is. */
  readonly truncated: string | null
}

export type ResponseHead = Pick<Exchange, 'url' | 'address' | 'status' | 'http_version' | 'headers'>
export type Fields = Exchange['headers']

/** Names in lower case and values, in order, duplicates kept, cookies without their values; null when there are more than `most` lines. */
export function readFields(raw: readonly (Buffer | string)[], most: number): Fields | null {
  if (raw.length / 2 > most) return null
  return Array.from({ length: raw.length / 2 }, (_, line) => {
    const name = printable(decode(raw[line * 2] ?? '')).toLowerCase()
    const value = decode(raw[line * 2 + 1] ?? '')
    return [name, printable(name === 'set-cookie' ? redactSetCookie(value) : value)]
  })
}

/** Every value of one field. */
export function fieldValues(fields: Fields, name: string): readonly string[] {
  return fields.filter(([one]) => one === name).map(([, value]) => value)
}

/** Octets beyond ASCII are UTF-8 where they can be, else Latin-1 (RFC 9110 section 5.5). */
const decode = (octets: Buffer | string): string =>
  typeof octets === 'string' ? octets : octets.toString(isUtf8(octets) ? 'utf8' : 'latin1')

const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').trim()

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
