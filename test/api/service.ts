// The HTTP API on a loopback port, with the embedded store and a fake engine.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createAdmission } from '../../src/api/admission.ts'
import { type Checker, createAnswers } from '../../src/api/answers.ts'
import { type AppOptions, createApp } from '../../src/api/app.ts'
import { type CallersOptions, createCallers } from '../../src/api/callers.ts'
import { type AddressDetail, createClientAddress, logAddress, type Sender } from '../../src/api/client_address.ts'
import type { Condition } from '../../src/api/health.ts'
import { createJobAnswers } from '../../src/api/job_answers.ts'
import type { Jobbing } from '../../src/api/jobs.ts'
import { type CheckLimits, createGate } from '../../src/api/limits.ts'
import { createLog } from '../../src/api/log.ts'
import type { SectionWatch } from '../../src/api/progress.ts'
import { type Arrival, createServer, type ServerLimits } from '../../src/api/server.ts'
import type { WebPages } from '../../src/api/web.ts'
import { POLITE } from '../../src/bulk/polite_queue.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { singleFlight } from '../../src/single_flight.ts'
import { openStore } from '../../src/store/embedded/embedded_store.ts'
import type { History } from '../../src/store/history.ts'
import type { JobStore } from '../../src/store/jobs.ts'
import type { Allowance } from '../../src/store/quota_rule.ts'
import { createResultCache, type ResultCache } from '../../src/store/result_cache.ts'
import type { Store } from '../../src/store/store.ts'
import { createLocalTargetShare } from '../../src/store/target_share.ts'
import { type Target, unvetted, type Vetting } from '../../src/targets/target.ts'
import { freshDirectory } from '../store/fresh_directory.ts'

export interface Parts {
  readonly plans?: Record<string, Allowance>
  readonly checker?: Checker
  readonly limits?: Partial<ServerLimits>
  readonly conditions?: readonly Condition[]
  readonly cors_origins?: readonly string[]
  readonly vetting?: Partial<Vetting>
  readonly client_address?: AddressDetail
  readonly concurrency?: number
  readonly wait_ms?: number
  readonly target_wait_ms?: number
  readonly deadline_ms?: number
  readonly perKey?: number
  readonly checkLimits?: Partial<CheckLimits>
  readonly bursts?: CallersOptions['bursts']
  readonly trusted?: readonly string[]
  readonly metrics?: AppOptions['metrics']
  readonly pages?: WebPages
  readonly watch?: SectionWatch['watch']
  readonly cache?: ResultCache
  readonly cache_urls?: boolean
  /** Keeps results. */
  readonly history?: History
  readonly public_url?: string
  readonly tlp?: AppOptions['tlp']
  readonly politeness?: AppOptions['politeness']
  readonly watching?: AppOptions['watching']
  readonly described?: AppOptions['described']
  /** Where jobs are stored; they run at once. */
  readonly jobs?: { readonly store: JobStore; readonly most?: number }
  readonly reportOf?: AppOptions['reportOf']
  /** Wraps the store, for example to make it fail. */
  readonly store?: (store: Store) => Store
  /** Wall clock in milliseconds. */
  readonly now?: () => number
  readonly monotonic?: () => number
  readonly arrived?: (what: Arrival) => void
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
  /** Sends the key unless the headers are given. */
  get(path: string, init?: RequestInit): Promise<Response>
  drain(): Promise<void>
}

/** For tests of other things. */
const unlimited: CheckLimits = { per_key: 20, per_key_per_second: 1e6, per_domain: 1e6, per_domain_per_second: 1e6 }

export const result = { result_id: null, domain: 'example.com', risk_score: 3, text: 'caf\u00e9' }

export async function startService(t: TestContext, parts: Parts = {}): Promise<Service> {
  const now = parts.now ?? Date.now
  const store = await openStore({ directory: freshDirectory(t), now })
  const { text: key } = await store.keys.create({ plan: 'startup', label: 'test' })
  const written: string[] = []
  const log = createLog('info', { write: line => written.push(line) })
  const clock = { now, monotonic: parts.monotonic ?? (() => performance.now()) }
  const checked: Target[] = []
  const admission = createAdmission({
    limit: parts.concurrency ?? 16,
    ...(parts.wait_ms !== undefined && { wait_ms: parts.wait_ms }),
  })
  const limits = { ...unlimited, per_key: parts.perKey ?? 20, ...parts.checkLimits }
  const gate = createGate({
    admission,
    limits,
    deadline_ms: parts.deadline_ms ?? 8_000,
    monotonic: clock.monotonic,
    share: createLocalTargetShare(clock.monotonic),
    ...(parts.target_wait_ms !== undefined && { target_wait_ms: parts.target_wait_ms }),
  })
  const flights = singleFlight<Buffer>()
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
    cache: parts.cache ?? createResultCache(),
    flights: {
      ...flights,
      run(...run) {
        joined += 1
        return flights.run(...run)
      },
    },
    gate,
    addressOf,
    clientOf,
    ...(parts.cors_origins && { cors_origins: parts.cors_origins }),
    ...(parts.bursts && { bursts: parts.bursts }),
    ...(parts.metrics && { metrics: parts.metrics, counted: parts.metrics.of.answered }),
    policy: 'test',
    vetting: { ...unvetted, ...parts.vetting },
    openapi: () => Buffer.from('{"openapi":"3.1.0"}'),
    conditions: parts.conditions ?? [],
    ...(parts.pages && { pages: parts.pages }),
    ...(parts.watch && { watch: parts.watch }),
    ...(parts.cache_urls !== undefined && { cache_urls: parts.cache_urls }),
    history: parts.history,
    public_url: parts.public_url ?? null,
    tlp: parts.tlp ?? null,
    ...(parts.politeness && { politeness: parts.politeness }),
    ...(parts.watching && { watching: parts.watching }),
    ...(parts.described && { described: parts.described }),
    ...(parts.reportOf && { reportOf: parts.reportOf }),
    log,
    clock,
  }
  const jobbing = jobbingOf(t, parts, options)
  const app = createApp({ ...options, ...(jobbing && { jobbing }) })
  const server = createServer({
    handle: app,
    log,
    clientOf,
    clock,
    limits: { linger_ms: 50, ...parts.limits },
    ...(parts.arrived && { arrived: parts.arrived }),
  })
  const { port } = await server.listen(0, '127.0.0.1')
  t.after(async () => {
    await server.drain()
    await store.close()
  })
  return {
    port,
    store,
    key,
    checked,
    waiting: () => gate.waiting,
    joined: () => joined,
    lines: () => written.map(line => JSON.parse(line)),
    get: (path, { headers, ...init } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: headers ?? { 'X-API-Key': key } }),
    drain: server.drain,
  }
}

/** Runs the jobs of a store with the answers of the service. */
function jobbingOf(t: TestContext, { jobs, history }: Parts, options: AppOptions): Jobbing | null {
  if (jobs === undefined) return null
  const { store, vetting, clock, log, politeness = POLITE } = options
  const answers = createAnswers({ ...options, history: history ?? null, callers: createCallers(options) })
  const runner = createJobRunner({
    ...{ store: jobs.store, vetting, politeness, clock, limits: { look_ms: 10 } },
    ask: createJobAnswers({ answers: () => answers, keys: store.keys, log, clock }),
    failed: error => log.error({ job: 'store-failed', error: String(error) }),
  })
  t.after(() => runner.close())
  return { store: jobs.store, runner, most: jobs.most ?? 10, life_ms: 86_400_000 }
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
