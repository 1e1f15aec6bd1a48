// Which sources did not answer, as reasons for `coverage`.
import { type AnalysisContext, blameOf, type Evidence, mainReason, missedReason } from '../../src/engine/plugin.ts'
import { countHits } from './listing.ts'

type SilentSources = {
  readonly [Kind in 'listings' | 'feeds' | 'popularity' | 'registration' | 'reverse_names']: Evidence[Kind] | null
}

/** Why a part of the section is unknown; null if nothing is missing. */
export const silence = (sources: SilentSources, missing: AnalysisContext<unknown>['missing']): string | null =>
  wholeSilence(sources) ??
  mainReason([...partialSilence(sources), missedReason(missing)].filter(reason => reason !== null)) ??
  unstatedReason(sources)

/** The reason if a whole kind of source is silent, not loaded, or still loading. */
function wholeSilence({ listings, feeds, popularity }: SilentSources): string | null {
  if (listings !== null && countHits(listings.lists) === null) return 'no_list_answered'
  if (feeds?.lists.some(({ reason }) => reason === 'loading')) return 'feeds_loading'
  if (feeds !== null && countHits(feeds.lists) === null) return 'no_feed_loaded'
  const isRanked = popularity === null || popularity.lists.some(({ status }) => status !== 'unknown')
  return isRanked ? null : 'no_popularity_loaded'
}

/** Reasons if some sources of a kind are silent: they withhold their answer, or may answer next time. */
const reasonsOf = {
  listings: { withheld: 'some_lists_silent', missed: 'some_lists_unanswered' },
  feeds: { withheld: 'some_feeds_silent', missed: 'feeds_loading' },
  popularity: { withheld: 'some_popularity_silent', missed: 'popularity_loading' },
} as const

function partialSilence(sources: SilentSources): string[] {
  return (['listings', 'feeds', 'popularity'] as const).flatMap(kind => {
    const silent = (sources[kind]?.lists ?? []).flatMap(({ status, reason }) =>
      status === 'unknown' ? [reason ?? ''] : [],
    )
    const blames = new Set(silent.map(blameOf).filter(blame => blame !== 'nobody'))
    const { withheld, missed } = reasonsOf[kind]
    return blames.size === 0 ? [] : [blames.size === 1 && blames.has('source') ? withheld : missed]
  })
}

/** What the sources answered leaves open: the registry gives no date, or a name was not looked up in turn. */
function unstatedReason({ registration, reverse_names }: SilentSources): string | null {
  if (reverse_names?.names.some(({ confirmed }) => confirmed === null)) return 'reverse_names_dns_unavailable'
  const { registered = false, registered_at = null, registered_in_future = false } = registration ?? {}
  return registered && registered_at === null && !registered_in_future ? 'no_registration_date' : null
}
