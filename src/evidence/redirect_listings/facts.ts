// Listings of the hosts and pages that redirects, or a refresh of the page, lead to.
import type { FeedListing } from '../feeds/facts.ts'

export interface RedirectListings {
  readonly hosts: readonly {
    /** A name or an address. */
    readonly host: string
    /** Only the feeds that list it or a page of it that a redirect leads to; of the target itself, only other pages. */
    readonly lists: readonly FeedListing[]
  }[]
}
