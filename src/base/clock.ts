// The clock, which tests and replays replace.

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds, as `performance.now()`; never adjusted, never decreasing. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
