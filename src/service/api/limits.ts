// The limits of one process: uncached checks wait for a slot, and requests of a key have a rate. What holds over processes is in the
// claims of the store (`turns.ts`).
import { createCache } from '../../base/cache/cache.ts'
import type { CpuQueue } from '../../base/cpu_queue.ts'
import { createQueue, type QueueFigures } from '../../base/scheduler/queue.ts'
import { type ClientName, type Limits, newest, oldest } from '../../base/scheduler/scheduler.ts'
import { CHECKS, type CheckSettings, RANK } from '../../base/scheduler/settings.ts'
import type { MaybeAsync } from '../../store/store.ts'
import { createEventLoopThrottle } from './event_loop_throttle.ts'
import { overloaded, Problem } from './problem.ts'

export interface Gate {
  /** Throws a `Problem` when `run` would refuse this key at once. */
  attempt(key: string, background?: boolean): void
  /** Milliseconds that a check which began then may wait for its target. */
  patience_ms(began: number): number
  /** Runs `work` when there is a slot. Rejects with a `Problem` when there is no room, and with the signal's reason. */
  run<T>(request: CheckRequest, work: (begin: Begin) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Starts the next check a little later: a connection has arrived, and more may wait behind it. */
  postpone(): void
  readonly figures: QueueFigures
  /** Those that gave up their slot and go on. */
  readonly slow: QueueFigures
}

export interface CheckRequest {
  /** What the limits count under: the id of the key, or a name of the key's work in the background. */
  readonly key: string
  /** Nobody waits for it: all others come first. */
  readonly background?: boolean
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
}

export interface Begin {
  /** Milliseconds that the check has left. */
  readonly left_ms: number
  readonly waited_ms: number
}

export interface GateOptions {
  /** Checks that may run at once. */
  readonly limit: number
  /** Milliseconds from a request to its response, including all waits. */
  readonly deadline_ms: number
  readonly monotonic: () => number
  /** Tells whether the CPU is busy with the checks that run, and how many have used much of it and wait for more. */
  readonly cpu?: Pick<CpuQueue, 'isBehind' | 'long'>
  readonly settings?: Partial<CheckSettings>
}

const SLOT = ['slot']

export function createGate(options: GateOptions): Gate {
  const { limit, deadline_ms, monotonic, cpu = { isBehind: false, long: 0 } } = options
  const settings = { ...CHECKS, ...options.settings }
  const least = Math.min(settings.least_ms, deadline_ms * settings.least_share)
  const left = (began: number) => began + deadline_ms - monotonic()
  const patience_ms = (began: number) => Math.max(0, left(began) * settings.wait_share)
  const clientOf = (client: string, background: boolean): ClientName => ({
    ...{ client, rank: background ? RANK.background : RANK.request, resources: SLOT },
  })
  let isCalm = false
  const slow = { running: 0, waiting: 0, started: 0, refused: 0, waited_ms: 0 }

  function limitsOf(): Limits {
    if (isCalm) return { at_once: limit }
    // Long checks do not count: those that have used little CPU go first.
    const at_present = Math.min(limit, settings.at_least + cpu.long)
    return { at_once: limit, at_present, newcomers: Math.min(limit - at_present, settings.newcomers) }
  }

  const mayStart = () => queue.figures.waiting > 0 && queue.figures.running < limit
  const throttle = createEventLoopThrottle(calm => {
    isCalm = calm && !cpu.isBehind
    queue.startNext()
    isCalm = false
    return mayStart()
  }, monotonic)
  const queue = createQueue({
    limitsOf,
    now: monotonic,
    patience: settings.patience,
    isHeldUp: () => cpu.long > 0,
    choose: client => (cpu.long > 0 && client.picks % 2 === 1 ? newest(client) : oldest(client)),
    wake() {
      if (mayStart()) throttle.wake()
    },
  })

  return {
    patience_ms,
    attempt(key, background = false) {
      const name = clientOf(key, background)
      if (queue.refuses({ ...name, wait_ms: settings.wait_ms })) throw overloaded(queue.retryAfter(name))
    },
    async run({ key, background = false, began }, work, signal) {
      const name = clientOf(key, background)
      const lease = await queue.enter({ ...name, signal, wait_ms: Math.min(settings.wait_ms, patience_ms(began)) })
      if (lease === null) {
        signal.throwIfAborted()
        throw overloaded(queue.retryAfter(name))
      }
      let isSlow = false
      const giveUp = setInterval(() => {
        if (isSlow || slow.running >= settings.slow_per_slot * limit || !throttle.calm) return
        isSlow = true
        slow.running += 1
        slow.started += 1
        lease.end()
      }, settings.slow_ms).unref()
      try {
        if (left(began) < least) throw overloaded(queue.retryAfter(name))
        return await work({ left_ms: left(began), waited_ms: lease.waited_ms })
      } finally {
        clearInterval(giveUp)
        if (isSlow) slow.running -= 1
        lease.end()
      }
    },
    postpone: throttle.postpone,
    figures: queue.figures,
    slow,
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

const TIME_OCTETS = 8

/** Allows at most `most` in any `period_ms`; null means no limit. `monotonic` is in milliseconds. */
export function createRateLimit(most: number | null, period_ms: number, monotonic: () => number): LocalRateLimit {
  if (most === null) return { take: () => 0 }
  const taken = createCache<number[]>('rates', { weigh: ({ length }) => TIME_OCTETS * length })
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
