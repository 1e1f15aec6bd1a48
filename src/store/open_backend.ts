// Which store a configuration asks for, opened.
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { AnalysisUnavailable } from '../engine/outcome.ts'
import { createLocalBoard } from '../evidence/upstream_board.ts'
import { singleFlight } from '../single_flight.ts'
import type { Backend, StoreEvent } from './backend.ts'
import { openKeyFile, openStore } from './embedded/embedded_store.ts'
import type { FailureCodec } from './redis/flights.ts'
import { createResultCache, type LocalResultCache, result_cache_defaults } from './result_cache.ts'
import type { KeyStore } from './store.ts'
import { noOthers } from './target_share.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** A file that could be opened answers; what it then cannot do fails the request that needs it. */
const soundFile = { fault: () => null, note: () => null, figures: () => ({ unanswered: 0, owed: 0 }) }

type Settings = Pick<Config, 'store' | 'data' | 'cache'> & {
  readonly keys: Pick<Config['keys'], 'prefix' | 'rotation_hours'>
  /** Milliseconds that a command to Redis may take; no key of the configuration, and the link's own bound without. */
  readonly command_ms?: number | undefined
}

/** Rejects with a StoreError. A Redis that is out is no error: it is tried again. */
export async function openBackend(config: Settings, clock: Clock, event: StoreEvent): Promise<Backend> {
  const { store: url, data, command_ms } = config
  const cache = createCache(config)
  const keys = keyOptions(config)
  if (url !== null) {
    const { openRedisStore } = await redisStore()
    const { stale_ms } = result_cache_defaults
    const shared_bytes_max = config.cache.shared_max_bytes
    return openRedisStore({
      url,
      command_ms,
      data,
      keys,
      local: cache,
      shared_bytes_max,
      stale_ms,
      failures,
      clock,
      event,
    })
  }
  const embedded = await openStore({ directory: data, ...keys, now: clock.now })
  const flights = singleFlight<Buffer>()
  return { ...embedded, cache, flights, board: createLocalBoard(clock), targets: noOthers, ...soundFile }
}

/** The keys alone, for the command line; works beside a running service. Rejects with a StoreError. */
export async function openKeys(config: Settings): Promise<{ readonly keys: KeyStore; close(): Promise<void> }> {
  const options = keyOptions(config)
  if (config.store !== null) return (await redisStore()).openRedisKeys(config.store, { ...options, now: Date.now })
  return openKeyFile({ directory: config.data, ...options })
}

/** Loaded where it is used: the client takes a fifth of a second, which every command would wait. */
const redisStore = () => import('./redis/redis_store.ts')

const keyOptions = ({ keys: { prefix, rotation_hours } }: Settings) => ({
  prefix,
  grace_ms: rotation_hours * HOUR_MS,
})

function createCache({ cache }: Settings): LocalResultCache {
  return createResultCache({
    bytes_max: cache.max_bytes,
    lives_ms: {
      complete: cache.complete_seconds * SECOND_MS,
      incomplete: cache.incomplete_seconds * SECOND_MS,
      not_found: cache.not_found_seconds * SECOND_MS,
    },
  })
}

/** That we can look at nothing is so for all who wait; any other failure is one instance's own. */
const failures: FailureCodec = {
  write: fault => (fault instanceof AnalysisUnavailable ? fault.reason : null),
  read: reason => new AnalysisUnavailable(reason),
}
