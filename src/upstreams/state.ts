// What is known about upstreams beyond one check: pauses, allowances, health.
import { createCache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import { movedTo, type Standing, UNPROVED } from '../health/standing.ts'

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

export type UpstreamKind = 'registry' | 'directory'

export interface UpstreamHealth {
  /** Notes what became of one question. `outcome`: `found`, `unknown` to it, or the slug of a failure. */
  note(kind: UpstreamKind, host: string, subject: string, outcome: string): void
  report(): readonly (Standing & { readonly kind: UpstreamKind; readonly host: string })[]
}

/** Unrelated subjects in a row: one failure is never enough, and three alike are hardly chance. */
const ALIKE = 3

interface Known {
  readonly kind: UpstreamKind
  readonly host: string
  readonly standing: Standing
  /** Subjects of failures since something was found. */
  readonly failed: readonly string[]
}

export function createUpstreamHealth(clock: Clock): UpstreamHealth {
  const hosts = createCache<Known>('upstreams')
  return {
    note(kind, host, subject, outcome) {
      if (outcome === 'unknown') return
      const key = `${kind} ${host}`
      const known = hosts.get(key) ?? { kind, host, standing: UNPROVED, failed: [] }
      const failed = outcome === 'found' ? [] : [...new Set([...known.failed, subject])].slice(0, ALIKE)
      const moved = (): Standing => {
        if (outcome === 'found') return movedTo(known.standing, 'healthy', null, clock.now())
        return failed.length < ALIKE ? known.standing : movedTo(known.standing, 'down', outcome, clock.now())
      }
      hosts.set(key, { kind, host, failed, standing: moved() })
    },
    report: () => hosts.entries().map(([, { kind, host, standing }]) => ({ kind, host, ...standing })),
  }
}
