// Pauses and daily allowances of upstream sources over all workers: what one worker uses or pauses, the others learn at once.
import { createCache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import { createUpstreamState, dayOf, type UpstreamState } from '../upstreams/state.ts'
import type { Link } from './link.ts'

const SERVICE = 'upstreams'

/** What a new worker must know. Times are milliseconds from now. */
export interface UpstreamSnapshot {
  readonly paused: readonly (readonly [source: string, left_ms: number])[]
  readonly spent: readonly (readonly [source: string, count: number])[]
}

/** For the owner: passes on what one worker reports to all others. */
export function createUpstreamBoard(clock: Clock) {
  const ends = createCache<number>('pauses')
  const spent = createCache<{ day: string; count: number }>('allowances')
  /** Those of all workers. */
  const links = new Set<() => Link>()

  const broadcast = (from: () => Link, method: string, ...given: readonly unknown[]) => {
    for (const link of links) if (link !== from) link().tell(SERVICE, method, ...given)
  }

  return {
    snapshot(): UpstreamSnapshot {
      const today = dayOf(clock.now())
      return {
        paused: ends.entries().map(([source, end]) => [source, end - clock.monotonic()]),
        spent: spent.entries().flatMap(([source, { day, count }]) => (day === today ? [[source, count] as const] : [])),
      }
    },
    open(link: () => Link) {
      links.add(link)
      const methods = {
        pause(source: string, ms: number): void {
          const end = clock.monotonic() + ms
          ends.set(source, Math.max(end, ends.get(source) ?? end))
          broadcast(link, 'pause', source, ms)
        },
        take(source: string): void {
          const day = dayOf(clock.now())
          const known = spent.get(source)
          spent.set(source, { day, count: (known?.day === day ? known.count : 0) + 1 })
          broadcast(link, 'take', source)
        },
      }
      return { methods: { [SERVICE]: methods }, drop: () => void links.delete(link) }
    },
  }
}

/** For a worker: the state, what the owner calls here, and how to take over what it knows. */
export function createLinkedUpstreams(clock: Clock, link: () => Link) {
  const own = createUpstreamState(clock)
  const take = (source: string, count = 1) => {
    for (let n = 0; n < count; n++) own.take(source, Number.POSITIVE_INFINITY)
  }
  const state: UpstreamState = {
    isPaused: own.isPaused,
    pause(source, ms) {
      own.pause(source, ms)
      link().tell(SERVICE, 'pause', source, ms)
    },
    take(source, daily) {
      const taken = own.take(source, daily)
      if (taken) link().tell(SERVICE, 'take', source)
      return taken
    },
  }
  return {
    state,
    methods: { [SERVICE]: { pause: own.pause, take } },
    adopt({ paused, spent }: UpstreamSnapshot): void {
      for (const [source, ms] of paused) own.pause(source, ms)
      for (const [source, count] of spent) take(source, count)
    },
  }
}
