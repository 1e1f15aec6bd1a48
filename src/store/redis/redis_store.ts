// The store in Redis: the state that several instances share, and how this instance continues while Redis is down.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { singleFlight } from '../../single_flight.ts'
import type { Backend, StoreEvent } from '../backend.ts'
import { createHistory, type HistoryLimits, type HistoryStore, NO_LIMITS } from '../history.ts'
import type { JobLimits } from '../jobs.ts'
import { logChosenPlans } from '../key_rows.ts'
import { createKeys, type KeyOptions, type Keys } from '../keys.ts'
import type { RedisPlace } from '../redis_place.ts'
import { createUrlSecret, type LocalResultCache } from '../result_cache.ts'
import { StoreError } from '../store.ts'
import { createLocalTargetShare } from '../target_share.ts'
import type { WatchStore } from '../watches.ts'
import { createRedisHistory } from './history.ts'
import { evictionPolicy, proveWritable } from './inspect.ts'
import { createInstances } from './instances.ts'
import { createRedisJobs } from './jobs.ts'
import { openJournals } from './journal.ts'
import { createKeyMirror } from './key_mirror.ts'
import { redisKeyRows } from './key_rows.ts'
import { createLossDetector, createRevocationFeed } from './key_sync.ts'
import { migrateLayout } from './layout.ts'
import { createLink, type LinkOptions, type RedisLink, RedisRefuses, type Run } from './link.ts'
import { textOrNone } from './protocol.ts'
import { createRedisQuota } from './quota.ts'
import { createSharedCache } from './result_cache.ts'
import { createSharedFlights } from './single_flight.ts'
import { createTargetShare } from './target_share.ts'
import { createSharedUpstreamState } from './upstream_state.ts'
import { createRedisWatches } from './watches.ts'

export interface RedisStoreOptions {
  readonly place: RedisPlace
  /** The Redis for results and the checks that lead to them; null when `place` has them too. */
  readonly results_place: RedisPlace | null
  /** Directory of the journals. */
  readonly data: string
  readonly keys: Omit<KeyOptions, 'now'>
  readonly local: LocalResultCache
  readonly shared_bytes_max: number
  /** Null when no results are kept. */
  readonly history: HistoryLimits | null
  /** Whether there are watches. */
  readonly watches: boolean
  /** Null when there are no jobs. */
  readonly jobs: JobLimits | null
  readonly stale_ms: number
  /** The share of a quota that may be given beyond it while Redis is down. */
  readonly overshoot: number
  readonly clock: Clock
  readonly event: StoreEvent
}

/** Milliseconds between exchanges with Redis outside requests: how late a revocation or a pause is noticed. */
const sync_ms = 1_000

/** Milliseconds that the command line waits for each reply: a key that is created but not shown is lost. */
const patience_ms = 5_000

/**
 * Resolves also while Redis is down, and then retries every second. Rejects with a StoreError when the journal cannot be
 * used or a later release wrote this Redis.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Backend> {
  const { place, results_place, clock, event, local } = options
  const mirror = createKeyMirror()
  const own = randomUUID()
  const instances = createInstances(own)
  const loss = createLossDetector({
    mirror,
    restoreCounts: (run, epoch) => quota.restore(run, epoch),
    lost: () => event('error', { store: 'redis-emptied' }),
    unrestored: (key, fault) => event('error', { store: 'key-not-restored', key, detail: String(fault).slice(0, 200) }),
  })
  const revocations = createRevocationFeed(mirror)
  const upstreams = createSharedUpstreamState(clock)
  const eviction = createEvictionWatch(clock, event)
  const reported = reports(event, 'redis')
  let reached = false
  let urlSecret = createUrlSecret()
  const link = createLink({
    ...place,
    async prepare(run) {
      logChosenPlans(event)(await migrateLayout(run, { now: clock.now() }))
      await revocations.read(run)
      await loss.check(run)
      urlSecret = await shareUrlSecret(run, urlSecret).catch(() => urlSecret)
      await instances.beat(run)
      await eviction.watch(run)
    },
    denied: reported.denied,
    changed(up, reason, detail) {
      reached ||= up
      reported.changed(up, reason, detail)
      if (up) quota.resume()
    },
  })
  const { run } = link
  /** Null when `link` has the results, too. */
  const results =
    results_place === null
      ? null
      : createLink({ ...results_place, prepare: refuseUnwritable, ...reports(event, 'results') })
  const { run: runForResults } = results ?? link
  const journal = await openJournals(options.data)
  const quota = createRedisQuota({
    run,
    instance: own,
    journal,
    epoch: () => loss.epoch,
    emptied: () => void loss.check(run).catch(() => {}),
    instances: () => instances.count,
    overshoot: options.overshoot,
    now: clock.now,
    alarm: detail => event('error', { store: 'quota-damaged', detail: detail.slice(0, 200) }),
  })
  await Promise.all([link.start(), results?.start()])
  if (link.refused !== null) {
    link.close()
    results?.close()
    await journal.close()
    throw link.refused
  }
  const keys = createKeys(
    redisKeyRows(run, mirror, () => loss.check(run)),
    { ...options.keys, now: clock.now },
  )
  const { shared_bytes_max: bytes_max, stale_ms } = options
  const cache = createSharedCache({ run: runForResults, local, bytes_max, stale_ms, event })
  const history =
    options.history === null
      ? null
      : createHistory({
          store: createRedisHistory({ run, now: clock.now, ...options.history }),
          failed: () => event('error', { store: 'history-lost' }),
        })
  const flights = createSharedFlights({ run: runForResults, local: singleFlight<Buffer>(), cache })
  const stop = everySecond(async () => {
    if (!link.up) return
    quota.resume()
    const parts = [revocations.read, loss.check, upstreams.exchange, instances.beat, eviction.watch]
    // Together, so that the commands leave in one write.
    await Promise.all(parts.map(part => part(run)))
  })
  return {
    keys,
    quota,
    cache,
    flights,
    upstreams,
    history,
    watches: options.watches
      ? createRedisWatches({ run, now: clock.now, unreadable: () => event('error', { store: 'watch-unreadable' }) })
      : null,
    jobs:
      options.jobs === null
        ? null
        : createRedisJobs({
            ...{ run, now: clock.now, ...options.jobs },
            damagedJob: () => event('error', { store: 'job-unreadable' }),
          }),
    targets: createTargetShare(run, createLocalTargetShare(clock.monotonic)),
    urlSecret: () => urlSecret,
    fault() {
      if (!reached) return 'redis-unreachable'
      // Without Redis, answers are counted in the journal.
      return link.up || !journal.failing ? null : 'not-writable'
    },
    note: () => (link.up ? (eviction.policy() === null ? null : 'redis-evicts') : 'redis-out'),
    resultsNote: () => (results?.up === false ? 'redis-out' : null),
    figures: () => ({ unanswered: link.failures + (results?.failures ?? 0), owed: quota.owed }),
    async close() {
      stop()
      await history?.close()
      await quota.drain()
      await keys.close()
      if (link.up) await instances.leave(run).catch(() => {})
      link.close()
      results?.close()
      await journal.close()
    },
  }
}

/** The keys in Redis alone, for the command line. Rejects with a StoreError when Redis cannot be reached. */
export async function openRedisKeys(
  place: RedisPlace,
  options: KeyOptions & { readonly as_it_is?: boolean },
  event: StoreEvent,
): Promise<{ keys: Keys; close(): Promise<void> }> {
  const { as_it_is = false } = options
  const prepare = async (run: Run) => logChosenPlans(event)(await migrateLayout(run, { now: options.now(), as_it_is }))
  const link = createLink({ ...place, command_ms: patience_ms, prepare })
  await link.start()
  if (link.refused !== null) {
    link.close()
    throw link.refused
  }
  const keys = createKeys(
    redisKeyRows(link.run, createKeyMirror(), async () => false),
    options,
  )
  return {
    keys,
    async close() {
      await keys.close()
      link.close()
    },
  }
}

/** The watches in Redis alone, for the command line. Rejects with a StoreError when Redis cannot be reached. */
export async function openRedisWatches(place: RedisPlace): Promise<WatchStore> {
  const link = await reached(place)
  return { ...createRedisWatches({ run: link.run, now: Date.now }), close: async () => link.close() }
}

/** The kept results in Redis alone, to be read by the command line. Rejects with a StoreError when Redis cannot be reached. */
export async function openRedisHistory(place: RedisPlace): Promise<HistoryStore> {
  const link = await reached(place)
  return { ...createRedisHistory({ run: link.run, now: Date.now, ...NO_LIMITS }), close: async () => link.close() }
}

async function reached(place: RedisPlace): Promise<RedisLink> {
  const link = createLink({ ...place, command_ms: patience_ms })
  await link.start()
  if (link.up) return link
  link.close()
  throw new StoreError('store_unavailable', `Redis cannot be used: ${link.reason}; see \`store\` in the configuration`)
}

/** A replica, or a Redis that is full, answers and stores nothing. Missing rights are reported by each command that needs them. */
async function refuseUnwritable(run: Run): Promise<void> {
  await proveWritable(run).catch(fault => {
    if (!(fault instanceof RedisRefuses)) throw fault
  })
}

/** The events of a connection, whose names begin with `what`. */
const reports = (event: StoreEvent, what: 'redis' | 'results') =>
  ({
    changed: (up, reason, detail) =>
      event(up ? 'info' : 'error', {
        store: up ? `${what}-reached` : `${what}-out`,
        reason,
        ...(detail && { detail }),
      }),
    denied: (reason, detail) => event('error', { store: `${what}-refuses`, reason, ...(detail && { detail }) }),
  }) satisfies Pick<LinkOptions, 'changed' | 'denied'>

/** Runs `work` every second, unless the last run is still going. Returns what stops it. */
export function everySecond(work: () => Promise<void>): () => void {
  let busy = false
  const timer = setInterval(async () => {
    if (busy) return
    busy = true
    await work().catch(() => {})
    busy = false
  }, sync_ms).unref()
  return () => clearInterval(timer)
}

/** Returns the secret of the first instance that stored one. Without it, results of URLs are not shared. */
async function shareUrlSecret(run: Run, own: Buffer): Promise<Buffer> {
  const key = run.key('url-secret')
  await run(client => client.set(key, own.toString('base64url'), { condition: 'NX' }))
  const secret = Buffer.from(textOrNone(await run(client => client.get(key))) ?? '', 'base64url')
  return secret.length === own.length ? secret : own
}

/** Milliseconds between two looks at the policy, which an operator may change at any time. */
const eviction_ms = 30_000

/** Redis may be configured to delete keys when it is full. Not every server shows its configuration to every user. */
function createEvictionWatch({ monotonic }: Clock, event: StoreEvent) {
  let policy: string | null = null
  let next = 0
  return {
    /** The policy by which keys of this service may be deleted; null when there is none, or when it is not known. */
    policy: () => policy,
    async watch(run: Run): Promise<void> {
      if (monotonic() < next) return
      next = monotonic() + eviction_ms
      const found = await evictionPolicy(run)
      const evicts = found === null || found === 'noeviction' ? null : found
      if (evicts !== null && evicts !== policy) event('warn', { store: 'redis-evicts', policy: evicts })
      policy = evicts
    },
  }
}
