// What is known of the sources asked, beyond one check: who is to be left alone, and how much of an allowance is spent.
// One instance keeps it in memory; several share it, and each answers at once from what it last heard.

import { createCache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'

export interface UpstreamBoard {
  /** Whether a source is to be left alone now. */
  isPaused(source: string): boolean
  /** Leaves a source alone for so many milliseconds from now; a longer pause stays. */
  pause(source: string, ms: number): void
  /** Takes one question of today's (UTC) allowance; false when that is spent. */
  take(source: string, daily: number): boolean
}

export function createLocalBoard(clock: Clock): UpstreamBoard {
  const ends = createCache<number>('pauses')
  const spent = createCache<{ day: string; count: number }>('allowances')
  return {
    isPaused: source => clock.monotonic() < (ends.get(source) ?? Number.NEGATIVE_INFINITY),
    pause(source, ms) {
      const end = clock.monotonic() + ms
      ends.set(source, Math.max(end, ends.get(source) ?? end))
    },
    take(source, daily) {
      const day = dayOf(clock.now())
      const known = spent.get(source)
      const count = known?.day === day ? known.count : 0
      if (count >= daily) return false
      spent.set(source, { day, count: count + 1 })
      return true
    },
  }
}

/** The UTC day of a time, `2026-11-22`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
