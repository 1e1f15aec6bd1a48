// What waits in this process, and by which rules. Each table is all that its queue has of its own.
import { createQueue, type Queue } from './queue.ts'
import type { ClientName, Patience } from './scheduler.ts'

/** Classes in their order: what nobody waits for comes last. */
export const RANK = { request: 0, background: 1 } as const

export interface CheckSettings {
  readonly patience: Patience
  /** Longest wait. After it, the client's own timeout must still leave room for a whole check. */
  readonly wait_ms: number
  /** Milliseconds after which a check gives its slot to another and goes on without one: its target is slow, not this service. */
  readonly slow_ms: number
  /** Such slow checks for each slot. They cost only memory, some 250 KiB each. */
  readonly slow_per_slot: number
  /** Checks that may run even when turns of the event loop are long or the CPU is busy: so few cannot be the cause. */
  readonly at_least: number
  /** Checks besides them that may start then for keys that have fewer running than another, which may hold all of the former. */
  readonly newcomers: number
  /** Milliseconds that must be left when a check starts, or a share of a short deadline: with less, everything stays unknown. */
  readonly least_ms: number
  readonly least_share: number
  /** Share of the remaining time that a check may spend on each of its two waits, for its target and for its slot. */
  readonly wait_share: number
}

/** Uncached checks of this process, of which `check.concurrency` run at once. More than two for each would wait longer than `wait_ms`. */
export const CHECKS: CheckSettings = {
  // The first checks of a process take several times as long as later ones.
  patience: { waiting_per_slot: 2, burst_ms: 2_000, overloaded_ms: 500 },
  ...{ wait_ms: 3_000, slow_ms: 750, slow_per_slot: 2, at_least: 8, newcomers: 8 },
  ...{ least_ms: 1_000, least_share: 0.25, wait_share: 0.5 },
}

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
  createQueue({
    limitsOf(upstream) {
      const { at_once, per_second } = capacityOf(upstream)
      return { at_once, ...(per_second !== null && { starts: per_second, per_ms: SECOND_MS }) }
    },
    patience: { waiting_per_slot: Number.POSITIVE_INFINITY, burst_ms: 0, overloaded_ms: Number.POSITIVE_INFINITY },
    now,
  })

/** One client for each upstream, and one for what nobody waits for. */
export const upstreamClient = (upstream: string, isAwaited: boolean): ClientName =>
  isAwaited
    ? { client: upstream, rank: RANK.request, resources: [upstream] }
    : { client: `${upstream} background`, rank: RANK.background, resources: [upstream] }
