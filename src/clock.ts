// Time, so that tests and replays own it.

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds, as `performance.now()`; never set, never back. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
