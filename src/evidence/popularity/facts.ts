// How popular the registrable domain is, by lists of popular domains.

export interface PopularityRank {
  /** The dataset's id in the configuration. */
  readonly id: string
  readonly name: string
  readonly status: 'ranked' | 'not_ranked' | 'unknown'
  /** Why it is unknown: `loading`, `not_loaded` or `stale`; else null. */
  readonly reason: string | null
  /** 1 is the most popular. */
  readonly rank: number | null
  /** How many domains the list has; null when unknown. */
  readonly of: number | null
  /** Whole hours since its publisher last confirmed what is in memory; null when nothing is. */
  readonly age_hours: number | null
}

export interface Popularity {
  /** What was looked up: tenants of a platform are ranked by their own name, never by the platform's. */
  readonly domain: string
  /** The best of all lists; null when none ranks it, also when none is there to ask. */
  readonly rank: number | null
  readonly lists: readonly PopularityRank[]
}
