// The popularity of the registrable domain, by lists of popular domains.

export interface PopularityRank {
  /** The dataset's ID in the configuration. */
  readonly id: string
  readonly name: string
  readonly status: 'ranked' | 'not_ranked' | 'unknown'
  /** Why the rank is unknown: `loading`, `not_loaded` or `stale`; else null. */
  readonly reason: string | null
  /** 1 is the most popular. */
  readonly rank: number | null
  /** Number of domains in the list; null when unknown. */
  readonly of: number | null
  /** Whole hours since the publisher last confirmed the loaded content; null when nothing is loaded. */
  readonly age_hours: number | null
}

export interface Popularity {
  /** The domain that was looked up. Tenants of a platform are ranked by their own name, never by the platform's. */
  readonly domain: string
  /** The best rank of all lists; null if none ranks it or there is no list. */
  readonly rank: number | null
  readonly lists: readonly PopularityRank[]
}
