// What threat feeds say about the hosts that the page's redirects lead to.
import type { FeedListing } from '../feeds/facts.ts'

export interface RedirectListings {
  readonly hosts: readonly {
    /** A name or an address. */
    readonly host: string
    /** Only the feeds that list it. */
    readonly lists: readonly FeedListing[]
  }[]
}
