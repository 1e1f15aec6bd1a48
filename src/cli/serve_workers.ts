// `assay serve --workers N`: the process that owns the port, the store and the workers. It serves no checks itself.

import { setTimeout as pause } from 'node:timers/promises'
import { createOperatorApp } from '../api/app.ts'
import { createClientAddress, logAddress } from '../api/client_address.ts'
import type { Condition } from '../api/health.ts'
import { createKeyLimits } from '../api/limits.ts'
import { createLog, describeError, foldRepeats } from '../api/log.ts'
import { createLogOutput } from '../api/log_output.ts'
import { combineMetrics, createOwnerMetrics, lastingMetrics } from '../api/metrics.ts'
import { createServer } from '../api/server.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { faultLine } from '../engine/fault.ts'
import type { Backend, StoreEvent } from '../store/backend.ts'
import { openBackend, openLocalBackend } from '../store/open_backend.ts'
import { createDoor } from '../workers/door.ts'
import { createPool, type Pool, WorkerFailure } from '../workers/pool.ts'
import { createStoreHost, type StoreHost } from '../workers/store_host.ts'
import { CliError } from './exit_codes.ts'
import { heldPlanFaults } from './held_plans.ts'
import { listen, listenForMetrics, SERVICE_ADVICE, startupBanner } from './listening.ts'
import { type MoreFaults, requireSound, type Setting } from './options.ts'
import type { Output } from './output.ts'
import { diskCondition, storeConditions, workersCondition } from './readiness.ts'
import { drainDelay, reloadOnHangUp, shutdownOnSignal } from './service_signals.ts'
import { outliveStrays } from './signals.ts'
import { letYoungGenerationGrow } from './young_generation.ts'

/** Settings that only this process applies, or that all processes must agree on: they need a restart. */
const OWNED = [
  'server',
  'data',
  'store',
  'check',
  'keys',
  'cache',
  'history',
  'watch',
  'jobs',
  'metrics',
  'log',
] as const
/** Settings that a reload applies besides the usual ones, because the workers are started again. */
const RESTARTED = [
  ...(['network', 'datasets', 'downloads', 'brands', 'blocklists'] as const),
  ...(['green_hosting', 'exchange', 'telemetry'] as const),
]

/** Milliseconds for a slow reader of the log to take the last lines. */
const LAST_LINES_MS = 500

/** The target of the example request: every resolver knows it (RFC 2606). */
const EXAMPLE = 'example.com'

/** This program, with another command. */
const WORKER = [process.argv[1] ?? '', 'serve-worker'] as const

/** Starts the service; signals of the process shut it down. `program` runs one worker; a lab has its own. */
export async function serveWithWorkers(
  setting: Setting,
  count: number,
  output: Output,
  program: readonly [module: string, ...args: string[]] = WORKER,
): Promise<void> {
  const { config, environment, base } = setting
  // The workers load the plugins themselves.
  setting.registry.close()
  const lines = createLogOutput({ resumed: dropped => log.error({ dropped_lines: dropped }) })
  const everything = createLog(config.log.level, lines)
  const log = foldRepeats(everything)
  process.once('exit', lines.end)
  let current = config
  let opened: Backend | null = null
  const logHeldPlans = async () => {
    const faults = opened === null ? [] : await heldPlanFaults(opened.keys, current.plans)
    for (const fault of faults) log.error({ store: 'plan-missing', fault: faultLine(fault) })
  }
  const { store, host } = await openStore(config, (level, event) => {
    log[level](event)
    // The store may have been unavailable when the configuration was checked against it.
    if (event['store'] === 'redis-reached') void logHeldPlans()
  })
  opened = store
  const door = createDoor()
  let draining = false
  const ownerMetrics = createOwnerMetrics(() => pool.standing())
  const metrics = async () => combineMetrics([await ownerMetrics.data(), ...(await pool.metrics())])
  const pool: Pool = createPool({
    count,
    door,
    host,
    program,
    orders: () => ({ config: shareOf(current, count), base, extra_roots: environment.extra_roots }),
    log,
    writeLog: lines.append,
    say: output.err,
    metrics,
    remains: lastingMetrics,
  })
  process.once('exit', pool.kill)
  const addressOf = createClientAddress(config.server.trusted_proxies)
  const operator = createServer({
    handle: createOperatorApp({
      metrics: { text: metrics, contentType: ownerMetrics.contentType },
      conditions: conditionsOf(pool, store, config.data, () => draining),
      log,
      clientOf: request => logAddress(addressOf(request), config.log.client_address),
      clock: systemClock,
    }),
    log,
    clock: systemClock,
  })
  const delay_ms = drainDelay(config.server)
  const close = async () => {
    draining = true
    pool.retire()
    await pause(delay_ms)
    await door.close()
    await pool.finish()
    await operator.drain()
    await store.close()
    log.flush()
    await lines.written(LAST_LINES_MS)
  }
  const adopt = async (next: Setting) => {
    next.registry.close()
    const before = current
    const owned = Object.fromEntries(OWNED.map(name => [name, config[name]]))
    current = { ...next.config, ...owned }
    try {
      await pool.restart()
    } catch (error) {
      current = before
      throw error
    }
  }
  try {
    requireSound(await heldPlanFaults(store.keys, config.plans))
    // Workers are ready when they have read what is on disk. Before that, nobody would answer.
    await pool.start().catch((error: unknown) => {
      throw error instanceof WorkerFailure ? new CliError(error.code, error.message) : error
    })
    const url = await listen(door, config.server, SERVICE_ADVICE)
    letYoungGenerationGrow()
    const operators = config.metrics.expose === 'port' ? await listenForMetrics(operator, config) : null
    const banner = await startupBanner(store, config, url, EXAMPLE)
    // Before the start is announced, because a signal may follow at once.
    const ofPlans: MoreFaults = async ({ plans }, faults) =>
      faults.some(({ path }) => /^(?:$|plans(?:$|\.))/.test(path)) ? [] : heldPlanFaults(store.keys, plans)
    reloadOnHangUp(setting, adopt, ofPlans, everything, RESTARTED)
    shutdownOnSignal(close, log, delay_ms)
    outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
    if (operators !== null) {
      if ('url' in operators) log.info({ metrics: operators.url })
      else log.warn({ notice: operators.notice })
    }
    log.info({ listening: url, workers: count })
    output.err(banner)
  } catch (error) {
    pool.kill()
    door.close()
    await store.close()
    throw error
  }
}

/** In Redis, the workers open the store themselves: what they share is there. */
async function openStore(config: Config, event: StoreEvent): Promise<{ store: Backend; host: StoreHost }> {
  const limits = createKeyLimits(config, systemClock.monotonic)
  if (config.store !== null) {
    return { store: await openBackend(config, systemClock, event), host: createStoreHost(null, limits, systemClock) }
  }
  const shared = { ...config, cache: { ...config.cache, max_bytes: Math.ceil(config.cache.max_bytes / 2) } }
  const store = await openLocalBackend(shared, systemClock, event)
  return { store, host: createStoreHost(store, limits, systemClock) }
}

/** The configuration of one worker: its part of what is set for the whole service. */
function shareOf(config: Config, count: number): Config {
  const { check, cache, store } = config
  // The other half is at the owner, for all of them.
  const parts = store === null ? 2 * count : count
  return {
    ...config,
    check: { ...check, concurrency: Math.ceil(check.concurrency / count) },
    cache: { ...cache, max_bytes: Math.ceil(cache.max_bytes / parts) },
  }
}

/** What the workers report about the instruments they share. */
const REPORTED = ['resolvers', 'way_out', 'instruments', 'datasets'] as const

/** The readiness of the service as a whole. */
function conditionsOf(pool: Pool, store: Backend, data: string, isDraining: () => boolean): readonly Condition[] {
  const worst = (kind: 'outages' | 'notes', name: string) => () =>
    pool.readiness().find(readiness => readiness[kind][name] !== undefined)?.[kind][name] ?? null
  const reported = (name: string): Condition => ({
    name,
    outage: worst('outages', name),
    note: worst('notes', name),
    facts: () => pool.readiness()[0]?.facts[name],
  })
  return [
    { name: 'serving', fault: () => (isDraining() ? 'draining' : null) },
    ...storeConditions(store),
    diskCondition(data),
    { ...workersCondition(pool.standing), fault: () => (pool.standing().ready === 0 ? 'none-ready' : null) },
    ...REPORTED.map(reported),
  ]
}
