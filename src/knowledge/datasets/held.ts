// What datasets hold, as it is looked up in memory, and what lists say of what they hold.

/** `policy` is not abuse (addresses that should not send mail), `white` is an allowlist, `unknown` a code that its list gives no class. */
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

/** How strongly a listing counts against the target. `none` does not count: a policy, an allowlist, or a code without a class. */
export type Strength = 'strong' | 'moderate' | 'weak' | 'none'

/**
 * The categories of blocklists, and two more: `tor` is a Tor exit, `disposable` a service for disposable mail
 * addresses.
 */
export type FeedCategory = Category | 'tor' | 'disposable'

export interface ListedPages {
  /** The host of the pages. */
  readonly host: string
  /** The number of pages; null for a host where many users publish, where other pages say nothing about the target. */
  readonly count: number | null
  /** Whether the checked page is among them, or in a listed folder. */
  readonly listed: boolean
}

/** Returns the matching entry, or null. */
export interface FeedLookup {
  /** The search through parent names ends at `registrable`, because names above it have another owner. */
  name(name: string, registrable: string): string | null
  /** The same search, for pages. `page`: the expressions that list the page that is checked; null without one. */
  pages(name: string, registrable: string, page: readonly string[] | null): ListedPages | null
  address(address: string): string | null
}

/** The current content of a feed. */
export interface Feed {
  readonly id: string
  readonly name: string
  readonly about: 'names' | 'addresses' | 'both'
  readonly category: FeedCategory
  readonly strength: Strength
  readonly terms: string
  /** Null, with a reason, when the feed cannot be used. */
  readonly lookup: FeedLookup | null
  readonly reason: string | null
  readonly age_hours: number | null
}

/** The current content of a list of popular domains. */
export interface PopularityList {
  readonly id: string
  readonly name: string
  /** Null, with a reason, when the list cannot be used. */
  readonly ranks: { readonly size: number; rank(domain: string): number | null } | null
  readonly reason: string | null
  readonly age_hours: number | null
}

/** Whether the list has the host, or a parent with its subdomains. */
export interface PreloadList {
  has(host: string): boolean
}
