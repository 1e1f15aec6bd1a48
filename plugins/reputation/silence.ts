// Which of the sources had nothing to say, in the words of `coverage`.
import type { Evidence } from '../../src/engine/plugin.ts'
import { countHits } from './listing.ts'

type Asked = { readonly [Kind in 'listings' | 'feeds' | 'popularity']: Evidence[Kind] | null }

/** Sources that are there and have nothing to say: all lists are silent, or nothing of a kind is loaded, or not all yet. */
export function silence({ listings, feeds, popularity }: Asked): string | null {
  if (listings !== null && countHits(listings.lists) === null) return 'no_list_answered'
  if (feeds?.lists.some(({ reason }) => reason === 'loading')) return 'feeds_loading'
  if (feeds !== null && countHits(feeds.lists) === null) return 'no_feed_loaded'
  const ranked = popularity === null || popularity.lists.some(({ status }) => status !== 'unknown')
  return ranked ? null : 'no_popularity_loaded'
}

/** Reasons that say nothing of the source: it was not there to be asked. */
const UNASKED: ReadonlySet<string | null> = new Set(['name_too_long', 'addresses_unknown'])

/**
 * Some of several sources of a kind have nothing to say. One that is down may be so for hours: were results kept for a
 * minute meanwhile, its outage would be ours.
 */
export function partialSilence({ listings, feeds, popularity }: Asked): string | undefined {
  const kinds = { some_lists_silent: listings, some_feeds_silent: feeds, some_popularity_silent: popularity }
  const silent = Object.entries(kinds).find(([, kind]) =>
    kind?.lists.some(({ status, reason }) => status === 'unknown' && !UNASKED.has(reason)),
  )
  return silent?.[0]
}
