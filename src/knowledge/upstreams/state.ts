// State of upstreams that outlives a check: pauses, daily allowances, and health.
import { createCache } from '../../base/cache/cache.ts'
import type { Clock } from '../../base/clock.ts'
import { nextStanding, type Standing, UNPROVED_STANDING } from '../../base/health/standing.ts'

/** One instance keeps this in memory. Several instances share it through the store; each answers from its own copy. */
export type UpstreamState = ReturnType<typeof createUpstreamState>

export function createUpstreamState(clock: Clock) {
  const ends = createCache<number>('pauses')
  const spendings = createCache<{ day: string; count: number }>('allowances')
  return {
    /** Whether the source must not be queried now. */
    isPaused: (source: string) => clock.monotonic() < (ends.get(source) ?? Number.NEGATIVE_INFINITY),
    /** Pauses the source for `ms` milliseconds from now; a longer pause stays in force. */
    pause(source: string, ms: number) {
      const end = clock.monotonic() + ms
      ends.set(source, Math.max(end, ends.get(source) ?? end))
    },
    /** Takes one query from today's (UTC) allowance; false when the allowance is spent. */
    take(source: string, daily: number) {
      const day = dayOf(clock.now())
      const spending = spendings.get(source)
      const count = spending?.day === day ? spending.count : 0
      if (count >= daily) return false
      spendings.set(source, { day, count: count + 1 })
      return true
    },
  }
}

/** The UTC day of a time: `2026-11-22`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

export type UpstreamKind = 'registry' | 'directory'

/**
 * The health of registries and directories, as their own answers prove it. A record found proves the upstream healthy;
 * failures about several unrelated subjects in a row, with no record between them, mean that it is down. An unknown
 * subject proves neither, because a broken upstream may call everything unknown.
 */
export type UpstreamHealth = ReturnType<typeof createUpstreamHealth>

/** Unrelated subjects in a row: one failure is never enough, and three in a row are hardly chance. */
const FAILURES = 3

interface UpstreamHost {
  readonly kind: UpstreamKind
  readonly host: string
  readonly standing: Standing
  /** Subjects of the failures since the last record found. */
  readonly failed: readonly string[]
}

export function createUpstreamHealth(clock: Clock) {
  const hosts = createCache<UpstreamHost>('upstreams')
  return {
    /** Notes the outcome of one query: `found`, `unknown` (no such subject), or the slug of a failure. */
    note(kind: UpstreamKind, host: string, subject: string, outcome: string) {
      if (outcome === 'unknown') return
      const key = `${kind} ${host}`
      const health = hosts.get(key) ?? { kind, host, standing: UNPROVED_STANDING, failed: [] }
      const failures = outcome === 'found' ? [] : [...new Set([...health.failed, subject])].slice(0, FAILURES)
      const next = (): Standing => {
        if (outcome === 'found') return nextStanding(health.standing, 'healthy', null, clock.now())
        return failures.length < FAILURES
          ? health.standing
          : nextStanding(health.standing, 'down', outcome, clock.now())
      }
      hosts.set(key, { kind, host, failed: failures, standing: next() })
    },
    report: (): readonly (Standing & { readonly kind: UpstreamKind; readonly host: string })[] =>
      hosts.entries().map(([, { kind, host, standing }]) => ({ kind, host, ...standing })),
  }
}
