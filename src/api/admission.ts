// Limits how many uncached checks run at once. A burst waits in a fair queue; under lasting overload new checks are refused
// at once, so that the admitted ones finish.
import type { CpuQueue } from '../cpu_queue.ts'
import { createFairQueue } from './fair_queue.ts'
import { overloaded } from './problem.ts'

/** Waiting checks for each running one. More would wait longer than `wait_ms`. */
const waitingPerRunning = 2
/** Longest wait in milliseconds. After it, the client's own timeout must still leave room for a whole check. */
const waitMs = 3_000
/**
 * Milliseconds that a queue may last before it counts as overload. Until then it is a burst, whose start misjudges the
 * rate: the first checks of a process take several times as long as later ones.
 */
const burstMs = 2_000
/** Longest expected wait under overload, in milliseconds. A check that would wait longer is refused at once. */
const overloadedWait_ms = 500
/** Waiting checks are refused when their expected wait is this many times longer: the mean fluctuates a little. */
const shedding = 2
/** Milliseconds after which a check gives its slot to another and goes on without one: its target is slow, not this service. */
const slowMs = 750
/** Such slow checks for each slot. They cost only memory, some 250 KiB each. */
const slowPerRunning = 2
/**
 * Checks that may run even when turns of the event loop are long or the CPU is busy: so few cannot be the cause. Long checks do
 * not count: those that have used little CPU go first.
 */
const alwaysRunning = 8
/** Checks besides them that may start then for keys that have fewer running than another, which may hold all of the former. */
const newcomers = 8
/** Weight of the latest gap in the mean. */
const weight = 0.1

export interface Admission {
  /** Runs `work` when a slot is free. Rejects with `overloaded`, or with the signal's reason when it aborts first. */
  run<T>(work: () => Promise<T>, request: AdmissionRequest): Promise<T>
  /** Whether `run` would refuse this key at once. */
  full(key?: string, background?: boolean): boolean
  /** Starts the next check a little later: a connection has arrived, and more may wait behind it. */
  postpone(): void
  readonly running: number
  readonly waiting: number
  /** Checks that gave up their slot and go on. */
  readonly slow: number
}

export interface AdmissionRequest {
  readonly signal: AbortSignal
  /** Slots rotate between keys. */
  readonly key?: string
  /** Nobody waits for it: all others come first. */
  readonly background?: boolean
  /** Milliseconds that this check may wait, if less than the general limit. */
  readonly wait_ms?: number
}

export interface AdmissionOptions {
  /** Checks that may run at once. */
  readonly limit: number
  readonly wait_ms?: number
  readonly burst_ms?: number
  readonly slow_ms?: number
  /** Tells whether the CPU is busy with the checks that run, and how many have used much of it and wait for more. */
  readonly cpu?: Pick<CpuQueue, 'isBehind' | 'long'>
  /** Milliseconds, as `performance.now()`. */
  readonly monotonic?: () => number
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { limit, wait_ms: longestWait_ms = waitMs, burst_ms = burstMs, slow_ms = slowMs } = options
  const { monotonic = () => performance.now(), cpu = { isBehind: false, long: 0 } } = options
  let running = 0
  let slow = 0
  const queue = createFairQueue<void>()
  /** Slots by key. */
  const held = new Map<string, number>()
  const throttle = createEventLoopThrottle(calm => {
    if (mayBegin(calm && !cpu.isBehind)) admit()
    else admitNewcomer()
    return mayBegin(true)
  }, monotonic)
  /** When the queue was last empty, when a check was last admitted, and the mean time between two admissions. */
  let emptyAt = 0
  let admittedAt = 0
  let gap_ms = 0

  const isFree = (calm: boolean, busy: number) => running < limit && (calm || running - cpu.long < busy)
  const mayBegin = (calm: boolean) => queue.size > 0 && isFree(calm, alwaysRunning)

  function learn(): void {
    gap_ms += (monotonic() - admittedAt - gap_ms) * weight
  }

  function admit(key?: string): void {
    learn()
    admittedAt = monotonic()
    running += 1
    queue.admit(undefined, key, isHeldUp())
  }

  function admitNewcomer(): void {
    if (!isFree(false, alwaysRunning + newcomers)) return
    const most = Math.max(...held.values())
    const key = [...queue.counts().keys()].find(key => most >= (held.get(key) ?? 0) + 2)
    if (key !== undefined) admit(key)
  }

  /** Expected wait of the last of so many waiting checks. */
  const expectedWait = (waiters: number) => Math.max(waiters * gap_ms, monotonic() - admittedAt)
  /** Whether checks may be waiting behind others that take much longer. */
  const isHeldUp = () => cpu.long > 0
  const isOverloaded = () => queue.size > 0 && monotonic() - emptyAt > burst_ms

  function canWait(): boolean {
    // With a free slot the first check always waits for it; otherwise the mean would never be updated.
    if (queue.size === 0 && running < limit) return true
    if (queue.size >= limit - running + waitingPerRunning * limit) return false
    return !isOverloaded() || expectedWait(queue.size + 1) <= overloadedWait_ms
  }

  /** A burst that turned out to be overload has queued more than can be served in time. */
  function shed(): void {
    while (queue.size * gap_ms > overloadedWait_ms) queue.shed()
  }

  /** Throws when a new check of `key` cannot wait. */
  function requireRoom(key: string, background: boolean): void {
    if (queue.size === 0) {
      emptyAt = monotonic()
      admittedAt = emptyAt
    }
    if (isOverloaded() && queue.size * gap_ms > shedding * overloadedWait_ms) shed()
    if (!canWait() && !queue.displace(key, background) && !(isHeldUp() && queue.replace(key))) throw overloaded()
  }

  /** Resolves when the check holds a slot. */
  async function enter(request: AdmissionRequest): Promise<void> {
    const { key = '', background = false, signal, wait_ms = longestWait_ms } = request
    requireRoom(key, background)
    const admitted = queue.wait({
      key,
      background,
      signal,
      wait_ms: Math.min(wait_ms, longestWait_ms),
      refusal: overloaded,
      expiring(isWaiting) {
        // A slot is free, so the event loop was blocked: no other check was served first.
        while (isWaiting() && mayBegin(false)) admit()
        if (isWaiting()) learn()
      },
    })
    if (running < limit) throttle.wake()
    await admitted
    held.set(key, (held.get(key) ?? 0) + 1)
  }

  function leave({ key = '' }: AdmissionRequest): void {
    running -= 1
    const left = (held.get(key) ?? 1) - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
    if (queue.size > 0) throttle.wake()
  }

  async function run<T>(work: () => Promise<T>, request: AdmissionRequest): Promise<T> {
    request.signal.throwIfAborted()
    await enter(request)
    let slotless = false
    const giveUp = setInterval(() => {
      if (slotless || slow >= slowPerRunning * limit || !throttle.calm) return
      slotless = true
      slow += 1
      leave(request)
    }, slow_ms).unref()
    try {
      return await work()
    } finally {
      clearInterval(giveUp)
      if (slotless) slow -= 1
      else leave(request)
    }
  }

  return {
    run,
    postpone: throttle.postpone,
    full: (key = '', background = false) =>
      !canWait() && !queue.canDisplace(key, background) && !(isHeldUp() && queue.has(key)),
    get running() {
      return running
    },
    get waiting() {
      return queue.size
    },
    get slow() {
      return slow
    },
  }
}

/**
 * Milliseconds of a turn of the event loop after which no work starts: a response takes about three turns and should leave
 * within 50 ms. Cached answers, refusals and new connections (libuv accepts one a turn) wait for the loop too.
 */
const longTurn_ms = 10
/**
 * Turns between two starts. On a busy loop a turn takes as long as all work of one check divided by this number; with a
 * start in every turn, each turn took as long as a whole check.
 */
export const turns_apart = 3
/**
 * Longest time in milliseconds that connections postpone a start. For as long afterwards they postpone none, so that whoever
 * opens connections without pause does not slow the checks of others.
 */
const postponed_ms = 50

export interface EventLoopThrottle {
  /** Work is waiting: calls `next` every few turns as long as it returns true. */
  wake(): void
  /** Whether the last measured turn was short. */
  readonly calm: boolean
  /** Counts the turns until the next start anew: a connection has arrived, and more may wait behind it. */
  postpone(): void
}

/**
 * `next` gets whether the last turn was short. It starts at most one piece of work and returns whether more could start.
 * `monotonic` is the clock of postponements, in milliseconds.
 */
export function createEventLoopThrottle(
  next: (calm: boolean) => boolean,
  monotonic = () => performance.now(),
): EventLoopThrottle {
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
    calm = now - began <= longTurn_ms
    began = now
    turns += 1
    const isLate = postponedAt !== null && monotonic() - postponedAt >= postponed_ms
    if (turns < turns_apart && !isLate) return void setImmediate(turn)
    turns = 0
    if (postponedAt !== null) exemptUntil = monotonic() + (monotonic() - postponedAt)
    postponedAt = null
    if (next(calm)) setImmediate(turn)
    else awake = false
  }

  return {
    wake() {
      if (awake) return
      awake = true
      setImmediate(() => {
        began = performance.now()
        setImmediate(turn)
      })
    },
    get calm() {
      return calm
    },
    postpone() {
      if (!awake || monotonic() < exemptUntil) return
      turns = 0
      postponedAt ??= monotonic()
    },
  }
}
