// The quota rule: in which periods an answer counts, how much of a quota is used, and whether one more answer fits. A new kind of
// period is one entry of `periods`: the store and the configuration read that table.
// All times are milliseconds since the Unix epoch.

interface Period {
  /** How the period is named after "12 of 50 ". */
  readonly text: string
  /** The start of the bucket that holds `at`, or of the bucket `offset` later. Answers are counted by bucket. */
  readonly bucket: (at: Date, offset: number) => number
  /** Milliseconds of a bucket; null where they differ. */
  readonly ms: number | null
  /** Buckets that count at once: 1 for a calendar period, which is one bucket long. */
  readonly buckets: number
}

const month = (at: Date, offset: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset)
const day = (at: Date, offset: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + offset)
const hour = (at: Date, offset: number) => at.getTime() - (at.getTime() % 3_600_000) + offset * 3_600_000

/**
 * A rolling window has one bucket more than its length: an answer counts until its whole bucket is older than the window, so
 * that no window of that length ever holds more answers than the quota.
 */
const periods = {
  month: { text: 'this month', bucket: month, ms: null, buckets: 1 },
  day: { text: 'today', bucket: day, ms: 86_400_000, buckets: 1 },
  rolling_30d: { text: 'in the last 30 days', bucket: day, ms: 86_400_000, buckets: 31 },
  rolling_24h: { text: 'in the last 24 hours', bucket: hour, ms: 3_600_000, buckets: 25 },
} as const satisfies Readonly<Record<string, Period>>

export type PeriodKind = keyof typeof periods
export const periodKinds = Object.keys(periods) as readonly PeriodKind[]

/** Every answer counts in these, whatever the plan, so that an account that changes its plan keeps what it has used. */
export const calendarKinds = ['month', 'day'] as const
type CalendarKind = (typeof calendarKinds)[number]

/** What a plan allows: so many answers in a period. */
export interface Allowance {
  readonly quota: number
  readonly period: PeriodKind
}

export interface Usage {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** Unix seconds at which used answers are available again: the next period, or when the oldest leave the window. */
  readonly reset: number
}

/**
 * The answers of one kind of period: pairs of bucket start and count in a flat list, because a list of objects would take
 * four times the memory. The current bucket comes first, then those that were current before it.
 */
export type Balance = readonly number[]

export type Counts = Readonly<Record<CalendarKind, Balance>> & { readonly [kind in PeriodKind]?: Balance }

export const periodText = (kind: PeriodKind): string => periods[kind].text

/** The first millisecond of the bucket that holds `at`; NaN when `at` is not a date. */
export const bucketStart = (kind: PeriodKind, at: number): number => periods[kind].bucket(new Date(at), 0)

/** The first millisecond at which answers of the bucket that holds `at` no longer count. */
export const bucketEnd = (kind: PeriodKind, at: number): number =>
  periods[kind].bucket(new Date(at), periods[kind].buckets)

const spans = Object.fromEntries(
  periodKinds.map(kind => [kind, (periods[kind].buckets - 1) * periods[kind].bucket(new Date(0), 1)]),
) as Readonly<Record<PeriodKind, number>>

/** Buckets count together while their starts are at most this many milliseconds apart. */
const spanOf = (kind: PeriodKind): number => spans[kind]

/** Buckets that are stored: those that count, and the one before, which is current again when the clock is set back. */
const bucketsKept = (kind: PeriodKind): number => periods[kind].buckets + 1

/** The kinds in which an answer under this plan counts, the plan's own first; a calendar kind of its own comes twice. */
const kindsCounted = (period: PeriodKind): readonly PeriodKind[] => [period, ...calendarKinds]

const startIn = (balance: Balance): number => balance[0] ?? Number.NaN

/** The answers that count together with the bucket that starts at `start`. */
function usedAround(kind: PeriodKind, balance: Balance, start: number): number {
  const span = spanOf(kind)
  let use = 0
  for (let at = 0; at < balance.length; at += 2)
    if (Math.abs((balance[at] ?? 0) - start) <= span) use += balance[at + 1] ?? 0
  return use
}

/** The answers that count in the current period. */
const usedIn = (kind: PeriodKind, balance: Balance): number => usedAround(kind, balance, startIn(balance))

/**
 * How far a clock may lag behind the start of the current bucket: NTP corrects clocks, and the clocks of instances differ.
 * A clock that lags further was wrong when that bucket began.
 */
const SET_BACK_MS = 3_600_000

/** The start of the bucket that is current at `now`, given that of the one before this call. */
function startAt(kind: PeriodKind, current: number, now: number): number {
  const start = bucketStart(kind, now)
  return current > start && current - now <= SET_BACK_MS ? current : start
}

/**
 * The balance at `now`. A new bucket starts at 0. A bucket that the clock returns to keeps its count, so that a wrong clock
 * hands out no quota twice; in a bucket earlier than all known ones, at least as much is used as before.
 */
export function balanceAt(kind: PeriodKind, storedBalance: Balance | null, now: number): Balance {
  if (storedBalance === null) return [bucketStart(kind, now), 0]
  const start = startAt(kind, startIn(storedBalance), now)
  if (start === startIn(storedBalance)) return storedBalance
  const starts = storedBalance.filter((_, at) => at % 2 === 0)
  const at = 2 * starts.indexOf(start)
  if (at > 0) return [...storedBalance.slice(at, at + 2), ...storedBalance.toSpliced(at, 2)]
  const isEarliest = starts.every(other => start < other)
  const unknownUse = isEarliest ? Math.max(0, usedIn(kind, storedBalance) - usedAround(kind, storedBalance, start)) : 0
  return [start, unknownUse, ...storedBalance].slice(0, 2 * bucketsKept(kind))
}

const plus = (balance: Balance, answers: number): Balance => balance.with(1, (balance[1] ?? 0) + answers)

/**
 * Carries the balances that count under a plan to `now`. A period has at least the answers of the calendar periods that lie in
 * it: a window is not counted while the account has another plan.
 */
export function countsAt(storedCounts: Counts | null, now: number, period: PeriodKind): Counts {
  const counts = {
    ...storedCounts,
    month: balanceAt('month', storedCounts?.month ?? null, now),
    day: balanceAt('day', storedCounts?.day ?? null, now),
  }
  for (const kind of kindsCounted(period)) {
    counts[kind] = covering(kind, balanceAt(kind, counts[kind] ?? null, now), counts)
  }
  return counts
}

function covering(kind: PeriodKind, balance: Balance, counts: Counts): Balance {
  const first = startIn(balance) - spanOf(kind)
  const inside = calendarKinds.filter(one => startIn(counts[one]) >= first)
  return plus(balance, Math.max(0, ...inside.map(one => usedIn(one, counts[one]) - usedIn(kind, balance))))
}

/** The balance of a period that counts, which `countsAt` made. */
const balanceOf = (counts: Counts, kind: PeriodKind): Balance => counts[kind] ?? []

/** While `from <= now < until`, `countsAt` returns the same counts for a plan of this period. */
export function stableSpan(counts: Counts, period: PeriodKind): { readonly from: number; readonly until: number } {
  const starts = kindsCounted(period).map(kind => [kind, startIn(balanceOf(counts, kind))] as const)
  return {
    from: Math.max(...starts.map(([, start]) => start)),
    until: Math.min(...starts.map(([kind, start]) => periods[kind].bucket(new Date(start), 1))),
  }
}

/** Counts this many answers more under a plan of this period. */
export function countMore(counts: Counts, period: PeriodKind, answers: number): Counts {
  const next = { ...counts }
  for (const kind of kindsCounted(period)) next[kind] = plus(balanceOf(counts, kind), answers)
  return next
}

/** Whether one more answer fits, or one that counts as several. */
export const hasRoom = ({ quota }: Allowance, use: number, price = 1): boolean => use + price <= quota

/** What is used in the current period, and when it is available again. */
export type Use = Pick<Usage, 'used' | 'reset'>

/** The use under a plan of this period, from counts that are carried to the present. */
export function useOf(counts: Counts, period: PeriodKind): Use {
  const balance = balanceOf(counts, period)
  return { used: usedIn(period, balance), reset: resetOf(period, balance) / 1000 }
}

/** The quota as clients see it. */
export const usageOf = (quota: number, { used, reset }: Use): Usage => ({
  limit: quota,
  used,
  remaining: Math.max(0, quota - used),
  reset,
})

/** As `usageOf`, from the stored counts. */
export const usageAt = ({ quota, period }: Allowance, storedCounts: Counts | null, now: number): Usage =>
  usageOf(quota, useOf(countsAt(storedCounts, now, period), period))

function resetOf(kind: PeriodKind, balance: Balance): number {
  const [current, span] = [startIn(balance), spanOf(kind)]
  let oldest = current
  for (let at = 0; at < balance.length; at += 2) {
    const start = balance[at] ?? current
    if (start < oldest && current - start <= span && (balance[at + 1] ?? 0) > 0) oldest = start
  }
  return bucketEnd(kind, oldest)
}

/** A balance from stored values; null when they are not counts of such a period. */
export function readBalance(kind: PeriodKind, values: unknown): Balance | null {
  if (!Array.isArray(values) || values.length < 2 || values.length > 2 * bucketsKept(kind)) return null
  const isSound = (value: unknown, at: number) => isCount(value) && (at % 2 === 1 || isStart(kind, value))
  return values.length % 2 === 0 && values.every(isSound) ? values : null
}

/** A division where that will do: an account has up to sixty buckets. */
const isStart = (kind: PeriodKind, value: number): boolean => {
  const { ms } = periods[kind]
  return ms === null ? bucketStart(kind, value) === value : value % ms === 0
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
