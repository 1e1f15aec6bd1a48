// When a watch checks, and when a delivery is tried again. Pure.

const MINUTE_MS = 60_000
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS }

/** The longest interval of a watch: a month. */
export const LONGEST_EVERY_MS = 31 * 24 * 60 * MINUTE_MS

/** `30m`, `6h`, `1d` in milliseconds; null for anything else. */
export function readEvery(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const ms = Number(count) * (UNITS[unit] ?? 0)
  return ms > 0 ? ms : null
}

/** The inverse, in the largest unit that divides it. */
export function everyText(ms: number): string {
  const [unit = 'm', size = MINUTE_MS] = Object.entries(UNITS).findLast(([, size]) => ms % size === 0) ?? []
  return `${ms / size}${unit}`
}

/** Checks of watches that were added together must not stay together. */
const JITTER = 0.05

/**
 * When the next check is due, after one that was due at `due` and ends at `now`. Checks that were missed meanwhile are not
 * made up for: the one that has just ended stands for all of them. A check that was due later than now was planned by a clock
 * that was ahead. `random` is uniform in [0, 1).
 */
export function nextCheck(due: number, everyMs: number, now: number, random: number): number {
  const jitter = everyMs * JITTER * (2 * random - 1)
  const next = due + everyMs + jitter
  return Math.round(due <= now && next > now ? next : now + everyMs + jitter)
}

/**
 * Milliseconds before each attempt at a delivery, from the attempt before it: the schedule that Standard Webhooks recommends.
 * Ten attempts within some 76 hours.
 */
export const RETRY_MS: readonly number[] = [
  0,
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  120 * MINUTE_MS,
  300 * MINUTE_MS,
  600 * MINUTE_MS,
  840 * MINUTE_MS,
  1_200 * MINUTE_MS,
  1_440 * MINUTE_MS,
]

/** Longest time that a receiver may ask for with Retry-After. */
const LONGEST_RETRY_AFTER_MS = 60 * MINUTE_MS

/**
 * When the next attempt is due after `failures` failed ones; null when there is none. Retries vary by a tenth, so that the
 * deliveries that failed together do not come together.
 */
export function nextAttempt(failures: number, now: number, random: number, retryAfterMs = 0): number | null {
  const wait = RETRY_MS[failures]
  if (wait === undefined) return null
  return Math.round(now + Math.max(wait * (0.9 + 0.2 * random), Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)))
}
