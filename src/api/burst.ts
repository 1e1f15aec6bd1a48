// Limits of rate by name, over a sliding window; the names that were quiet longest are forgotten first.
import { keepAtMost } from '../keep_at_most.ts'

/** Names remembered: each takes about 100 octets and 8 for each time it went on in the last window. */
const names_max = 10_000

export interface Burst {
  /** 0 when it may go on now, which is noted; else the whole seconds after which it may. */
  take(name: string): number
}

/** At most `most` in any `period_ms`; null limits nothing. `monotonic` in milliseconds. */
export function createBurst(most: number | null, period_ms: number, monotonic: () => number): Burst {
  if (most === null) return { take: () => 0 }
  const taken = keepAtMost<number[]>(names_max)
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
