// The answers of DNS blocklists (RFC 5782) about a target.
import type { Category, Strength } from '../../knowledge/datasets/held.ts'

export interface Meaning {
  readonly meaning: string
  readonly category: Category
  readonly strength: Strength
}

/** One address that a list returned, and its meaning. */
export interface ListingCode extends Meaning {
  readonly code: string
}

/** One query to one list. Several listed addresses on one list count as one listing. */
export interface Listing {
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The address or name queried. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why the status is unknown: `timeout`, `list_unhealthy`, `list_paused`, `public_resolver`, `undocumented_code`, ...; else null. */
  readonly reason: string | null
  readonly codes: readonly ListingCode[]
  readonly categories: readonly Category[]
  /** The highest strength of its codes; null when not listed. */
  readonly strength: Strength | null
  /** The list's explanation (at most 256 characters), if requested. */
  readonly explanation: string | null
  /** Who may use the list. */
  readonly terms: string
}

export interface Listings {
  readonly lists: readonly Listing[]
}
