// Opens the store that the configuration names.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { OVERSHOOT } from '../config/schema.ts'
import { releaseOnError } from '../errors.ts'
import { singleFlight } from '../single_flight.ts'
import { createUpstreamBoard, createUpstreamState, type UpstreamBoard } from '../upstreams/state.ts'
import type { Backend, LocalBackend, StoreEvent } from './backend.ts'
import { patience_ms } from './embedded/connection.ts'
import { inspectDatabase } from './embedded/database_file.ts'
import { openKeyFile, openStore } from './embedded/embedded_store.ts'
import { historyDatabase, openEmbeddedHistory } from './embedded/history.ts'
import { openEmbeddedJobs } from './embedded/jobs.ts'
import { openEmbeddedWatches } from './embedded/watches.ts'
import {
  createHistory,
  type History,
  type HistoryLimits,
  type HistoryStore,
  MET_TARGETS,
  NO_LIMITS,
} from './history.ts'
import type { JobLimits, JobStore } from './jobs.ts'
import { logChosenPlans } from './key_rows.ts'
import type { RedisPlace } from './redis_place.ts'
import { createResultCache, createUrlSecret, type LocalResultCache, result_cache_defaults } from './result_cache.ts'
import { type KeyStore, StoreError } from './store.ts'
import { createLocalTargetShare } from './target_share.ts'
import type { WatchStore } from './watches.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** There is nothing to share and nothing to reach. */
const ownFile = {
  note: () => null,
  resultsNote: () => null,
  figures: () => ({ unanswered: 0, owed: 0 }),
}

type Settings = Pick<Config, 'store' | 'data'> & {
  /** No results are kept when absent. */
  readonly history?: Config['history']
  /** There are no watches when absent. */
  readonly watch?: Pick<Config['watch'], 'per_account'>
  /** There are no jobs when absent. */
  readonly jobs?: Config['jobs']
  readonly cache: Omit<Config['cache'], 'urls'>
  readonly keys: Pick<Config['keys'], 'prefix' | 'rotation_hours'>
  /** The default when absent. */
  readonly quota?: Config['quota']
  /** How Redis is reached; the defaults when absent. */
  readonly redis?: Omit<RedisPlace, 'url'>
}

/** The Redis that the configuration names; null with the embedded store. */
export const redisPlace = ({ store, redis }: Pick<Settings, 'store' | 'redis'>): RedisPlace | null =>
  store === null ? null : { ...redis, url: store }

/** The Redis that the configuration names for shared results alone; null when they are in the store. */
export const resultsPlace = ({ cache, redis }: Pick<Settings, 'cache' | 'redis'>): RedisPlace | null =>
  redisPlace({ store: cache.store, redis })

/** Rejects with a StoreError. A Redis that is down is not an error: the store keeps trying. */
export async function openBackend(config: Settings, clock: Clock, event: StoreEvent): Promise<Backend> {
  const { data } = config
  const place = redisPlace(config)
  if (place === null) return openLocalBackend(config, clock, event)
  const { openRedisStore } = await redisStore()
  return openRedisStore({
    place,
    results_place: resultsPlace(config),
    history: historyLimits(config),
    watches: isWatching(config),
    jobs: jobLimits(config),
    data,
    keys: keyOptions(config),
    local: openLocalCache(config),
    shared_bytes_max: config.cache.shared_max_bytes,
    stale_ms: result_cache_defaults.stale_ms,
    overshoot: config.quota?.outage_overshoot ?? OVERSHOOT,
    clock,
    event,
  })
}

/** Opens the embedded store. Rejects with a StoreError. */
export async function openLocalBackend(config: Settings, clock: Clock, event: StoreEvent): Promise<LocalBackend> {
  const { data } = config
  const cache = openLocalCache(config)
  const keys = keyOptions(config)
  const embedded = await openStore({ directory: data, ...keys, now: clock.now, chosen: logChosenPlans(event) })
  const history = await releaseOnError(
    () => embedded.close(),
    async () => openLocalHistory(config, clock, event),
  )
  const watches = await releaseOnError(
    async () => {
      await history?.close()
      await embedded.close()
    },
    async () => (isWatching(config) ? openLocalWatches(config, event, patience_ms.server, clock.now) : null),
  )
  const jobs = await releaseOnError(
    async () => {
      await watches?.close()
      await history?.close()
      await embedded.close()
    },
    () => openLocalJobs(config, clock, event),
  )
  const flights = singleFlight<Buffer>()
  const targets = createLocalTargetShare(clock.monotonic)
  const secret = createUrlSecret()
  const urlSecret = () => secret
  const upstreams = createUpstreamState(clock)
  return {
    ...{ ...embedded, cache, flights, upstreams, history, watches, jobs, targets, urlSecret, ...ownFile },
    async close() {
      await jobs?.close()
      await watches?.close()
      await history?.close()
      await embedded.close()
    },
  }
}

const historyLimits = ({ history }: Settings): HistoryLimits | null =>
  history === undefined || history.days === 0
    ? null
    : {
        life_ms: history.days * DAY_MS,
        octets: history.max_bytes,
        met_ms: Math.max(history.days, history.first_seen_days) * DAY_MS,
        targets: MET_TARGETS,
      }

function openLocalHistory(config: Settings, { now }: Clock, event: StoreEvent): History | null {
  const limits = historyLimits(config)
  if (limits === null) return null
  const store = openEmbeddedHistory({
    ...limits,
    directory: config.data,
    now,
    damaged: moved_to => event('error', { store: 'history-damaged', moved_to: basename(moved_to) }),
  })
  return createHistory({ store, failed: () => event('error', { store: 'history-lost' }) })
}

/**
 * Opens the keys alone, for the command line; works beside a running service. Rejects with a StoreError, also when the file
 * needs a migration that `as_it_is` forbids.
 */
export async function openKeys(
  config: Settings,
  event: StoreEvent,
  { as_it_is = false }: { readonly as_it_is?: boolean } = {},
): Promise<{ readonly keys: KeyStore; close(): Promise<void> }> {
  const options = { ...keyOptions(config), as_it_is }
  const place = redisPlace(config)
  if (place !== null) return (await redisStore()).openRedisKeys(place, { ...options, now: Date.now }, event)
  return openKeyFile({ directory: config.data, ...options, chosen: logChosenPlans(event) })
}

const isWatching = ({ watch }: Settings): boolean => watch !== undefined && watch.per_account > 0

const openLocalWatches = (config: Pick<Settings, 'data'>, event: StoreEvent, patience: number, now: () => number) =>
  openEmbeddedWatches({
    ...{ directory: config.data, now, patience },
    damaged: moved_to => event('error', { store: 'watches-damaged', moved_to: basename(moved_to) }),
    unreadable: () => event('error', { store: 'watch-unreadable' }),
  })

/** Opens the watches alone, for the command line; works beside a running service. Rejects with a StoreError. */
export async function openWatches(
  config: Pick<Settings, 'store' | 'redis' | 'data'>,
  event: StoreEvent,
): Promise<WatchStore> {
  const place = redisPlace(config)
  if (place !== null) return (await redisStore()).openRedisWatches(place)
  return openLocalWatches(config, event, patience_ms.command, Date.now)
}

const jobLimits = ({ jobs }: Settings): JobLimits | null =>
  jobs === undefined || jobs.per_account === 0 ? null : { life_ms: jobs.days * DAY_MS, octets: jobs.max_bytes }

async function openLocalJobs(config: Settings, { now }: Clock, event: StoreEvent): Promise<JobStore | null> {
  const limits = jobLimits(config)
  if (limits === null) return null
  return openEmbeddedJobs({
    ...{ ...limits, directory: config.data, now, patience: patience_ms.server },
    damaged: moved_to => event('error', { store: 'jobs-damaged', moved_to: basename(moved_to) }),
    damagedJob: () => event('error', { store: 'job-unreadable' }),
  })
}

/**
 * Opens kept results for reading, for the command line; works beside a running service. Null when none were ever kept.
 * Rejects with a StoreError. The caller writes nothing.
 */
export async function openKeptResults(
  config: Pick<Settings, 'store' | 'redis' | 'data'>,
): Promise<HistoryStore | null> {
  const place = redisPlace(config)
  if (place !== null) return (await redisStore()).openRedisHistory(place)
  const path = join(config.data, historyDatabase.name)
  if (!existsSync(path)) return null
  // The service moves a damaged file away when it starts, and a command must not.
  const { damage } = inspectDatabase(path, historyDatabase)
  if (damage !== null) throw new StoreError('store_damaged', `${path} is damaged: ${damage}`)
  const { now } = Date
  return openEmbeddedHistory({ directory: config.data, now, damaged: () => {}, ...NO_LIMITS })
}

/**
 * What is known about upstreams, for a process that opens no store. Without a Redis, nothing is shared. `denied` is called when
 * Redis denies what sharing needs.
 */
export async function openBoard(
  place: RedisPlace | null,
  clock: Clock,
  denied: (reason: string) => void,
): Promise<{ readonly board: UpstreamBoard; close(): Promise<void> }> {
  if (place === null) return { board: createUpstreamBoard(clock), close: async () => {} }
  const { openUpstreamBoard } = await import('./redis/upstream_board.ts')
  const board = await openUpstreamBoard({ ...place, denied: (code, sentence) => denied(sentence ?? code) }, clock)
  return { board, close: board.close }
}

/** Loaded on demand: the client takes a fifth of a second, which every command would wait for. */
const redisStore = () => import('./redis/redis_store.ts')

const keyOptions = ({ keys: { prefix, rotation_hours } }: Settings) => ({
  prefix,
  grace_ms: rotation_hours * HOUR_MS,
})

/** The cache of this process. */
export function openLocalCache({ cache }: Pick<Settings, 'cache'>): LocalResultCache {
  return createResultCache({
    bytes_max: cache.max_bytes,
    lives_ms: {
      complete: cache.complete_seconds * SECOND_MS,
      not_found: cache.not_found_seconds * SECOND_MS,
      withheld: cache.withheld_seconds * SECOND_MS,
      incomplete: cache.incomplete_seconds * SECOND_MS,
    },
  })
}
