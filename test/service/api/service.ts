// The HTTP API on a loopback port, over a store in SQLite, with a fake engine.
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, type TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Allowance } from '../../../src/config/quota_rule.ts'
import { POLITE } from '../../../src/results/bulk/politeness.ts'
import { type Checker, createAnswers, type ServedResult } from '../../../src/service/api/answers.ts'
import { type AppOptions, createApp } from '../../../src/service/api/app.ts'
import { type CallersOptions, createCallers } from '../../../src/service/api/callers.ts'
import {
  type AddressDetail,
  createClientAddress,
  logAddress,
  type Sender,
} from '../../../src/service/api/client_address.ts'
import type { HealthCondition } from '../../../src/service/api/health.ts'
import { createJobAnswers } from '../../../src/service/api/job_answers.ts'
import type { Jobbing } from '../../../src/service/api/jobs.ts'
import { createGate } from '../../../src/service/api/limits.ts'
import { createLog } from '../../../src/service/api/log.ts'
import type { SectionWatch } from '../../../src/service/api/progress.ts'
import { type Arrival, createServer, type ServerLimits } from '../../../src/service/api/server.ts'
import { ClaimedTurns } from '../../../src/service/api/turns.ts'
import type { WebPages } from '../../../src/service/api/web.ts'
import { startJobWork } from '../../../src/service/jobs/work.ts'
import { type HistoryLimits, MET_TARGETS } from '../../../src/store/history.ts'
import type { JobLimits } from '../../../src/store/jobs.ts'
import { createResultCache, type LocalResultCache, resultCacheDefaults } from '../../../src/store/result_cache.ts'
import type { ClaimLimits } from '../../../src/store/sql/claims.ts'
import { mostWaiting } from '../../../src/store/sql/claims.ts'
import type { Database } from '../../../src/store/sql/database.ts'
import { createJobs } from '../../../src/store/sql/jobs.ts'
import { createKeys, type Keys } from '../../../src/store/sql/keys.ts'
import { createQuota, type Quota } from '../../../src/store/sql/quota.ts'
import { createResults, type Results } from '../../../src/store/sql/results.ts'
import type { Schema } from '../../../src/store/sql/schema.ts'
import { openSqliteClaims } from '../../../src/store/sql/sqlite/claims.ts'
import { openSqlite, PATIENCE_MS } from '../../../src/store/sql/sqlite/open.ts'
import { openSqliteQueues } from '../../../src/store/sql/sqlite/queues.ts'
import { type Target, unvetted, type Vetting } from '../../../src/targets/target.ts'
import { LONG_MS } from '../../patience.ts'
import { freshDirectory } from '../../store/fresh_directory.ts'
import { assertDeclared } from './declared.ts'

export interface Parts {
  readonly plans?: Record<string, Allowance>
  readonly checker?: Checker
  readonly limits?: Partial<ServerLimits>
  readonly conditions?: readonly HealthCondition[]
  readonly cors_origins?: readonly string[]
  readonly vetting?: Partial<Vetting>
  readonly client_address?: AddressDetail
  readonly concurrency?: number
  readonly wait_ms?: number
  readonly target_wait_ms?: number
  readonly deadline_ms?: number
  readonly perKey?: number
  readonly claimLimits?: Partial<ClaimLimits>
  readonly bursts?: CallersOptions['bursts']
  readonly trusted?: readonly string[]
  readonly metrics?: AppOptions['metrics']
  readonly pages?: WebPages
  readonly watch?: SectionWatch['watch']
  readonly cache?: LocalResultCache
  readonly cache_urls?: boolean
  /** Keeps results. */
  readonly history?: HistoryLimits
  readonly public_url?: string
  readonly tlp?: AppOptions['tlp']
  readonly politeness?: AppOptions['politeness']
  readonly watching?: AppOptions['watching']
  readonly looking?: AppOptions['looking']
  readonly described?: AppOptions['described']
  /** The pictures that a check has taken, by their SHA-256. */
  readonly picture?: AppOptions['picture']
  readonly render_price?: number
  /** There are jobs, which run at once. */
  readonly jobs?: Partial<JobLimits> & { readonly most?: number }
  readonly reportOf?: AppOptions['reportOf']
  /** Wraps the store, for example to make it fail. */
  readonly store?: (store: Store) => Store
  /** Opens the database; a new file by default. */
  readonly open?: () => Promise<Database>
  /** Wall clock in milliseconds. */
  readonly now?: () => number
  readonly monotonic?: () => number
  readonly arrived?: (what: Arrival) => void
}

export interface Store {
  readonly database: Database
  readonly keys: Keys
  readonly quota: Quota
  readonly results: Results
}

export interface Service {
  readonly port: number
  readonly store: Store
  /** A valid key with the plan `startup`. */
  readonly key: string
  /** Targets that the engine was asked to check, in order. */
  readonly checked: Target[]
  /** Checks that wait for a busy target. */
  waiting(): number
  /** Requests so far that started or joined an analysis. */
  joined(): number
  /** Log lines so far. */
  lines(): Record<string, unknown>[]
  /** Sends the key unless the headers are given. What answers must be what the operation declares. */
  get(path: string, init?: RequestInit): Promise<Response>
  drain(): Promise<void>
}

/** For tests of other things. */
const unlimited: ClaimLimits = {
  at_once: 1e6,
  per_second: 1e6,
  waiting: mostWaiting(1e6),
  key_at_once: 20,
  key_per_second: 1e6,
}

/** Keeps all results, whenever they say that they were checked. */
export const KEEP_ALL: HistoryLimits = {
  life_ms: Number.MAX_SAFE_INTEGER,
  met_ms: Number.MAX_SAFE_INTEGER,
  octets: 1e9,
  targets: MET_TARGETS,
}

/** A cache that no result is served from. */
export const noCache = (): LocalResultCache =>
  createResultCache({ lives_ms: { complete: 0, not_found: 0, withheld: 0, incomplete: 0 }, stale_ms: 0 })

/** Makes every statement fail that needs this table. */
export async function dropTable({ database }: Pick<Store, 'database'>, table: keyof Schema): Promise<void> {
  await database.transaction(change => sql`DROP TABLE ${sql.table(table)}`.execute(change))
}

export const result = { result_id: null, domain: 'example.com', risk_score: 3, text: 'caf\u00e9' }

/** What ends a service: a test, or the suite that it is shared in. */
type Owner = Pick<TestContext, 'after'>

/** One service for all tests of the suite that calls this. */
export function serviceOfSuite(parts: Parts = {}): () => Service {
  const ends: (() => unknown)[] = []
  let service: Service | undefined
  before(async () => {
    service = await startService({ after: end => void ends.push(end as () => unknown) }, parts)
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (service === undefined) throw new Error('the service is not started')
    return service
  }
}

export async function startService(t: Owner, parts: Parts = {}): Promise<Service> {
  const now = parts.now ?? Date.now
  const directory = freshDirectory(t)
  mkdirSync(directory, { mode: 0o700 })
  const patience_ms = PATIENCE_MS.command
  const database = await (parts.open?.() ?? openSqlite({ directory, patience_ms }))
  const keys = createKeys(database, { prefix: 'assay', grace_ms: 86_400_000, now })
  const results = await createResults(database, {
    local: parts.cache ?? createResultCache(),
    stale_ms: resultCacheDefaults.stale_ms,
    history: parts.history ?? null,
    cache_octets: 1e9,
    now,
    event: () => {},
  })
  const store = { database, keys, quota: createQuota(database, now), results }
  const { text: key } = await store.keys.create({ plan: 'startup', label: 'test' })
  const written: string[] = []
  const log = createLog('info', { write: line => written.push(line) })
  const clock = { now, monotonic: parts.monotonic ?? (() => performance.now()) }
  const checked: Target[] = []
  const limits = {
    ...unlimited,
    key_at_once: parts.perKey ?? 20,
    ...(parts.claimLimits?.per_second !== undefined && { waiting: mostWaiting(parts.claimLimits.per_second) }),
    ...parts.claimLimits,
  }
  const gate = createGate({
    limit: parts.concurrency ?? 16,
    deadline_ms: parts.deadline_ms ?? LONG_MS,
    monotonic: clock.monotonic,
    ...(parts.wait_ms !== undefined && { settings: { wait_ms: parts.wait_ms } }),
  })
  const claims = await openSqliteClaims({
    directory,
    database,
    owner: 'test',
    limits,
    patience_ms,
    ...(parts.monotonic && { now: parts.monotonic }),
  })
  const turns = new ClaimedTurns<ServedResult>({
    claims,
    monotonic: clock.monotonic,
    ...(parts.target_wait_ms !== undefined && { wait_ms: parts.target_wait_ms }),
  })
  let joined = 0
  const checker = parts.checker ?? { check: async () => ({ result, class: 'complete' as const }) }
  const addressOf = createClientAddress(parts.trusted ?? [])
  const clientOf = (request: Sender) => logAddress(addressOf(request), parts.client_address ?? 'none')
  const options: AppOptions = {
    store: parts.store?.(store) ?? store,
    plans: parts.plans ?? { startup: { quota: 10_000, period: 'month' } },
    checker: {
      check(target, options) {
        checked.push(target)
        return checker.check(target, options)
      },
    },
    results,
    claims,
    turns: {
      has: flight => turns.has(flight),
      run(...run) {
        joined += 1
        return turns.run(...run)
      },
    },
    gate,
    keeps_history: parts.history !== undefined,
    addressOf,
    clientOf,
    ...(parts.cors_origins && { cors_origins: parts.cors_origins }),
    ...(parts.bursts && { bursts: parts.bursts }),
    ...(parts.metrics && { metrics: parts.metrics, onCount: parts.metrics.of.answered }),
    policy: 'test',
    vetting: { ...unvetted, ...parts.vetting },
    openapi: () => Buffer.from('{"openapi":"3.1.0"}'),
    conditions: parts.conditions ?? [],
    ...(parts.pages && { pages: parts.pages }),
    ...(parts.watch && { watch: parts.watch }),
    ...(parts.cache_urls !== undefined && { cache_urls: parts.cache_urls }),
    history: parts.history === undefined ? null : results,
    public_url: parts.public_url ?? null,
    tlp: parts.tlp ?? null,
    ...(parts.politeness && { politeness: parts.politeness }),
    ...(parts.watching && { watching: parts.watching }),
    ...(parts.looking && { looking: parts.looking }),
    ...(parts.described && { described: parts.described }),
    ...(parts.reportOf && { reportOf: parts.reportOf }),
    ...(parts.picture && { picture: parts.picture }),
    ...(parts.render_price && { render_price: parts.render_price }),
    log,
    clock,
  }
  const jobbing = jobbingOf(t, parts, options, store)
  const app = createApp({ ...options, ...(jobbing && { jobbing }) })
  const server = createServer({
    handle: app,
    log,
    clientOf,
    clock,
    limits: { linger_ms: 50, ...parts.limits },
    ...(parts.arrived && { onArrival: parts.arrived }),
  })
  const { port } = await server.listen(0, '127.0.0.1')
  t.after(async () => {
    await server.drain()
    await turns.close()
    await store.quota.drain()
    await Promise.all([results.close(), keys.close(), claims.close()])
    await database.close()
  })
  return {
    port,
    store,
    key,
    checked,
    waiting: () => turns.figures().waiting,
    joined: () => joined,
    lines: () => written.map(line => JSON.parse(line)),
    async get(path, { headers, ...init } = {}) {
      const url = `http://127.0.0.1:${port}${path}`
      const response = await fetch(url, { ...init, headers: headers ?? { 'X-API-Key': key } })
      await assertDeclared(init.method ?? 'GET', path, response)
      return response
    },
    drain: server.drain,
  }
}

/** Runs the jobs of a store with the answers of the service. */
function jobbingOf(
  t: Owner,
  { jobs }: Parts,
  options: AppOptions,
  { database, keys }: Pick<Store, 'database' | 'keys'>,
): Jobbing | null {
  if (jobs === undefined) return null
  const { vetting, clock, log, politeness = POLITE } = options
  const answers = createAnswers({ ...options, callers: createCallers(options) })
  const life_ms = jobs.life_ms ?? 86_400_000
  const store = createJobs(database, { now: clock.now, life_ms, octets: jobs.octets ?? 1e9 })
  const failed = (error: unknown) => log.error({ job: 'store-failed', error: String(error) })
  const queues = openSqliteQueues(database, { now: clock.now, onFailure: failed, limits: { look_ms: 10 } })
  const ask = createJobAnswers({ answers: () => answers, keys, log, clock })
  const { wake } = startJobWork({ store, queues, vetting, politeness, clock, ask })
  t.after(() => queues.close())
  return { store, wake, most: jobs.most ?? 10, life_ms }
}

/** Sends octets unchanged and returns everything until the server closes. */
export async function exchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await dial(port)
  let received = ''
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
  })
  for (const part of parts) socket.write(part)
  // `once` of node:events would reject at a reset, which may follow the answer.
  await new Promise(resolve => socket.once('close', resolve))
  return received
}

/** Time limit for a service on a busy machine: a service that never closes a connection fails the test. */
const SILENCE_MS = 30_000

/** A connection that tolerates a reset. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

export async function eventually(holds: () => boolean, within_ms = 60_000): Promise<void> {
  const end = performance.now() + within_ms
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not so within ${within_ms} ms: ${holds}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
