// How a site answers plain HTTP, and the name with or without `www.`.

export interface Entrance {
  readonly url: string
  /** Of the first response; null when there was none, and then `failure` says why: `refused`, `timeout`, `not_found`, ... */
  readonly status: number | null
  readonly failure: string | null
  /** Where it redirects to, absolute, <= 512 characters; null when it does not, or to nothing that is a URL. */
  readonly location: string | null
}

export interface Entrances {
  readonly http: Entrance
  /** `http://www.example.com/` for example.com and the other way round; null for addresses and for other names. */
  readonly www: Entrance | null
}
