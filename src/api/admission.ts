// How many uncached checks run at once, and who waits: the rest is turned away at once, so that those inside finish.
import { Problem } from './problem.ts'

/** Waiting places for each running check: more would only wait longer than `wait_ms`. */
const waitingPerRunning = 2
/** Milliseconds a check may wait for its turn: the client's own patience must still hold a whole check. */
const waitMs = 1_000

export const overloaded = () => new Problem('overloaded', undefined, { 'Retry-After': '1' })

export interface Admission {
  /** Runs `work` when there is room; rejects with `overloaded`, or with the signal's reason when that aborts first. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Waiting {
  readonly admit: () => void
}

export function createAdmission(concurrency: number, wait: number = waitMs): Admission {
  let running = 0
  const waiting = new Set<Waiting>()

  /** Resolves with a place taken. First come, first served. */
  function enter(signal: AbortSignal): Promise<void> {
    if (running < concurrency) {
      running += 1
      return Promise.resolve()
    }
    if (waiting.size >= waitingPerRunning * concurrency) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => () => {
        waiting.delete(turn)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        end()
      }
      const cancel = settle(() => reject(signal.reason))
      const timer = setTimeout(
        settle(() => reject(overloaded())),
        wait,
      )
      const turn = { admit: settle(resolve) }
      signal.addEventListener('abort', cancel, { once: true })
      waiting.add(turn)
    })
  }

  /** Hands the place to the one who waited longest, or gives it back. */
  function leave(): void {
    const [next] = waiting
    if (next) next.admit()
    else running -= 1
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted()
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** Limits what each of many has in flight. */
export interface Tally {
  /** Runs `work` counted under `name`; rejects with `overloaded` when that name has its limit in flight. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function createTally(limit: number): Tally {
  const counts = new Map<string, number>()
  return {
    async run(name, work) {
      const count = counts.get(name) ?? 0
      if (count >= limit) throw overloaded()
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
