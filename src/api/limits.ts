// The limits of one process: checks wait for admission, and requests of a key have a rate. What holds over processes is in the claims of
// the store (`turns.ts`).
import { createCache } from '../cache/cache.ts'
import type { MaybeAsync } from '../store/store.ts'
import type { Admission } from './admission.ts'
import { overloaded, Problem } from './problem.ts'

/** Milliseconds that must be left when a check starts, or a quarter of a short deadline: with less, everything stays unknown. */
const LEAST_MS = 1_000
const LEAST_SHARE = 0.25
/** Share of the remaining time that a check may spend on each of its two waits. */
const PATIENCE = 0.5

export interface Gate {
  /** Throws a `Problem` when `run` would refuse this key at once. */
  attempt(key: string, background?: boolean): void
  /** Milliseconds that a check which began then may wait for its target. */
  patience_ms(began: number): number
  /** Runs `work` when there is a slot; it gets the milliseconds it has left. Rejects with a `Problem` when there is no room. */
  run<T>(request: CheckRequest, work: (left_ms: number) => Promise<T>, signal: AbortSignal): Promise<T>
}

export interface CheckRequest {
  /** What the limits count under: the id of the key, or a name of the key's work in the background. */
  readonly key: string
  /** Nobody waits for it: all others come first. */
  readonly background?: boolean
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
}

export interface GateOptions {
  readonly admission: Admission
  /** Milliseconds from a request to its response, including all waits. */
  readonly deadline_ms: number
  readonly monotonic: () => number
}

export function createGate({ admission, deadline_ms, monotonic }: GateOptions): Gate {
  const least = Math.min(LEAST_MS, deadline_ms * LEAST_SHARE)
  const left = (began: number) => began + deadline_ms - monotonic()
  const patience_ms = (began: number) => Math.max(0, left(began) * PATIENCE)
  return {
    patience_ms,
    attempt(key, background = false) {
      if (admission.full(key, background)) throw overloaded()
    },
    run({ key, background = false, began }, work, signal) {
      const begin = async () => {
        if (left(began) < least) throw overloaded()
        return work(left(began))
      }
      return admission.run(begin, { signal, key, background, wait_ms: patience_ms(began) })
    },
  }
}

export const rateLimited = (seconds: number) => new Problem('rate-limited', undefined, { 'Retry-After': `${seconds}` })

/** A rate limit by name, over a sliding window. The names that were idle longest are forgotten first. */
export interface RateLimit {
  /** Counts one more and returns 0 when it is allowed now; otherwise returns the whole seconds until it is. */
  take(name: string): MaybeAsync<number>
}

interface LocalRateLimit extends RateLimit {
  take(name: string): number
}

/** Allows at most `most` in any `period_ms`; null means no limit. `monotonic` is in milliseconds. */
export function createRateLimit(most: number | null, period_ms: number, monotonic: () => number): LocalRateLimit {
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
