// The limits of one key and one target. Every uncached check passes them before it waits for admission.
import { createCache } from '../cache/cache.ts'
import type { Config } from '../config/config.ts'
import type { MaybeAsync } from '../store/store.ts'
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
  attempt(key: string, background?: boolean): MaybeAsync<void>
  /** Runs `work` within all limits; it gets the milliseconds it has left. Rejects with a `Problem` when there is no room. */
  run<T>(request: CheckRequest, work: (left_ms: number) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Checks that wait for a busy target. */
  readonly waiting: number
}

export interface CheckRequest {
  /** What the limits count under: the id of the key, or a name of the key's work in the background. */
  readonly key: string
  /** Nobody waits for it: all others come first. */
  readonly background?: boolean
  readonly target: Target
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
}

export interface GateOptions {
  readonly admission: Admission
  /** Uncached checks of each key: per second, and running; of this process by default. */
  readonly keys?: Pick<KeyLimits, 'checks' | 'running'>
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
  const {
    checks = createRateLimit(limits.per_key_per_second, SECOND_MS, monotonic),
    running = createTally(limits.per_key),
  } = options.keys ?? {}
  const targets = createTargetQueue({
    limits: { at_once: limits.per_domain, per_second: limits.per_domain_per_second },
    share,
    monotonic,
    ...(target_wait_ms !== undefined && { wait_ms: target_wait_ms }),
  })
  const least = Math.min(least_ms, deadline_ms * leastShare)

  function requireRoom(key: string, background: boolean, wait: number, full: boolean): void {
    if (wait > 0) throw rateLimited(wait)
    if (full || admission.full(key, background)) throw overloaded()
  }

  return {
    attempt(key, background = false) {
      const [wait, full] = [checks.take(key), running.full(key)]
      if (typeof wait === 'number' && typeof full === 'boolean') return requireRoom(key, background, wait, full)
      return Promise.all([wait, full]).then(([wait, full]) => requireRoom(key, background, wait, full))
    },
    run({ key, background = false, target, began }, work, signal) {
      const left = () => began + deadline_ms - monotonic()
      const wait_ms = () => Math.max(0, left() * patience)
      const begin = async () => {
        if (left() < least) throw overloaded()
        return work(left())
      }
      const placed = () => admission.run(begin, { signal, key, background, wait_ms: wait_ms() })
      const subject = target.registrable ?? target.ip
      return runWithin(running, key, () =>
        targets.run({ target: subject, key, background, signal, wait_ms: wait_ms() }, placed),
      )
    },
    get waiting() {
      return targets.waiting
    },
  }
}

export const rateLimited = (seconds: number) => new Problem('rate-limited', undefined, { 'Retry-After': `${seconds}` })

/** The limits of keys and addresses. Processes that serve one port share them. */
export interface KeyLimits {
  /** Invalid keys by client address. */
  readonly failures: RateLimit
  /** Requests by key, including those that are answered from the cache. */
  readonly requests: RateLimit
  /** Uncached checks by key. */
  readonly checks: RateLimit
  readonly running: Tally
}

/** Limits how much each name has in flight. */
export interface Tally {
  /** Counts one more under `name` until the returned function is called; null when that name is at its limit. */
  enter(name: string): MaybeAsync<(() => void) | null>
  /** Whether `enter` would refuse this name. */
  full(name: string): MaybeAsync<boolean>
}

interface LocalTally extends Tally {
  enter(name: string): (() => void) | null
  full(name: string): boolean
}

export function createTally(limit: number): LocalTally {
  const counts = new Map<string, number>()
  const full = (name: string) => (counts.get(name) ?? 0) >= limit
  return {
    full,
    enter(name) {
      if (full(name)) return null
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return () => {
        const left = (counts.get(name) ?? 1) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}

/** Runs `work` and counts it under `name`; rejects with `overloaded` when that name is at its limit. */
export async function runWithin<T>(tally: Tally, name: string, work: () => Promise<T>): Promise<T> {
  const entered = tally.enter(name)
  const leave = entered instanceof Promise ? await entered : entered
  if (leave === null) throw overloaded()
  try {
    return await work()
  } finally {
    leave()
  }
}

/** A rate limit by name, over a sliding window. The names that were idle longest are forgotten first. */
export interface RateLimit {
  /** Counts one more and returns 0 when it is allowed now; otherwise returns the whole seconds until it is. */
  take(name: string): MaybeAsync<number>
}

interface LocalRateLimit extends RateLimit {
  take(name: string): number
}

/** The limits of one process, or of one that counts for several. */
export interface LocalKeyLimits extends KeyLimits {
  readonly failures: LocalRateLimit
  readonly requests: LocalRateLimit
  readonly checks: LocalRateLimit
  readonly running: LocalTally
}

const MINUTE_MS = 60_000

/** `monotonic` is in milliseconds. */
export const createKeyLimits = (
  { server, keys, check }: Pick<Config, 'server' | 'keys' | 'check'>,
  monotonic: () => number,
): LocalKeyLimits => ({
  failures: createRateLimit(server.failed_keys_per_minute, MINUTE_MS, monotonic),
  requests: createRateLimit(keys.requests_per_second, SECOND_MS, monotonic),
  checks: createRateLimit(check.per_key_per_second, SECOND_MS, monotonic),
  running: createTally(check.per_key),
})

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
