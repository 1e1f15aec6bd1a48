// The limits of one process: uncached checks wait for a slot, and requests of a key have a rate. What holds over processes is in the
// claims of the store (`turns.ts`).
import { createCache } from '../../base/cache/cache.ts'
import type { CpuQueue } from '../../base/cpu_queue.ts'
import { Queue, type QueueFigures } from '../../base/scheduler/queue.ts'
import { type ClientName, type Limits, newest, oldest, type Patience, RANK } from '../../base/scheduler/scheduler.ts'
import type { MaybeAsync } from '../../store/store.ts'
import { overloadProblem, Problem } from './problem.ts'

export interface CheckGate {
  /** Throws a `Problem` when `run` would refuse this key at once. */
  attempt(key: string, background?: boolean): void
  /** Milliseconds that a check which began then may wait for its target. */
  patienceOf(began: number): number
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

interface CheckSettings {
  readonly patience: Patience
  /** Longest wait. After it, the client's own timeout must still leave room for a whole check. */
  readonly wait_ms: number
  /** Milliseconds after which a check gives its slot to another and goes on without one: its target is slow, not this service. */
  readonly slow_ms: number
  /** Such slow checks for each slot. They cost only memory, some 250 KiB each. */
  readonly slow_per_slot: number
  /** Checks that may run even when turns of the event loop are long or the CPU is busy: so few cannot be the cause. */
  readonly at_least: number
  /** Checks besides them that may start then for keys that have fewer running than another, which may hold all of the former. */
  readonly newcomers: number
  /** Milliseconds that must be left when a check starts, or a share of a short deadline: with less, everything stays unknown. */
  readonly least_ms: number
  readonly least_share: number
  /** Share of the remaining time that a check may spend on each of its two waits, for its target and for its slot. */
  readonly wait_share: number
}

/** Uncached checks of this process, of which `check.concurrency` run at once. More than two for each would wait longer than `wait_ms`. */
export const CHECKS: CheckSettings = {
  // The first checks of a process take several times as long as later ones.
  patience: { waiting_per_slot: 2, burst_ms: 2_000, overloaded_ms: 500 },
  wait_ms: 3_000,
  slow_ms: 750,
  slow_per_slot: 2,
  at_least: 8,
  newcomers: 8,
  least_ms: 1_000,
  least_share: 0.25,
  wait_share: 0.5,
}

const SLOT = ['slot']

export function createGate(options: GateOptions): CheckGate {
  const { limit, deadline_ms, monotonic, cpu = { isBehind: false, long: 0 } } = options
  const settings = { ...CHECKS, ...options.settings }
  const least = Math.min(settings.least_ms, deadline_ms * settings.least_share)
  const leftMs = (began: number) => began + deadline_ms - monotonic()
  const patienceMs = (began: number) => Math.max(0, leftMs(began) * settings.wait_share)
  const clientOf = (client: string, background: boolean): ClientName => ({
    client,
    rank: background ? RANK.background : RANK.request,
    resources: SLOT,
  })
  let isCalm = false
  const slow = { running: 0, waiting: 0, started: 0, refused: 0, waited_ms: 0 }

  function limitsOf(): Limits {
    if (isCalm) return { at_once: limit }
    // Long checks do not count: those that have used little CPU go first.
    const atPresent = Math.min(limit, settings.at_least + cpu.long)
    return { at_once: limit, at_present: atPresent, newcomers: Math.min(limit - atPresent, settings.newcomers) }
  }

  const mayStart = () => queue.figures.waiting > 0 && queue.figures.running < limit
  const throttle = createEventLoopThrottle(calm => {
    isCalm = calm && !cpu.isBehind
    queue.startNext()
    isCalm = false
    return mayStart()
  }, monotonic)
  const queue = new Queue({
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
    patienceOf: patienceMs,
    attempt(key, background = false) {
      const name = clientOf(key, background)
      if (queue.refuses({ ...name, wait_ms: settings.wait_ms })) throw overloadProblem(queue.retryAfter(name))
    },
    async run({ key, background = false, began }, work, signal) {
      const name = clientOf(key, background)
      const lease = await queue.enter({ ...name, signal, wait_ms: Math.min(settings.wait_ms, patienceMs(began)) })
      if (lease === null) {
        signal.throwIfAborted()
        throw overloadProblem(queue.retryAfter(name))
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
        if (leftMs(began) < least) throw overloadProblem(queue.retryAfter(name))
        return await work({ left_ms: leftMs(began), waited_ms: lease.waited_ms })
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

/** Allows at most `most` in any `periodMs`; null means no limit. `monotonic` is in milliseconds. */
export function createRateLimit(most: number | null, periodMs: number, monotonic: () => number): LocalRateLimit {
  if (most === null) return { take: () => 0 }
  const takings = createCache<number[]>('rates', { weigh: ({ length }) => TIME_OCTETS * length })
  return {
    take(name) {
      const now = monotonic()
      const times = takings.get(name) ?? []
      while (now - (times[0] ?? now) >= periodMs) times.shift()
      const [oldest = now] = times
      const wait = times.length < most ? 0 : Math.max(1, Math.ceil((oldest + periodMs - now) / 1_000))
      if (wait === 0) times.push(now)
      takings.set(name, times)
      return wait
    },
  }
}

// Starts work only every few turns of the event loop, and later while connections arrive.

/**
 * Milliseconds of a turn of the event loop after which no work starts: a response takes about three turns and should leave
 * within 50 ms. Cached answers, refusals and new connections (libuv accepts one a turn) wait for the loop too.
 */
const LONG_TURN_MS = 10
/**
 * Turns between two starts. On a busy loop a turn takes as long as all work of one check divided by this number; with a
 * start in every turn, each turn took as long as a whole check.
 */
export const TURNS_APART = 3
/**
 * Longest time in milliseconds that connections postpone a start. For as long afterwards they postpone none, so that whoever
 * opens connections without pause does not slow the checks of others.
 */
const POSTPONED_MS = 50

/**
 * `next` gets whether the last turn was short. It starts at most one piece of work and returns whether more could start.
 * `monotonic` is the clock of postponements, in milliseconds.
 */
export function createEventLoopThrottle(next: (calm: boolean) => boolean, monotonic = () => performance.now()) {
  let awake = false
  let calm = true
  let began = 0
  let turns = 0
  /** Since when the next start is postponed, and until when none is. */
  let postponedAt: number | null = null
  let exemptUntil = 0

  /** The first turn is only measured. */
  function turn(): void {
    const now = performance.now()
    calm = now - began <= LONG_TURN_MS
    began = now
    turns += 1
    const isLate = postponedAt !== null && monotonic() - postponedAt >= POSTPONED_MS
    if (turns < TURNS_APART && !isLate) return void setImmediate(turn)
    turns = 0
    if (postponedAt !== null) exemptUntil = monotonic() + (monotonic() - postponedAt)
    postponedAt = null
    if (next(calm)) setImmediate(turn)
    else awake = false
  }

  return {
    /** Work is waiting: calls `next` every few turns as long as it returns true. */
    wake() {
      if (awake) return
      awake = true
      setImmediate(() => {
        began = performance.now()
        setImmediate(turn)
      })
    },
    /** Whether the last measured turn was short. */
    get calm() {
      return calm
    },
    /** Counts the turns until the next start anew: a connection has arrived, and more may wait behind it. */
    postpone() {
      if (!awake || monotonic() < exemptUntil) return
      turns = 0
      postponedAt ??= monotonic()
    },
  }
}
