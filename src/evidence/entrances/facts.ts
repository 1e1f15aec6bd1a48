// How a site answers plain HTTP, and the name with or without `www.`.

export interface Entrance {
  readonly url: string
  /**
   * The status of the first response; null without a response. `failure` then says why: `refused`, `timeout`,
   * `not_found`, ...
   */
  readonly status: number | null
  readonly failure: string | null
  /** The absolute redirect target, at most 512 characters; null without a redirect or for an invalid URL. */
  readonly location: string | null
  /** Where redirects within plain HTTP lead: at most 2 more responses. Absent in older recordings. */
  readonly followed?: readonly Hop[]
}

export interface Hop {
  readonly url: string
  readonly status: number | null
  readonly location: string | null
}

export interface Entrances {
  readonly http: Entrance
  /** `http://www.example.com/` for example.com and vice versa; null for addresses and other names. */
  readonly www: Entrance | null
}
