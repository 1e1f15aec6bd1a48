// The store that all workers share, at its owner: what each worker may call, and what a worker that is gone gives back. To share
// one more store whose methods take and return plain data, add it to `plainStores` here and to `openLinkedBackend`.
import type { LocalKeyLimits } from '../api/limits.ts'
import type { Clock } from '../clock.ts'
import type { LocalBackend } from '../store/backend.ts'
import { createFlightTower } from './flights.ts'
import { serveKeys } from './keys.ts'
import { createSharedLimits } from './limits.ts'
import type { Link, Services } from './link.ts'
import { serveQuota } from './quota.ts'
import { serveCache } from './result_cache.ts'
import { createTargetDesk } from './targets.ts'
import { createUpstreamBoard, type UpstreamSnapshot } from './upstreams.ts'

/** What a worker must know of the store before its first request. */
export interface StoreGreeting {
  readonly url_secret: Uint8Array
  /** Whether results are kept. */
  readonly keeps_history: boolean
  /** Whether targets can be watched. */
  readonly has_watches: boolean
  /** Whether there are jobs. */
  readonly has_jobs: boolean
  readonly upstreams: UpstreamSnapshot
}

export interface StoreHost {
  /** Services for one worker at the other end of `link`. */
  open(link: () => Link): { readonly services: Services; drop(): void }
  greeting(): StoreGreeting | null
}

const plainStores = ({ keys, history, watches, jobs, fault }: LocalBackend): Services => ({
  ...serveKeys(keys),
  health: { fault },
  ...(history && { history: history.store }),
  ...(watches && { watches }),
  ...(jobs && { jobs }),
})

/** `backend` is null when each worker opens the store itself, in Redis; they then share the limits alone. */
export function createStoreHost(backend: LocalBackend | null, limits: LocalKeyLimits, clock: Clock): StoreHost {
  const shared = createSharedLimits(limits)
  const flights = createFlightTower()
  const targets = createTargetDesk(clock.monotonic)
  const upstreams = createUpstreamBoard(clock)
  return {
    open(link) {
      const parts = [
        shared.open(),
        ...(backend === null ? [] : [serveQuota(backend.quota), flights.open(), targets.open(), upstreams.open(link)]),
      ]
      return {
        services: Object.assign(
          {},
          backend && plainStores(backend),
          backend && serveCache(backend.cache),
          ...parts.map(({ methods }) => methods),
        ),
        drop() {
          for (const { drop } of parts) drop()
        },
      }
    },
    greeting: () =>
      backend && {
        url_secret: backend.urlSecret(),
        keeps_history: backend.history !== null,
        has_watches: backend.watches !== null,
        has_jobs: backend.jobs !== null,
        upstreams: upstreams.snapshot(),
      },
  }
}
