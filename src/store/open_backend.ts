// Opens the store that the configuration names.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { releaseOnError } from '../base/errors.ts'
import { withTimeout } from '../base/timeout.ts'
import type { Config } from '../config/config.ts'
import { createUpstreamState, type UpstreamState } from '../knowledge/upstreams/state.ts'
import type { Backend } from './backend.ts'
import { type HistoryLimits, MET_TARGETS } from './history.ts'
import type { JobLimits } from './jobs.ts'
import { createResultCache, type LocalResultCache, resultCacheDefaults } from './result_cache.ts'
import { openAllowances } from './sql/allowances.ts'
import { type ClaimLimits, type Claims, mostWaiting } from './sql/claims.ts'
import type { Database } from './sql/database.ts'
import { createKeptHistory, type KeptHistory } from './sql/history.ts'
import { createJobs } from './sql/jobs.ts'
import { createKeys } from './sql/keys.ts'
import type { Queues } from './sql/queues.ts'
import { createQuota } from './sql/quota.ts'
import { createResults } from './sql/results.ts'
import { lockDirectory } from './sql/sqlite/file.ts'
import { openSqlite, PATIENCE_MS } from './sql/sqlite/open.ts'
import { createWatches, type Watches } from './sql/watches.ts'
import { createWrongKeys } from './sql/wrong_keys.ts'
import type { MaybeAsync, StoreEvent } from './store.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Milliseconds for which a write proves that the next one will succeed: a few looks of a load balancer. */
const LATELY_MS = 5_000
/** Milliseconds that a write may take when it is to prove that answers can be counted. */
const PROOF_MS = 2_000

/** Where another store was used before, its accounts, keys and counts are not in this one. */
export const STORE_NEW = { store: 'new', reason: 'it has no accounts, keys and counts' }

type StoreLocation = Pick<Config, 'store' | 'data'>

export type BackendSettings = StoreLocation &
  Pick<Config, 'history' | 'watch' | 'jobs' | 'cache' | 'keys' | 'check' | 'server'>

/**
 * Takes the right to serve from the data directory, for this process and its workers; until released or the process ends. With
 * PostgreSQL there is nothing to take. Throws a StoreError when another service has it.
 */
export async function lockStore({ store, data }: StoreLocation): Promise<{ release(): void }> {
  if (store !== null) return { release() {} }
  const lock = lockDirectory(data)
  const { emptyClaims } = await import('./sql/sqlite/claims.ts')
  emptyClaims(data)
  return lock
}

/** Opens the whole store. The caller, or the process that started it, holds the lock. Rejects with a StoreError. */
export async function openBackend(config: BackendSettings, clock: Clock, event: StoreEvent): Promise<Backend> {
  const database = await openDatabase(config, event)
  if (database.is_new) event('warn', STORE_NEW)
  return releaseOnError(database.close, async () => {
    const { now } = clock
    const { claims, queues } = await openParts(config, database, clock, event)
    const keys = createKeys(database, keyOptions(config, now))
    const quota = createQuota(database, now)
    const history = historyLimits(config)
    const results = await createResults(database, {
      local: openLocalCache(config),
      stale_ms: resultCacheDefaults.stale_ms,
      history,
      now,
      event,
      cache_octets: config.cache.shared_max_bytes,
    })
    const upstreams = await openAllowances(database, clock)
    const wrongKeys = createWrongKeys(database, config.server.failed_keys_per_minute, now)
    const limits = jobLimits(config)
    const jobDamaged = () => event('error', { store: 'job-unreadable' })
    return {
      keys,
      quota,
      results,
      keeps_history: history !== null,
      claims,
      queues,
      upstreams,
      wrong_keys: wrongKeys,
      watches: config.watch.per_account > 0 ? openWatchRows(database, now, event) : null,
      jobs: limits === null ? null : createJobs(database, { ...limits, now, onDamage: jobDamaged }),
      fault: writeProof(database),
      async close() {
        await queues.close()
        await quota.drain()
        await Promise.all([results.close(), upstreams.close(), wrongKeys.close(), claims.close(), keys.close()])
        await database.close()
      },
    }
  })
}

/** The parts that differ by database. */
async function openParts(
  { store, data, check }: BackendSettings,
  database: Database,
  { now }: Clock,
  event: StoreEvent,
): Promise<{ readonly claims: Claims; readonly queues: Queues }> {
  const owner = randomUUID()
  const limits = claimLimits(check)
  const onFailure = (error: unknown) => event('error', { queue: 'failed', error: String(error).slice(0, 200) })
  const onRecovery = (failures: number) => event('info', { queue: 'recovered', failures })
  if (store === null) {
    const [{ openSqliteClaims }, { openSqliteQueues }] = await Promise.all([
      import('./sql/sqlite/claims.ts'),
      import('./sql/sqlite/queues.ts'),
    ])
    const claims = await openSqliteClaims({
      directory: data,
      database,
      owner,
      limits,
      patience_ms: PATIENCE_MS.server,
    })
    return { claims, queues: openSqliteQueues(database, { now, onFailure, onRecovery }) }
  }
  const place = { url: store }
  const [{ createPostgresClaims }, { openPostgresQueues }] = await Promise.all([
    import('./sql/postgres/claims.ts'),
    import('./sql/postgres/queues.ts'),
  ])
  // What may fail comes first: claims listen from the start.
  const queues = await openPostgresQueues({ place, now, onFailure, onRecovery })
  return { claims: createPostgresClaims({ database, place, owner, limits }), queues }
}

const claimLimits = (check: Config['check']): ClaimLimits => ({
  at_once: check.per_domain,
  per_second: check.per_domain_per_second,
  waiting: mostWaiting(check.per_domain_per_second),
  key_at_once: check.per_key,
  key_per_second: check.per_key_per_second,
})

/** PostgreSQL's client is loaded on demand: it takes a tenth of a second. */
async function openDatabase({ store, data }: StoreLocation, event: StoreEvent): Promise<Database> {
  if (store === null) return openSqlite({ directory: data, patience_ms: PATIENCE_MS.server })
  const { openPostgres } = await import('./sql/postgres/open.ts')
  return openPostgres({ place: { url: store }, onLoss: reason => event('warn', { store: 'connection-lost', reason }) })
}

/** The database as commands use it, beside a running service. Rejects with a StoreError when there is none but must be. */
async function openForCommand({ store, data }: StoreLocation, mustExist = true): Promise<Database> {
  if (store === null) return openSqlite({ directory: data, patience_ms: PATIENCE_MS.command, must_exist: mustExist })
  const { openPostgres } = await import('./sql/postgres/open.ts')
  return openPostgres({ place: { url: store }, onLoss: () => {}, must_exist: mustExist })
}

/** The keys alone, and whether the store can be written. */
export interface OpenKeys extends Pick<Backend, 'keys' | 'fault'> {
  /** Whether opening it made the store. */
  readonly is_new: boolean
  close(): Promise<void>
}

/** A database with queues, for distributed bulk runs. */
export interface OpenQueues {
  readonly database: Database
  readonly queues: Queues
}

/** Opens the queues of a PostgreSQL store. Rejects with a StoreError. */
export async function openQueues(url: string, onError: (reason: string) => void, endMs?: number): Promise<OpenQueues> {
  const place = { url }
  const [{ openPostgres }, { openPostgresQueues }] = await Promise.all([
    import('./sql/postgres/open.ts'),
    import('./sql/postgres/queues.ts'),
  ])
  const database = await openPostgres({ place, onLoss: onError })
  const limits = endMs === undefined ? {} : { end_ms: endMs }
  const onFailure = (error: unknown) => onError(String(error))
  return releaseOnError(database.close, async () => ({
    database,
    queues: await openPostgresQueues({ place, now: Date.now, limits, onFailure }),
  }))
}

/** What is known about upstreams, for a process that opens no other store. Without a PostgreSQL, nothing is shared. */
export async function openUpstreamState(
  url: string | null,
  clock: Clock,
): Promise<{ readonly upstream_state: UpstreamState; close(): Promise<void> }> {
  if (url === null) return { upstream_state: createUpstreamState(clock), close: async () => {} }
  const { openPostgres } = await import('./sql/postgres/open.ts')
  const database = await openPostgres({ place: { url }, onLoss: () => {} })
  const upstreamState = await openAllowances(database, clock)
  return {
    upstream_state: upstreamState,
    async close() {
      await upstreamState.close()
      await database.close()
    },
  }
}

/** Opens the keys alone, for the command line and for what starts workers; makes a missing store only with `create`. Rejects with a StoreError. */
export async function openKeys(
  config: StoreLocation & Pick<Config, 'keys'>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<OpenKeys> {
  const database = await openForCommand(config, !create)
  const keys = createKeys(database, keyOptions(config, Date.now))
  return {
    keys,
    is_new: database.is_new,
    fault: writeProof(database),
    async close() {
      await keys.close()
      await database.close()
    },
  }
}

/** Opens the watches alone, for the command line. Rejects with a StoreError. */
export async function openWatches(
  config: StoreLocation,
  event: StoreEvent,
): Promise<Watches & { close(): Promise<void> }> {
  const database = await openForCommand(config)
  return { ...openWatchRows(database, Date.now, event), close: database.close }
}

const openWatchRows = (database: Database, now: () => number, event: StoreEvent): Watches =>
  createWatches(database, { now, onDamage: () => event('error', { store: 'watch-unreadable' }) })

/** Opens kept results for reading, for the command line. Rejects with a StoreError. */
export async function openKeptResults(config: StoreLocation): Promise<KeptHistory & { close(): Promise<void> }> {
  const database = await openForCommand(config)
  const options = { life_ms: Number.MAX_SAFE_INTEGER, met_ms: Number.MAX_SAFE_INTEGER, now: Date.now }
  return { ...createKeptHistory(database, options), close: database.close }
}

/** Whether answers can be counted: a write that succeeded lately proves it, and otherwise one is made. */
function writeProof(database: Database): () => MaybeAsync<string | null> {
  let proving: Promise<string | null> | null = null
  const slug = database.dialect === 'sqlite' ? 'not-writable' : 'unreachable'
  const prove = async (): Promise<string | null> => {
    const row = { name: 'written_at', value: `${Date.now()}` }
    const writing = database.transaction(change =>
      change
        .insertInto('settings')
        .values(row)
        .onConflict(oc => oc.column('name').doUpdateSet({ value: row.value }))
        .execute(),
    )
    const writeOutcome = writing.then(
      () => null,
      () => slug,
    )
    return withTimeout(writeOutcome, PROOF_MS, () => slug)
  }
  return () => {
    if (database.sinceWrite() < LATELY_MS) return null
    proving ??= prove().finally(() => {
      proving = null
    })
    return proving
  }
}

const historyLimits = ({ history }: BackendSettings): HistoryLimits | null =>
  history.days === 0
    ? null
    : {
        life_ms: history.days * DAY_MS,
        octets: history.max_bytes,
        met_ms: Math.max(history.days, history.first_seen_days) * DAY_MS,
        targets: MET_TARGETS,
        searched: history.search,
      }

const jobLimits = ({ jobs }: BackendSettings): JobLimits | null =>
  jobs.per_account === 0 ? null : { life_ms: jobs.days * DAY_MS, octets: jobs.max_bytes }

const keyOptions = ({ keys: { prefix, rotation_hours } }: Pick<Config, 'keys'>, now: () => number) => ({
  prefix,
  grace_ms: rotation_hours * HOUR_MS,
  now,
})

/** The results in the memory of this process. */
export function openLocalCache({ cache }: Pick<Config, 'cache'>): LocalResultCache {
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
