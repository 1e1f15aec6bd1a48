// Datasets as checks see them: what is too old is as good as absent.
import type { Feed } from '../evidence/feeds.ts'
import type { PopularityList } from '../evidence/popularity.ts'
import type { Chosen } from './choose.ts'
import type { Held } from './source.ts'
import { ageOf, isStale } from './status.ts'

const HOUR_MS = 3_600_000

export function feedOf(one: Chosen, held: Held<NonNullable<Feed['lookup']>> | null, now: number): Feed {
  const { id, name, about, category, strength, terms } = one
  return { id, name, about, category, strength, terms, lookup: believed(one, held, now), ...standing(one, held, now) }
}

export function popularityOf(
  one: Chosen,
  held: Held<NonNullable<PopularityList['ranks']>> | null,
  now: number,
): PopularityList {
  return { id: one.id, name: one.name, ranks: believed(one, held, now), ...standing(one, held, now) }
}

const believed = <Value>(one: Chosen, held: Held<Value> | null, now: number): Value | null =>
  held === null || isStale(held, one, now) ? null : held.value

function standing(one: Chosen, held: Held<unknown> | null, now: number) {
  if (held === null) return { reason: 'not_loaded', age_hours: null }
  return { reason: isStale(held, one, now) ? 'stale' : null, age_hours: Math.floor(ageOf(held, now) / HOUR_MS) }
}
