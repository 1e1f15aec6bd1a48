// What threat feeds say about a target.
import type { Category, Strength } from '../listings/facts.ts'

/** Beside those of blocklists: `tor` is an exit of the Tor network, `disposable` a service of throw-away mail addresses. */
export type FeedCategory = Category | 'tor' | 'disposable'

/** One feed about the whole target. Its members are those of a `Listing`, so that both can be read alike. */
export interface FeedListing {
  /** The dataset's id in the configuration; a source that is also asked by DNS has the same id there. */
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The name or address that is listed; the target's own when none is. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why it is unknown: `loading`, `not_loaded`, `stale`, `addresses_unknown`; else null. */
  readonly reason: string | null
  /** The entry that lists it: a name (perhaps a parent's) or a prefix in CIDR notation. */
  readonly matched: string | null
  /** What the feed is about, when it lists the target. */
  readonly categories: readonly FeedCategory[]
  /** What the listing is worth against what it is of (`kind`); null when not listed. `none` is no hit. */
  readonly strength: Strength | null
  /** Who may use the feed. */
  readonly terms: string
  /** Whole hours since its publisher last confirmed what is in memory; null when nothing is. */
  readonly age_hours: number | null
}

export interface Feeds {
  readonly lists: readonly FeedListing[]
}
