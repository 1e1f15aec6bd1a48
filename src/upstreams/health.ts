// How the services that checks ask stand (registries, directories), as their own answers prove it: a record that was found
// proves them; failures about several unrelated subjects in a row, with nothing found between, say that they are down.
// That a subject is unknown to one proves neither: a service that is broken may say so of everything.
import { createCache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import { movedTo, type Standing, UNPROVED } from '../health/standing.ts'

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
