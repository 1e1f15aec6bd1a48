// Listings of the hosts and pages that redirects, or the page itself, lead to or show in a frame: in feeds and the operator's lists.
import type { FeedListing } from '../feeds/facts.ts'
import type { OperatorListing } from '../operator_lists/facts.ts'

export interface RedirectListings {
  readonly hosts: readonly {
    /** A name or an address. */
    readonly host: string
    /** Only the feeds that list it or a page of it that a redirect leads to; of the target itself, only other pages. */
    readonly lists: readonly FeedListing[]
    /** The entry of the operator's lists that names the host; absent if none does, and of the target itself. */
    readonly operator?: OperatorListing
  }[]
}
