// The home page as fetched: every hop's response, without its body.

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

export interface Page {
  /** In the order they were made: redirects first, the page last. Empty when nothing answered. */
  readonly exchanges: readonly Exchange[]
  /** Why there is no response on the last hop: `refused`, `reset`, `protocol_error`, `timeout`, ...; null when there is one. */
  readonly failure: string | null
  /** Why a redirect was not followed: `redirect_to_non_public`, `redirect_loop`, `too_many_redirects`, `redirect_to_port`, `redirect_to_scheme`; null otherwise. */
  readonly stopped: string | null
  /** Where that redirect pointed, printable, <= 512 characters. */
  readonly stopped_at: string | null
}
