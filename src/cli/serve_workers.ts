// `assay serve --workers N`: the process that starts the workers and keeps them running. It serves no checks itself.

import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { createOperatorApp } from '../service/api/app.ts'
import { createClientAddress, logAddress } from '../service/api/client_address.ts'
import type { HealthCondition } from '../service/api/health.ts'
import type { Log } from '../service/api/log.ts'
import { combineMetrics, createOwnerMetrics, lastingMetrics } from '../service/api/metrics.ts'
import { createServer } from '../service/api/server.ts'
import { openServiceLog } from '../service/instance.ts'
import { diskCondition, storeCondition, workersCondition } from '../service/readiness.ts'
import { WorkerFailure, WorkerPool } from '../service/workers/pool.ts'
import type { Backend } from '../store/backend.ts'
import { lockStore, openKeys, STORE_NEW } from '../store/open_backend.ts'
import { CliError } from './exit_codes.ts'
import { heldPlanFaults } from './held_plans.ts'
import { announceStart } from './listening.ts'
import { type LoadedSettings, requireSound } from './options.ts'
import type { Output } from './output.ts'
import { drainDelay } from './service_signals.ts'

/** Settings that only this process applies, or that all processes must agree on: they need a restart. */
const OWN_SETTINGS = [
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
const RESTART_SETTINGS = [
  ...(['network', 'datasets', 'downloads', 'brands', 'blocklists'] as const),
  ...(['green_hosting', 'exchange', 'telemetry'] as const),
]

/** This program, with another command. */
const WORKER = [process.argv[1] ?? '', 'serve-worker'] as const

/** Starts the service; signals of the process shut it down. `program` runs one worker; a lab has its own. */
export async function serveWithWorkers(
  setting: LoadedSettings,
  count: number,
  output: Output,
  program: readonly [module: string, ...args: string[]] = WORKER,
): Promise<void> {
  const { config, environment, base } = setting
  // The workers load the plugins themselves.
  setting.registry.close()
  const serviceLog = openServiceLog(config.log.level)
  const { log } = serviceLog
  let current = config
  const lock = await lockStore(config)
  const store = await openKeys(config, { create: true })
  if (store.is_new) log.warn(STORE_NEW)
  let draining = false
  const ownerMetrics = createOwnerMetrics(() => pool.standing())
  const metrics = async () => combineMetrics([await ownerMetrics.data(), ...(await pool.metrics())])
  const pool = new WorkerPool({
    count,
    program,
    orders: () => ({ config: shareOf(current, count), base, extra_roots: environment.extra_roots }),
    log,
    say: output.err,
    metrics,
    remains: lastingMetrics,
  })
  process.once('exit', () => pool.kill())
  const operator = operatorServer(
    config,
    log,
    { text: metrics, contentType: ownerMetrics.contentType },
    conditionsOf(pool, store, config.data, () => draining),
  )
  const delayMs = drainDelay(config.server)
  const close = async () => {
    draining = true
    pool.retire()
    await pause(delayMs)
    await pool.finish()
    await operator.drain()
    await store.close()
    lock.release()
    await serviceLog.close()
  }
  const adopt = async (next: LoadedSettings) => {
    next.registry.close()
    const before = current
    const ownSettings = Object.fromEntries(OWN_SETTINGS.map(name => [name, config[name]]))
    current = { ...next.config, ...ownSettings }
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
    const url = await pool.start().catch(failStart)
    await announceStart({
      setting,
      url,
      store,
      log: serviceLog,
      output,
      operatorServer: operator,
      adopt,
      close,
      facts: { workers: count },
      adopts: RESTART_SETTINGS,
    })
  } catch (error) {
    pool.kill()
    await store.close()
    throw error
  }
}

function failStart(error: unknown): never {
  throw error instanceof WorkerFailure ? new CliError(error.code, error.message) : error
}

/** Answers an operator's probes and the collector of metrics. */
function operatorServer(
  config: Config,
  log: Log,
  metrics: Parameters<typeof createOperatorApp>[0]['metrics'],
  conditions: readonly HealthCondition[],
) {
  const addressOf = createClientAddress(config.server.trusted_proxies)
  const clientOf = (request: Parameters<typeof addressOf>[0]) =>
    logAddress(addressOf(request), config.log.client_address)
  return createServer({
    handle: createOperatorApp({ metrics, conditions, log, clientOf, clock: systemClock }),
    log,
    clock: systemClock,
  })
}

/** The configuration of one worker: its part of what is set for the whole service. */
function shareOf(config: Config, count: number): Config {
  const { check, cache } = config
  return {
    ...config,
    check: { ...check, concurrency: Math.ceil(check.concurrency / count) },
    cache: { ...cache, max_bytes: Math.ceil(cache.max_bytes / count) },
  }
}

/** What the workers report about the instruments they share. */
const WORKER_CONDITIONS = ['resolvers', 'way_out', 'instruments', 'datasets'] as const

/** The readiness of the service as a whole. */
function conditionsOf(
  pool: WorkerPool,
  store: Pick<Backend, 'fault'>,
  data: string,
  isDraining: () => boolean,
): readonly HealthCondition[] {
  const worst = (kind: 'outages' | 'notes', name: string) => () =>
    pool.readiness().find(readiness => readiness[kind][name] !== undefined)?.[kind][name] ?? null
  const conditionOf = (name: string): HealthCondition => ({
    name,
    outage: worst('outages', name),
    note: worst('notes', name),
    facts: () => pool.readiness()[0]?.facts[name],
  })
  return [
    { name: 'serving', fault: () => (isDraining() ? 'draining' : null) },
    storeCondition(store),
    diskCondition(data),
    { ...workersCondition(() => pool.standing()), fault: () => (pool.standing().ready === 0 ? 'none-ready' : null) },
    ...WORKER_CONDITIONS.map(conditionOf),
  ]
}
