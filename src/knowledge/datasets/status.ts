// The state of a dataset: for people, metrics and readiness, and as checks see it.

import type { ChosenDataset } from './choose.ts'
import type { Use } from './dataset.ts'
import type { Feed, PopularityList } from './held.ts'
import type { DroppedCounts } from './list_format.ts'
import type { HeldValue } from './source.ts'

/** `missing`: enabled but not there yet; `stale`: there, but too old for checks to use. */
type DatasetState = 'fresh' | 'stale' | 'missing' | 'off'

export interface DatasetStatus {
  readonly id: string
  readonly name: string
  readonly use: Use
  readonly state: DatasetState
  /** Why it is off, or why the last refresh failed; null when neither applies. */
  readonly reason: string | null
  /** Names and prefixes of a list, nodes of a database, or registries of a bootstrap file. Null while missing. */
  readonly entries: number | null
  /** Lines and values of a list that count for nothing, by reason. Null while missing. */
  readonly dropped: DroppedCounts | null
  /** Whole seconds since the publisher last confirmed the content. */
  readonly age_seconds: number | null
  /** ISO 8601 in UTC: when the content was fetched, and when the next refresh is due. */
  readonly fetched_at: string | null
  readonly next_at: string | null
  /** Failed refreshes in a row. */
  readonly failures: number
  readonly terms: string
  /** While it is off: where a free key comes from and what it would add. Null when that is not why. */
  readonly with_key: string | null
  /** The host or the file it comes from. */
  readonly origin: string | null
}

/** The state of a source's refreshes. */
export interface RefreshState {
  readonly failures: number
  readonly reason: string | null
  /** Milliseconds since the Unix epoch; null when no refresh is planned. */
  readonly next_at: number | null
}

const HOUR_MS = 3_600_000

const ageOf = ({ checked_at }: Pick<HeldValue<unknown>, 'checked_at'>, now: number): number =>
  Math.max(0, now - checked_at)

/** A confirmation that far in the future came from a wrong clock, so the age is unknown. */
const isStale = ({ checked_at }: Pick<HeldValue<unknown>, 'checked_at'>, { stale_hours }: ChosenDataset, now: number) =>
  Math.abs(now - checked_at) >= stale_hours * HOUR_MS

export function statusOf(
  one: ChosenDataset,
  heldValue: HeldValue<unknown> | null,
  refreshState: RefreshState,
  now: number,
): DatasetStatus {
  const { id, name, use, enabled, terms, off } = one
  const activeValue = enabled ? heldValue : null
  return {
    id,
    name,
    use,
    state: !enabled ? 'off' : activeValue === null ? 'missing' : isStale(activeValue, one, now) ? 'stale' : 'fresh',
    reason: enabled ? refreshState.reason : off,
    entries: activeValue?.entries ?? null,
    dropped: activeValue?.dropped ?? null,
    age_seconds: activeValue && Math.floor(ageOf(activeValue, now) / 1_000),
    fetched_at: activeValue && new Date(activeValue.fetched_at).toISOString(),
    next_at: refreshState.next_at === null || !enabled ? null : new Date(refreshState.next_at).toISOString(),
    failures: refreshState.failures,
    terms,
    with_key: enabled ? null : one.with_key,
    origin: originOf(one),
  }
}

/** Only the host: the path or the query of a URL may contain a key. */
function originOf({ url, path }: ChosenDataset): string | null {
  if (url === null) return path
  return URL.canParse(url) ? new URL(url).host : null
}

/** A dataset now; `awaited` means that it is being read, or fetched for the first time. */
interface DatasetNow<Value> {
  readonly one: ChosenDataset
  readonly held: HeldValue<Value> | null
  readonly awaited: boolean
  readonly now: number
}

export function feedOf(present: DatasetNow<NonNullable<Feed['lookup']>>): Feed {
  const { id, name, about, category, strength, terms } = present.one
  return { id, name, about, category, strength, terms, lookup: usable(present), ...standing(present) }
}

export function popularityOf(present: DatasetNow<NonNullable<PopularityList['ranks']>>): PopularityList {
  const { id, name } = present.one
  return { id, name, ranks: usable(present), ...standing(present) }
}

/** Null while missing or stale. */
export const usable = <Value>({ one, held, now }: DatasetNow<Value>): Value | null =>
  held === null || isStale(held, one, now) ? null : held.value

function standing({ one, held, awaited, now }: DatasetNow<unknown>) {
  if (held === null) return { reason: awaited ? 'loading' : 'not_loaded', age_hours: null }
  return { reason: isStale(held, one, now) ? 'stale' : null, age_hours: Math.floor(ageOf(held, now) / HOUR_MS) }
}
