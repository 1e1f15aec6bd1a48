// The security.txt file of a site (RFC 9116): whom to tell about a vulnerability.

export interface SecurityTxt {
  /** Where it was asked for, on the origin of the page. */
  readonly url: string
  /** `found`, `missing` (404, 410), `denied` (401, 403), or `unknown` with the reason. */
  readonly status: 'found' | 'missing' | 'denied' | 'unknown'
  readonly reason: string | null
  /** The value of the Content-Type field; null when there is none. */
  readonly content_type: string | null
  /** At most 32 KiB of it, decoded as UTF-8, without control characters except line feeds; null unless found. Of a page in its place only the first tag. */
  readonly text: string | null
  /** The file is longer than `text`. */
  readonly truncated: boolean
}
