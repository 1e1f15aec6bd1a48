// Listings of a target in threat feeds.
import type { FeedCategory, Strength } from '../../knowledge/datasets/held.ts'

/** The whole site or address, the very page that is checked, or other pages of its host. */
export type Covers = 'site' | 'page' | 'other_pages'

/** One feed about the whole target. Its fields are those of a `Listing`, so that code can read both alike. */
export interface FeedListing {
  /** The dataset's ID in the configuration; a source that is also a blocklist has the same ID there. */
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The listed name or address; the target if none is listed. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why the status is unknown: `loading`, `not_loaded`, `stale`, `addresses_unknown`; else null. */
  readonly reason: string | null
  /** The matching entry: a name, possibly a parent, or a prefix in CIDR notation. Of a listed page, only its host. */
  readonly matched: string | null
  /** The listed part of the target; null when none is. Absent in older recordings. */
  readonly covers?: Covers | null
  /** Number of listed pages of `matched`; null where many users publish, and when no page is listed. */
  readonly pages?: number | null
  /** The feed's category if the target is listed; else empty. */
  readonly categories: readonly FeedCategory[]
  /** How strongly the listing counts against the listed `kind`; null when not listed. `none` does not count. */
  readonly strength: Strength | null
  /** Who may use the feed. */
  readonly terms: string
  /** Whole hours since the publisher last confirmed the loaded content; null when nothing is loaded. */
  readonly age_hours: number | null
}

export interface Feeds {
  readonly lists: readonly FeedListing[]
}
