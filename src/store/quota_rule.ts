// The quota rule: which period an answer counts in, how much of it is used, and whether one more answer fits. Both stores
// use it, and so does an instance whose Redis is down; redis/quota_script.ts repeats it in Lua. To add a kind of period,
// change this module and that script, and add its columns in a migration of the embedded file.
// All times are milliseconds since the Unix epoch.

/** Every answer counts in all kinds of period, so that a plan of another period finds what was used before it. */
export const periodKinds = ['month', 'day'] as const
export type PeriodKind = (typeof periodKinds)[number]

/** What a plan allows: so many answers in a calendar period (UTC). */
export interface Allowance {
  readonly quota: number
  readonly period: PeriodKind
}

export interface Usage {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** Unix seconds: the start of the next period. */
  readonly reset: number
}

/** Answers counted in one period, which begins at `start`. */
export interface Count {
  readonly start: number
  readonly used: number
}

/** The count of the current period, and of the period before it, which is current again when the clock is set back. */
export interface Balance extends Count {
  readonly past: Count | null
}

export type PerPeriod<T> = Readonly<Record<PeriodKind, T>>
export type Counts = PerPeriod<Balance>

export const perPeriod = <T>(make: (kind: PeriodKind) => T): PerPeriod<T> =>
  Object.fromEntries(periodKinds.map(kind => [kind, make(kind)])) as PerPeriod<T>

/** The start of the period that holds `at`, or of a period `offset` later. */
type Boundary = (at: Date, offset: number) => number

const boundaries: PerPeriod<Boundary> = {
  month: (at, offset) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset),
  day: (at, offset) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + offset),
}

/** The first millisecond of the period that holds `at`; NaN when `at` is not a date. */
export const periodStart = (kind: PeriodKind, at: number): number => boundaries[kind](new Date(at), 0)

/** The first millisecond of the period after the one that holds `at`. */
export const periodEnd = (kind: PeriodKind, at: number): number => boundaries[kind](new Date(at), 1)

/**
 * How far a clock may lag behind the start of the current period: NTP corrects clocks, and the clocks of instances differ.
 * A clock that lags further was wrong when that period began.
 */
export const SET_BACK_MS = 3_600_000

/** The start of the current period, given the start of the period before this call. */
export function startAt(kind: PeriodKind, before: number | null, now: number): number {
  const start = periodStart(kind, now)
  return before !== null && before > start && before - now <= SET_BACK_MS ? before : start
}

/**
 * The balance at `now`. A new period starts at 0. A period that the clock returns to keeps its count, so that a wrong clock
 * hands out no quota twice; a period earlier than both gets the count of the current one.
 */
export function balanceAt(kind: PeriodKind, stored: Balance | null, now: number): Balance {
  const start = startAt(kind, stored?.start ?? null, now)
  if (stored === null) return { start, used: 0, past: null }
  if (start === stored.start) return stored
  const past = { start: stored.start, used: stored.used }
  if (stored.past?.start === start) return { start, used: stored.past.used, past }
  const isNew = start > stored.start || (stored.past !== null && start > stored.past.start)
  return { start, used: isNew ? 0 : stored.used, past }
}

/** The balances at `now`: the same object when none of them changes. */
export function countsAt(stored: Counts | null, now: number): Counts {
  const counts = perPeriod(kind => balanceAt(kind, stored?.[kind] ?? null, now))
  return stored !== null && periodKinds.every(kind => counts[kind] === stored[kind]) ? stored : counts
}

/** While `from <= now < until`, `countsAt(counts, now)` returns `counts`. */
export const spanOf = (counts: Counts) => ({
  from: Math.max(...periodKinds.map(kind => counts[kind].start)),
  until: Math.min(...periodKinds.map(kind => periodEnd(kind, counts[kind].start))),
})

/** Counts one more answer. */
export const countOne = (counts: Counts): Counts =>
  perPeriod(kind => ({ ...counts[kind], used: counts[kind].used + 1 }))

/** Whether one more answer fits beside those that are used and those that are reserved. */
export const hasRoom = ({ quota }: Allowance, used: number, reserved: number): boolean => used + reserved < quota

/** The quota as clients see it. */
export const usageOf = ({ quota, period }: Allowance, { start, used }: Count): Usage => ({
  limit: quota,
  used,
  remaining: Math.max(0, quota - used),
  reset: periodEnd(period, start) / 1000,
})

/** A balance from stored values; null when they are not counts of such a period. */
export function readBalance(kind: PeriodKind, present: readonly unknown[], past: readonly unknown[]): Balance | null {
  const [count, before] = [readCount(kind, present), readCount(kind, past)]
  if (count === null || (before === null && past.some(value => value !== null))) return null
  return { ...count, past: before }
}

function readCount(kind: PeriodKind, [start, used]: readonly unknown[]): Count | null {
  return isCount(start) && isCount(used) && periodStart(kind, start) === start ? { start, used } : null
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
