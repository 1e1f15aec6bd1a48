// Queries of this process to upstreams, such as registries: settings of the scheduler, and all that this queue has of its own.
import { Queue } from './queue.ts'
import { type ClientName, RANK } from './scheduler.ts'

/** How much an upstream, such as a registry, gets. */
export interface Capacity {
  /** Concurrent queries. */
  readonly at_once: number
  /** Queries that may start in a second; null for no limit. */
  readonly per_second: number | null
}

const SECOND_MS = 1_000

/** Queries of this process to upstreams: refused when they would wait longer than they may. */
export const createUpstreamQueue = (capacityOf: (upstream: string) => Capacity, now: () => number): Queue =>
  new Queue({
    limitsOf(upstream) {
      const { at_once, per_second } = capacityOf(upstream)
      return { at_once, ...(per_second !== null && { starts: per_second, per_ms: SECOND_MS }) }
    },
    patience: { waiting_per_slot: Number.POSITIVE_INFINITY, burst_ms: 0, overloaded_ms: Number.POSITIVE_INFINITY },
    now,
  })

/** One client for each upstream, and one for background queries. */
export const upstreamClient = (upstream: string, isAwaited: boolean): ClientName =>
  isAwaited
    ? { client: upstream, rank: RANK.request, resources: [upstream] }
    : { client: `${upstream} background`, rank: RANK.background, resources: [upstream] }
