// The contents of datasets as look-ups read them in memory, and the statements of lists about their entries.

/** What lists of all kinds say of their entries. `policy` is not abuse: addresses that should not send mail. */
const SHARED_CATEGORIES = [
  'spam',
  'phishing',
  'malware',
  'botnet',
  'attack',
  'proxy',
  'abused_legit',
  'policy',
] as const
/** Those of blocklists. `white` is an allowlist, `unknown` a code that its list gives no class. */
export const BLOCKLIST_CATEGORIES = [...SHARED_CATEGORIES, 'white', 'unknown'] as const
/** Those that a feed may be given. `tor` is a Tor exit, `disposable` a service for disposable mail addresses. */
export const FEED_CATEGORIES = [...SHARED_CATEGORIES, 'tor', 'disposable'] as const

export type Category = (typeof BLOCKLIST_CATEGORIES)[number]
/** A feed without a category is `unknown`. */
export type FeedCategory = Category | (typeof FEED_CATEGORIES)[number]

/** How strongly a listing counts against the target. `none` does not count: a policy, an allowlist, or a code without a class. */
export const STRENGTHS = ['strong', 'moderate', 'weak', 'none'] as const
export type Strength = (typeof STRENGTHS)[number]

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
