// The limits of one key and one target. Every uncached check passes them before it waits for admission.
import { createCache } from '../cache/cache.ts'
import type { TargetShare } from '../store/target_share.ts'
import type { Target } from '../targets/target.ts'
import type { Admission } from './admission.ts'
import { createTargetQueue } from './fair_queue.ts'
import { overloaded, Problem } from './problem.ts'

export interface CheckLimits {
  /** Concurrent uncached checks of one key, including waiting ones; and checks per second, including refused ones. */
  readonly per_key: number
  readonly per_key_per_second: number
  /** Concurrent checks of one registrable domain or address, and checks per second: out of courtesy to its owner. */
  readonly per_domain: number
  readonly per_domain_per_second: number
}

/** Milliseconds that must be left when a check starts, or a quarter of a short deadline: with less, everything stays unknown. */
const least_ms = 1_000
const leastShare = 0.25
/** Share of the remaining time that a check may spend on each of its two waits. */
const patience = 0.5
const SECOND_MS = 1_000

export interface Gate {
  /** Counts one more uncached check of this key. Throws a `Problem` when there are too many, or when `run` would refuse it at once. */
  attempt(key: string): void
  /** Runs `work` within all limits; it gets the milliseconds it has left. Rejects with a `Problem` when there is no room. */
  run<T>(request: CheckRequest, work: (left_ms: number) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Checks that wait for a busy target. */
  readonly waiting: number
}

export interface CheckRequest {
  /** The id of the key. */
  readonly key: string
  readonly target: Target
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
}

export interface GateOptions {
  readonly admission: Admission
  readonly limits: CheckLimits
  /** Milliseconds from a request to its response, including all waits. */
  readonly deadline_ms: number
  readonly monotonic: () => number
  /** Slots at targets. All other limits are local to this instance. */
  readonly share: TargetShare
  /** Milliseconds that a check may wait for its target. */
  readonly target_wait_ms?: number
}

export function createGate(options: GateOptions): Gate {
  const { admission, limits, deadline_ms, monotonic, share, target_wait_ms } = options
  const keyTally = createTally(limits.per_key)
  const keyRate = createRateLimit(limits.per_key_per_second, SECOND_MS, monotonic)
  const targets = createTargetQueue({
    limits: { at_once: limits.per_domain, per_second: limits.per_domain_per_second },
    share,
    monotonic,
    ...(target_wait_ms !== undefined && { wait_ms: target_wait_ms }),
  })
  const least = Math.min(least_ms, deadline_ms * leastShare)

  return {
    attempt(key) {
      const wait = keyRate.take(key)
      if (wait > 0) throw rateLimited(wait)
      if (keyTally.full(key) || admission.full(key)) throw overloaded()
    },
    run({ key, target, began }, work, signal) {
      const left = () => began + deadline_ms - monotonic()
      const wait_ms = () => Math.max(0, left() * patience)
      const begin = async () => {
        if (left() < least) throw overloaded()
        return work(left())
      }
      const placed = () => admission.run(begin, { signal, key, wait_ms: wait_ms() })
      const subject = target.registrable ?? target.ip
      return keyTally.run(key, () => targets.run({ target: subject, key, signal, wait_ms: wait_ms() }, placed))
    },
    get waiting() {
      return targets.waiting
    },
  }
}

export const rateLimited = (seconds: number) => new Problem('rate-limited', undefined, { 'Retry-After': `${seconds}` })

/** Limits how much each name has in flight. */
export interface Tally {
  /** Runs `work` and counts it under `name`; rejects with `overloaded` when that name is at its limit. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Whether `run` would refuse this name. */
  full(name: string): boolean
}

export function createTally(limit: number): Tally {
  const counts = new Map<string, number>()
  const full = (name: string) => (counts.get(name) ?? 0) >= limit
  return {
    full,
    async run(name, work) {
      if (full(name)) throw overloaded()
      counts.set(name, (counts.get(name) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const left = (counts.get(name) ?? 1) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}

/** A rate limit by name, over a sliding window. The names that were idle longest are forgotten first. */
export interface RateLimit {
  /** Counts one more and returns 0 when it is allowed now; otherwise returns the whole seconds until it is. */
  take(name: string): number
}

/** Allows at most `most` in any `period_ms`; null means no limit. `monotonic` is in milliseconds. */
export function createRateLimit(most: number | null, period_ms: number, monotonic: () => number): RateLimit {
  if (most === null) return { take: () => 0 }
  const taken = createCache<number[]>('rates', { weigh: ({ length }) => ARRAY + 8 * (GROWTH * length + ROOM) })
  return {
    take(name) {
      const now = monotonic()
      const times = taken.get(name) ?? []
      while (now - (times[0] ?? now) >= period_ms) times.shift()
      const [oldest = now] = times
      const wait = times.length < most ? 0 : Math.max(1, Math.ceil((oldest + period_ms - now) / 1_000))
      if (wait === 0) times.push(now)
      taken.set(name, times)
      return wait
    },
  }
}

/** Bytes of an array, and how V8 allocates it: room for half as many elements more, plus 16. */
const ARRAY = 48
const GROWTH = 1.5
const ROOM = 17
