// Everything that the service stores, in files of its own or in a Redis that several instances share.

import type { SingleFlight } from '../single_flight.ts'
import type { UpstreamState } from '../upstreams/state.ts'
import type { History } from './history.ts'
import type { JobStore } from './jobs.ts'
import type { LocalResultCache, ResultCache } from './result_cache.ts'
import type { LocalQuota, MaybeAsync, Store } from './store.ts'
import type { TargetShare } from './target_share.ts'
import type { WatchStore } from './watches.ts'

/** Running analyses. They resolve with prepared bodies. */
export interface ResultFlights extends Omit<SingleFlight<Buffer>, 'run'> {
  /**
   * As a `SingleFlight`. `start` stores its result with `put`, if it gets one, instead of the cache's own: the cached result is then
   * the outcome for other instances, too.
   */
  run(
    key: string,
    start: (signal: AbortSignal, put?: ResultCache['put']) => Promise<Buffer>,
    signal?: AbortSignal,
  ): Promise<Buffer>
}

export interface Backend extends Store {
  readonly cache: ResultCache
  readonly flights: ResultFlights
  /** Pauses and daily allowances of upstream sources. */
  readonly upstreams: UpstreamState
  /** Kept results; null when none are kept. */
  readonly history: History | null
  /** Watches and their deliveries; null when watches are disabled. */
  readonly watches: WatchStore | null
  /** Jobs and their results; null when jobs are disabled. */
  readonly jobs: JobStore | null
  /** Slots at targets, shared with other instances. */
  readonly targets: TargetShare
  /** Makes the cache keys of URLs unreadable; shared with other instances as soon as they can be reached. */
  urlSecret(): Buffer
  /** A slug for why no answer can be counted; null when a write succeeded lately. Takes as long as a write at most; never rejects. */
  fault(): MaybeAsync<string | null>
  /** A slug for a problem that does not stop the service; null when there is none. */
  note(): string | null
  /** The same for what instances share of results. */
  resultsNote(): string | null
  /** Commands without a reply since the start, and batches of given answers that are not counted yet. */
  figures(): { readonly unanswered: number; readonly owed: number }
}

/** A store of this process alone, which other processes may share through it. */
export interface LocalBackend extends Backend {
  readonly quota: LocalQuota
  readonly cache: LocalResultCache
}

/** Reports an event to the operator: a slug and its details, without addresses. */
export type StoreEvent = (level: 'info' | 'warn' | 'error', event: Readonly<Record<string, unknown>>) => void
