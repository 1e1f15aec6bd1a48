// How many uncached checks run at once, and who waits: the rest is turned away at once, so that those inside finish.
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
/** How much the latest check's time weighs in the mean. */
const weight = 0.1

export const overloaded = () => new Problem('overloaded', undefined, { 'Retry-After': '1' })

export interface Admission {
  /** Runs `work` when there is room; rejects with `overloaded`, or with the signal's reason when that aborts first. `name` is who asks. */
  run<T>(work: () => Promise<T>, signal: AbortSignal, name?: string): Promise<T>
  readonly running: number
  readonly waiting: number
  /** Checks that have given up their place and go on. */
  readonly slow: number
}

export interface AdmissionOptions {
  /** Checks that may run at once; may change at any time. */
  readonly limit: () => number
  readonly wait_ms?: number
  readonly slow_ms?: number
  /** Whether places may be given up early: not while it is this machine that is slow. */
  readonly calm?: () => boolean
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { limit, wait_ms = waitMs, slow_ms = slowMs, calm = () => true } = options
  let running = 0
  let slow = 0
  let held_ms = 0
  const turns = createTurns()

  /** Rejects when it is not to wait at all. */
  function place(name: string): void {
    const most = limit()
    const expected = ((turns.size + 1) * held_ms) / most
    if (turns.size < waitingPerRunning * most && expected <= wait_ms * expectedWait) return
    const yielding = turns.yielding(name)
    if (yielding === undefined) throw overloaded()
    yielding.refuse()
  }

  /** Resolves with a place taken. */
  async function enter(name: string, signal: AbortSignal): Promise<void> {
    if (running < limit() && turns.size === 0) {
      running += 1
      return
    }
    place(name)
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void) => () => {
        turns.remove(turn)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        end()
      }
      const cancel = settle(() => reject(signal.reason))
      const refuse = settle(() => reject(overloaded()))
      const timer = setTimeout(refuse, wait_ms)
      const turn: Turn = { name, admit: settle(resolve), refuse }
      signal.addEventListener('abort', cancel, { once: true })
      turns.add(turn)
    })
  }

  /** Hands places to those whose turn it is, or keeps them free. */
  function leave(): void {
    running -= 1
    for (let next = running < limit() ? turns.next() : undefined; next !== undefined; ) {
      running += 1
      next.admit()
      next = running < limit() ? turns.next() : undefined
    }
  }

  async function run<T>(work: () => Promise<T>, signal: AbortSignal, name = ''): Promise<T> {
    signal.throwIfAborted()
    await enter(name, signal)
    const began = performance.now()
    let beside = false
    const giveUp = setTimeout(() => {
      if (slow >= slowPerRunning * limit() || !calm()) return
      beside = true
      slow += 1
      leave()
    }, slow_ms)
    try {
      return await work()
    } finally {
      clearTimeout(giveUp)
      held_ms += (Math.min(performance.now() - began, beside ? slow_ms : Number.POSITIVE_INFINITY) - held_ms) * weight
      if (beside) slow -= 1
      else leave()
    }
  }

  return {
    run,
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
}

export function createTally(limit: number, refusal: () => Problem = overloaded): Tally {
  const counts = new Map<string, number>()
  return {
    async run(name, work) {
      const count = counts.get(name) ?? 0
      if (count >= limit) throw refusal()
      counts.set(name, count + 1)
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
