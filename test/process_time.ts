// Time in which this process had to wait for a CPU does not count: what follows from how long things take must not depend on what
// else the machine does. Servers of a test are in its process, so that nobody gains by it. Linux alone tells how long a thread waited.
import { readFileSync } from 'node:fs'

/** Both in milliseconds since some moment: of the machine, and of them those in which the main thread was ready and had no CPU. */
export interface Sources {
  readonly real: () => number
  readonly waited: () => number
}

/** Milliseconds for which a figure of the kernel is used again: to read it takes 10 µs. */
const FRESH_MS = 2

/** A monotonic clock that stands still while the process waits for a CPU. */
export function createProcessClock({ real, waited }: Sources): () => number {
  let lost = 0
  let latest = Number.NEGATIVE_INFINITY
  let seen = { at: real(), waited: waited() }
  return () => {
    const at = real()
    if (at - seen.at >= FRESH_MS) {
      const now = { at, waited: waited() }
      lost += Math.max(0, Math.min(now.at - seen.at, now.waited - seen.waited))
      seen = now
    }
    latest = Math.max(latest, at - lost)
    return latest
  }
}

const NANOSECONDS_PER_MS = 1e6
/** Node runs a timer with a longer delay at once. */
const LONGEST_MS = 2 ** 31 - 1

function readWaited(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / NANOSECONDS_PER_MS || 0
  } catch {
    return 0
  }
}

/** As it is inside of Node. */
type Timer = NodeJS.Timeout & { _idleTimeout: number }

/** From now on `performance.now` and `setTimeout` go by the time of this process. */
export function useProcessTime(): void {
  const machineNow = performance.now.bind(performance)
  const now = createProcessClock({ real: machineNow, waited: readWaited })
  performance.now = now
  const { setTimeout: startTimer } = globalThis
  const patched = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (!(ms <= LONGEST_MS)) return startTimer(run, ms, ...args)
    const end = now() + ms
    const expire = () => {
      const left = end - now()
      if (left < 1) return run(...args)
      timer._idleTimeout = Math.ceil(left)
      timer.refresh()
    }
    const timer = startTimer(expire, ms) as Timer
    return timer
  }
  globalThis.setTimeout = Object.assign(patched, startTimer)
}
