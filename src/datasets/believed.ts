// Datasets as checks see them: what is too old is as good as absent.
import type { Feed } from '../evidence/feeds.ts'
import type { PopularityList } from '../evidence/popularity.ts'
import type { Chosen } from './choose.ts'
import type { Held } from './source.ts'
import { ageOf, isStale } from './status.ts'

const HOUR_MS = 3_600_000

/** A dataset at this moment; `awaited` says that it is being read, or fetched for the first time. */
export interface Present<Value> {
  readonly one: Chosen
  readonly held: Held<Value> | null
  readonly awaited: boolean
  readonly now: number
}

export function feedOf(present: Present<NonNullable<Feed['lookup']>>): Feed {
  const { id, name, about, category, strength, terms } = present.one
  return { id, name, about, category, strength, terms, lookup: believed(present), ...standing(present) }
}

export function popularityOf(present: Present<NonNullable<PopularityList['ranks']>>): PopularityList {
  const { id, name } = present.one
  return { id, name, ranks: believed(present), ...standing(present) }
}

const believed = <Value>({ one, held, now }: Present<Value>): Value | null =>
  held === null || isStale(held, one, now) ? null : held.value

function standing({ one, held, awaited, now }: Present<unknown>) {
  if (held === null) return { reason: awaited ? 'loading' : 'not_loaded', age_hours: null }
  return { reason: isStale(held, one, now) ? 'stale' : null, age_hours: Math.floor(ageOf(held, now) / HOUR_MS) }
}
