// Which of the sources had nothing to say, in the words of `coverage`.
import type { AnalysisContext, Evidence } from '../../src/engine/plugin.ts'
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

/** Why a source that should have answered did not; a source that this installation does not have is none. */
export function firstMissed(missing: AnalysisContext<unknown>['missing']): string | null {
  const missed = Object.entries(missing).find(
    ([, { status, reason }]) => status !== 'not_applicable' && reason !== 'not_configured',
  )
  return missed ? `${missed[0]}_${missed[1].reason}` : null
}
