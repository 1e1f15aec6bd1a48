// Which of the sources had nothing to say, in the words of `coverage`.
import type { Evidence } from '../../src/engine/plugin.ts'
import { countHits } from './listing.ts'

type Asked = { readonly [Kind in 'listings' | 'feeds' | 'popularity']: Evidence[Kind] | null }

/** As a finding says it. */
interface Silence {
  readonly unknown?: string
  readonly lasting?: string
}

export function silence(asked: Asked): Silence {
  const unknown = wholeSilence(asked)
  return unknown === null ? partialSilence(asked) : { unknown }
}

/** Sources that are there and have nothing to say: all lists are silent, or nothing of a kind is loaded, or not all yet. */
function wholeSilence({ listings, feeds, popularity }: Asked): string | null {
  if (listings !== null && countHits(listings.lists) === null) return 'no_list_answered'
  if (feeds?.lists.some(({ reason }) => reason === 'loading')) return 'feeds_loading'
  if (feeds !== null && countHits(feeds.lists) === null) return 'no_feed_loaded'
  const ranked = popularity === null || popularity.lists.some(({ status }) => status !== 'unknown')
  return ranked ? null : 'no_popularity_loaded'
}

/** Reasons that say nothing of the source: it was not there to be asked. */
const UNASKED: ReadonlySet<string | null> = new Set(['name_too_long', 'addresses_unknown'])

/**
 * Reasons that outlast a minute, as far as this installation can tell: the list is left alone, or refuses, or there is no
 * file. Were results kept for a minute meanwhile, the outage of others would be ours.
 */
const LASTING: ReadonlySet<string | null> = new Set([
  ...['list_paused', 'list_unhealthy', 'allowance_spent'],
  ...['wrong_zone', 'wrong_question', 'public_resolver', 'volume_exceeded'],
  ...['list_refused', 'list_error', 'foreign_answer'],
  ...['not_loaded', 'stale'],
])

/** Some of several sources of a kind have nothing to say. What the next check may hear is told before what it will not. */
function partialSilence({ listings, feeds, popularity }: Asked): Silence {
  const kinds = { some_lists_silent: listings, some_feeds_silent: feeds, some_popularity_silent: popularity }
  const silent = Object.entries(kinds).flatMap(([told, kind]) =>
    (kind?.lists ?? [])
      .filter(({ status, reason }) => status === 'unknown' && !UNASKED.has(reason))
      .map(({ reason }) => ({ told, lasts: LASTING.has(reason) })),
  )
  const [unknown] = silent.filter(({ lasts }) => !lasts)
  if (unknown !== undefined) return { unknown: unknown.told }
  return silent[0] === undefined ? {} : { lasting: silent[0].told }
}
