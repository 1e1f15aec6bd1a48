// How a dataset stands, for people, metrics and readiness.
import type { Chosen } from './choose.ts'
import type { Use } from './dataset.ts'
import type { Held } from './source.ts'

/** `missing`: wanted, and not there yet; `stale`: there, and older than is believed. */
export type DatasetState = 'fresh' | 'stale' | 'missing' | 'off'

export interface DatasetStatus {
  readonly id: string
  readonly name: string
  readonly use: Use
  readonly state: DatasetState
  /** Why it is off, or why the last try to refresh it failed; null when it did not. */
  readonly reason: string | null
  /** Names, addresses and blocks of a list; nodes of a database; registries of the bootstrap. Null while missing. */
  readonly entries: number | null
  /** Octets in memory. */
  readonly bytes: number | null
  /** Whole seconds since its publisher last confirmed it. */
  readonly age_seconds: number | null
  /** ISO 8601 in UTC: of the content, and of the next try. */
  readonly fetched_at: string | null
  readonly next_at: string | null
  /** Tries in a row that failed. */
  readonly failures: number
  readonly terms: string
  /** Host or file it comes from. */
  readonly origin: string | null
}

/** What is told of the course of a source beside what it holds. */
export interface Course {
  readonly failures: number
  readonly reason: string | null
  /** Milliseconds since the Unix epoch; null when nothing is planned. */
  readonly next_at: number | null
}

const HOUR_MS = 3_600_000

export const ageOf = ({ checked_at }: Pick<Held<unknown>, 'checked_at'>, now: number): number =>
  Math.max(0, now - checked_at)

/** What was confirmed as far in the future was so by a clock that was wrong then, or is now: its age is not known. */
export const isStale = ({ checked_at }: Pick<Held<unknown>, 'checked_at'>, { stale_hours }: Chosen, now: number) =>
  Math.abs(now - checked_at) >= stale_hours * HOUR_MS

export function statusOf(one: Chosen, held: Held<unknown> | null, course: Course, now: number): DatasetStatus {
  const { id, name, use, enabled, terms, off } = one
  const seen = enabled ? held : null
  return {
    id,
    name,
    use,
    state: !enabled ? 'off' : seen === null ? 'missing' : isStale(seen, one, now) ? 'stale' : 'fresh',
    reason: enabled ? course.reason : off,
    entries: seen?.entries ?? null,
    bytes: seen?.bytes ?? null,
    age_seconds: seen && Math.floor(ageOf(seen, now) / 1_000),
    fetched_at: seen && new Date(seen.fetched_at).toISOString(),
    next_at: course.next_at === null || !enabled ? null : new Date(course.next_at).toISOString(),
    failures: course.failures,
    terms,
    origin: originOf(one),
  }
}

/** A key may stand in a URL's path or query: the host is enough. */
function originOf({ url, path }: Chosen): string | null {
  if (url === null) return path
  return URL.canParse(url) ? new URL(url).host : null
}
