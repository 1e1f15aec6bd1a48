// The store of a worker: everything is at the owner, with a memory of its own in front of what every request needs.
import type { Clock } from '../clock.ts'
import type { Backend, StoreEvent } from '../store/backend.ts'
import { createHistory, type HistoryStore } from '../store/history.ts'
import type { JobStore } from '../store/jobs.ts'
import type { LocalResultCache } from '../store/result_cache.ts'
import type { WatchStore } from '../store/watches.ts'
import type { UpstreamState } from '../upstreams/state.ts'
import { bufferOf, createLinkedFlights } from './flights.ts'
import { createLinkedKeys } from './keys.ts'
import { type Link, remote } from './link.ts'
import { createLinkedQuota } from './quota.ts'
import { createLinkedCache } from './result_cache.ts'
import type { StoreGreeting } from './store_host.ts'
import { createLinkedTargets } from './targets.ts'

export interface LinkedBackendOptions {
  readonly link: Link
  readonly greeting: StoreGreeting
  readonly upstreams: UpstreamState
  readonly local: LocalResultCache
  readonly clock: Clock
  readonly event: StoreEvent
}

export function openLinkedBackend({ link, greeting, upstreams, local, clock, event }: LinkedBackendOptions): Backend {
  const keys = createLinkedKeys(link, clock.now)
  const secret = bufferOf(greeting.url_secret)
  const health = remote<Pick<Backend, 'fault'>>(link, 'health')
  const history = greeting.keeps_history
    ? createHistory({
        store: remote<HistoryStore>(link, 'history'),
        failed: () => event('error', { store: 'history-lost' }),
      })
    : null
  return {
    keys,
    quota: createLinkedQuota(link),
    cache: createLinkedCache(link, local),
    flights: createLinkedFlights(link),
    upstreams,
    history,
    watches: greeting.has_watches ? remote<WatchStore>(link, 'watches') : null,
    jobs: greeting.has_jobs ? remote<JobStore>(link, 'jobs') : null,
    targets: createLinkedTargets(link),
    urlSecret: () => secret,
    // Without its owner, the worker ends.
    fault: () => health.fault().catch(() => null),
    note: () => null,
    resultsNote: () => null,
    figures: () => ({ unanswered: 0, owed: 0 }),
    async close() {
      await history?.close()
      keys.close()
    },
  }
}
