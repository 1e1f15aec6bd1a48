// How many answers an account got on each day (UTC). The day balance of the quota holds the latest days; a day that leaves it is
// added to an archive by the same write. So each answer is counted once, where the quota counts it, and a day costs one write.
// If the clock is set back before all known days, that day starts with the count that the quota assumes.
import type { Balance, Counts } from '../config/quota_rule.ts'

const DAY_MS = 86_400_000

/** Days that are kept: a year, and the month that it is compared with. */
export const DAYS_KEPT = 400

/** Answers of one day. */
export interface DayCount {
  /** ISO 8601, in UTC. */
  readonly day: string
  readonly answers: number
}

/** Days from the first to the last, both included: their first milliseconds. */
export interface DaySpan {
  readonly from: number
  readonly to: number
}

/** First millisecond of a day, and answers. */
export type StoredDay = readonly [start: number, answers: number]

/** The days with answers that `before` holds and `after` no longer does. */
export function daysLeaving(before: Counts | null, after: Counts): readonly StoredDay[] {
  if (before === null || before.day[0] === after.day[0]) return []
  const remainingDays = daysIn(after.day).map(([start]) => start)
  return daysIn(before.day).filter(([start, answers]) => answers > 0 && !remainingDays.includes(start))
}

/**
 * When `leaving` is archived, earlier days than this are removed. The earlier of two days decides, so that a clock that is years
 * ahead for a day removes nothing.
 */
export const oldestKept = (leaving: number, current: number): number => Math.min(leaving, current) - DAYS_KEPT * DAY_MS

/** The days of the span that have answers, oldest first; `now` limits them to those that are kept. */
export function daysWithin(
  { from, to }: DaySpan,
  balance: Balance,
  archivedDays: readonly StoredDay[],
  now: number,
): readonly DayCount[] {
  const first = Math.max(from, firstKept(now))
  const days = new Map<number, number>()
  for (const [start, answers] of [...archivedDays, ...daysIn(balance)]) {
    if (start >= first && start <= to && answers > 0) days.set(start, (days.get(start) ?? 0) + answers)
  }
  return [...days].sort(([a], [b]) => a - b).map(([start, answers]) => ({ day: dayText(start), answers }))
}

/** The first millisecond of the earliest day that is kept at `now`. */
export const firstKept = (now: number): number => dayStart(now) - (DAYS_KEPT - 1) * DAY_MS

function daysIn(balance: Balance): readonly StoredDay[] {
  return balance.flatMap((start, at) => (at % 2 === 0 ? [[start, balance[at + 1] ?? 0] as const] : []))
}

const dayStart = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS

const dayText = (start: number): string => new Date(start).toISOString().slice(0, 10)

const DAY = /^\d{4}-\d\d-\d\d$/

/** The first millisecond of a day such as 2026-11-25; null when there is no such day. */
function readDay(text: string): number | null {
  const start = DAY.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(start) && dayText(start) === text ? start : null
}

/** Days of a span that names no first day: today and the 30 before it. */
const DAYS_BY_DEFAULT = 31

export type ReadSpan = { readonly ok: true; readonly span: DaySpan } | { readonly ok: false; readonly detail: string }

/** Reads a span from the texts of its days; null is the default. */
export function readSpan(from: string | null, to: string | null, now: number): ReadSpan {
  const last = to === null ? dayStart(now) : readDay(to)
  if (last === null) return { ok: false, detail: `to is not a day such as ${dayText(now)}.` }
  const first = from === null ? last - (DAYS_BY_DEFAULT - 1) * DAY_MS : readDay(from)
  if (first === null) return { ok: false, detail: `from is not a day such as ${dayText(now)}.` }
  if (first > last) return { ok: false, detail: 'from is later than to.' }
  return { ok: true, span: { from: first, to: last } }
}

/** The span as the days that a client reads. */
export const spanText = ({ from, to }: DaySpan) => ({ from: dayText(from), to: dayText(to) })

export const totalOf = (days: readonly DayCount[]): number => days.reduce((sum, { answers }) => sum + answers, 0)
