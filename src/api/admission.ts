// How many uncached checks run at once, and who waits: the rest is turned away at once, so that those inside finish.
import { createPace } from './pace.ts'
import { Problem } from './problem.ts'
import { createTurns, type Turn } from './turns.ts'

/** Waiting places for each running check: more would only wait longer than `wait_ms`. */
const waitingPerRunning = 2
/** Milliseconds a check may wait for its turn: the client's own patience must still hold a whole check. */
const waitMs = 1_000
/** Of that, how long a newcomer is expected to wait at most: who will not be served is told so at once, not after a second. */
const expectedWait = 0.5
/** Milliseconds after which a check gives its place to another and goes on beside: it waits for a slow target, not for us. */
const slowMs = 750
/** Such checks beside each place: what they cost is memory alone, some 250 KiB each. */
const slowPerRunning = 2
/** Checks that are begun however long the turns of the event loop are: it is not they who make them long. */
const alwaysRunning = 8
/** How much the latest wait weighs in the mean. */
const weight = 0.1

export const overloaded = () => new Problem('overloaded', undefined, { 'Retry-After': '1' })

export interface Admission {
  /** Runs `work` when there is room; rejects with `overloaded`, or with the signal's reason when that aborts first. `name` is who asks. */
  run<T>(work: () => Promise<T>, signal: AbortSignal, name?: string): Promise<T>
  /** Whether `run` would turn this name away at once. */
  full(name?: string): boolean
  readonly running: number
  readonly waiting: number
  /** Checks that have given up their place and go on. */
  readonly slow: number
}

export interface AdmissionOptions {
  /** Checks that may run at once. */
  readonly limit: number
  readonly wait_ms?: number
  readonly slow_ms?: number
}

export function createAdmission({ limit, wait_ms = waitMs, slow_ms = slowMs }: AdmissionOptions): Admission {
  let running = 0
  let slow = 0
  const turns = createTurns()
  const pace = createPace(calm => {
    if (mayBegin(calm)) admit()
    return mayBegin(true)
  })
  /** Since when, on the monotonic clock, nobody has been let in while somebody waited; and how long that takes in the mean. */
  let since = 0
  let gap_ms = 0

  const mayBegin = (calm: boolean) => turns.size > 0 && running < (calm ? limit : Math.min(limit, alwaysRunning))

  function learn(): void {
    gap_ms += (performance.now() - since - gap_ms) * weight
  }

  function admit(): void {
    learn()
    since = performance.now()
    running += 1
    turns.next()?.admit()
  }

  function hasPlace(): boolean {
    // The first in line always waits where there is room: the mean would never change again if nobody did.
    if (turns.size === 0 && running < limit) return true
    const waited = turns.size === 0 ? 0 : performance.now() - since
    const expected = Math.max((turns.size + 1) * gap_ms, waited)
    const places = limit - running + waitingPerRunning * limit
    return turns.size < places && expected <= wait_ms * expectedWait
  }

  /** Throws for whom it is not to wait at all. */
  function place(name: string): void {
    if (turns.size === 0) since = performance.now()
    if (hasPlace()) return
    const yielding = turns.yielding(name)
    if (yielding === undefined) throw overloaded()
    yielding.refuse()
  }

  /** Resolves with a place taken. */
  async function enter(name: string, signal: AbortSignal): Promise<void> {
    place(name)
    await new Promise<void>((resolve, reject) => {
      let waiting = true
      const settle = (end: () => void) => () => {
        waiting = false
        turns.remove(turn)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        end()
      }
      const cancel = settle(() => reject(signal.reason))
      const refuse = settle(() => reject(overloaded()))
      const timer = setTimeout(() => {
        // Where there is room it was the loop that stood still, and not others who were served first.
        while (waiting && mayBegin(false)) admit()
        if (!waiting) return
        learn()
        refuse()
      }, wait_ms)
      const turn: Turn = { name, admit: settle(resolve), refuse }
      signal.addEventListener('abort', cancel, { once: true })
      turns.add(turn)
      if (running < limit) pace.wake()
    })
  }

  function leave(): void {
    running -= 1
    if (turns.size > 0) pace.wake()
  }

  async function run<T>(work: () => Promise<T>, signal: AbortSignal, name = ''): Promise<T> {
    signal.throwIfAborted()
    await enter(name, signal)
    let beside = false
    const giveUp = setInterval(() => {
      if (beside || slow >= slowPerRunning * limit || !pace.calm) return
      beside = true
      slow += 1
      leave()
    }, slow_ms).unref()
    try {
      return await work()
    } finally {
      clearInterval(giveUp)
      if (beside) slow -= 1
      else leave()
    }
  }

  return {
    run,
    full: (name = '') => !hasPlace() && !turns.yields(name),
    get running() {
      return running
    },
    get waiting() {
      return turns.size
    },
    get slow() {
      return slow
    },
  }
}

/** Limits what each of many has in flight. */
export interface Tally {
  /** Runs `work` counted under `name`; rejects with what `refusal` makes when that name has its limit in flight. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Whether `run` would refuse this name. */
  full(name: string): boolean
}

export function createTally(limit: number, refusal: () => Problem = overloaded): Tally {
  const counts = new Map<string, number>()
  const full = (name: string) => (counts.get(name) ?? 0) >= limit
  return {
    full,
    async run(name, work) {
      if (full(name)) throw refusal()
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
