// One HTTP exchange as plain data: what was asked, what came back, without the body.

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
