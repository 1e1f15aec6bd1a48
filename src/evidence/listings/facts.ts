// What DNS blocklists (RFC 5782) answered about a target.

/** `policy` is no abuse (addresses that should not send mail), `white` praises, `unknown` is a code the list does not document. */
export type Category =
  | 'spam'
  | 'phishing'
  | 'malware'
  | 'botnet'
  | 'attack'
  | 'proxy'
  | 'abused_legit'
  | 'policy'
  | 'white'
  | 'unknown'

/** What a listing is worth against the target. `none` is no hit: policy, praise, or a code nobody explained. */
export type Strength = 'strong' | 'moderate' | 'weak' | 'none'

export interface Meaning {
  readonly meaning: string
  readonly category: Category
  readonly strength: Strength
}

/** One answer of a list: the address it answered with and what that stands for. */
export interface ListingCode extends Meaning {
  readonly code: string
}

/** One question to one list. A list that lists several of a target's addresses is one hit of that list. */
export interface Listing {
  readonly id: string
  readonly name: string
  readonly kind: 'ip' | 'domain'
  /** The address or the name that was asked about. */
  readonly asked: string
  readonly status: 'listed' | 'not_listed' | 'unknown'
  /** Why it is unknown: `timeout`, `list_unhealthy`, `list_paused`, `public_resolver`, ...; else null. */
  readonly reason: string | null
  readonly codes: readonly ListingCode[]
  readonly categories: readonly Category[]
  /** The highest of its codes; null when not listed. `none` is no hit. */
  readonly strength: Strength | null
  /** The list's own words (at most 256 characters), when they were asked for. */
  readonly explanation: string | null
  /** Who may use the list. */
  readonly terms: string
}

export interface Listings {
  readonly lists: readonly Listing[]
}
