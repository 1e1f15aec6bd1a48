// `assay serve`: the service, from its configuration to its shutdown.

import { basename } from 'node:path'
import type { Command } from 'commander'
import { createLog, describeError, foldRepeats, type Log } from '../api/log.ts'
import { createLogOutput } from '../api/log_output.ts'
import { createMetrics } from '../api/metrics.ts'
import { createSectionWatch } from '../api/progress.ts'
import type { ApiServer } from '../api/server.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { faultLine } from '../engine/fault.ts'
import type { Extension } from '../engine/plugin.ts'
import { releaseOnError } from '../errors.ts'
import { type CheckService, createService, disclosures, type ServiceOptions } from '../service.ts'
import type { Backend } from '../store/backend.ts'
import { openBackend } from '../store/open_backend.ts'
import { type IssuedKey, type Store, StoreError } from '../store/store.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { type Api, createApi } from './api.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { heldPlanFaults, heldPlanFaultsBeside } from './held_plans.ts'
import {
  configOption,
  dataOption,
  type MoreFaults,
  requireSound,
  type Setting,
  type SharedOptions,
  settle,
} from './options.ts'
import { type Output, terminal } from './output.ts'
import { logInstruments, outageSentences } from './readiness.ts'
import { reloadOnHangUp, shutdownOnSignal } from './service_signals.ts'
import { outliveStrays } from './signals.ts'

/** The text at the start: where the service listens and, once for each store, the first API key with a request for `example`. */
async function startupBanner({ keys }: Store, { plans }: Config, url: string, example: string): Promise<string> {
  const lines = [`assay listens on ${url}`]
  const [plan] = Object.keys(plans)
  const first = plan === undefined ? null : await firstKey(keys, plan)
  if (first !== null) {
    const { text } = first
    lines.push(
      '',
      `Your first API key (plan ${plan}), shown only once:`,
      '',
      `  ${text}`,
      '',
      'Try it:',
      '',
      `  curl -s -H 'X-API-Key: ${text}' '${url}/api/v1/check?domain=${example}'`,
      '',
      'Or open it in a browser, with the same key:',
      '',
      `  ${url}/#${example}`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

/** Null also while the store is unavailable, because it may contain keys. */
async function firstKey(keys: Store['keys'], plan: string): Promise<IssuedKey | null> {
  try {
    return await keys.createFirst({ plan, label: 'first key' })
  } catch (error) {
    if (error instanceof StoreError && error.code === 'key_store_error') return null
    throw error
  }
}

/**
 * Starts the scheduled refreshes when the copies on disk are read, so that nothing is fetched twice. Calls `onLists` when a list
 * of the operator has changed. Never rejects.
 */
async function keepFresh(service: CheckService, log: Log, onLists: () => void): Promise<void> {
  service.operator_lists.start(({ file, entries, faults }) => {
    const list = basename(file)
    if (faults.length > 0) log.warn({ list, refused: faults.slice(0, LIST_FAULTS), entries })
    else log.info({ list, entries })
    onLists()
  })
  await service.start()
  service.datasets.start((dataset, outcome) => {
    if (outcome.status === 'failed') log.warn({ dataset, failed: outcome.reason })
    else log.info({ dataset, status: outcome.status })
  })
}

/** Faults of a replaced list in one log line. */
const LIST_FAULTS = 5

/** Milliseconds for a slow reader of the log to take the last lines. */
const LAST_LINES_MS = 500

export function defineServe(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('--host <address>', 'address to listen on (or ASSAY_HOST); 127.0.0.1 by default, 0.0.0.0 for all')
    .option('--port <number>', 'port to listen on (or PORT); 0 takes any free one')
    .action(async (options: SharedOptions) => {
      const more: MoreFaults = async (config, faults) => (faults.length > 0 ? heldPlanFaultsBeside(config, faults) : [])
      await serve(await settle(options, more), {}, output)
      // A signal ends the service.
      await new Promise(() => {})
    })
}

/** What a lab replaces. */
interface ServeParts extends Pick<ServiceOptions, 'dial' | 'extra_roots'> {
  /** The target of the example request. */
  readonly example?: string
}

/** Every resolver knows it (RFC 2606). */
const EXAMPLE = 'example.com'

/** Starts the service; signals of the process shut it down. */
export async function serve(
  setting: Setting,
  { example = EXAMPLE, ...parts }: ServeParts = {},
  output: Output = terminal,
): Promise<Api> {
  const { config, registry, environment } = setting
  const lines = createLogOutput({ resumed: dropped => log.error({ dropped_lines: dropped }) })
  const everything = createLog(config.log.level, lines)
  const log = foldRepeats(everything)
  process.once('exit', lines.end)
  const metrics = createMetrics()
  const sections = createSectionWatch()
  const tracing = await openTracing(config.telemetry.traces, log)
  let plans = config.plans
  let opened: Backend | null = null
  const logHeldPlans = async () => {
    const faults = opened === null ? [] : await heldPlanFaults(opened.keys, plans)
    for (const fault of faults) log.error({ store: 'plan-missing', fault: faultLine(fault) })
  }
  const { store, service } = await releaseOnError(registry.close, async () => {
    const untraced = await openBackend(config, systemClock, (level, event) => {
      log[level](event)
      // The store may have been unavailable when the configuration was checked against it.
      if (event['store'] === 'redis-reached') void logHeldPlans()
    })
    const store = tracing?.store(untraced) ?? untraced
    opened = store
    const extensions = [defectLog(log), sections.extension, metrics.extension, ...(tracing ? [tracing.extension] : [])]
    const observed = tracing ? { observed: tracing.network } : {}
    const { upstreams: upstream_state } = store
    const { extra_roots } = environment
    const service = await releaseOnError(
      () => store.close(),
      async () => {
        requireSound(await heldPlanFaults(store.keys, config.plans))
        return createService({ config, registry, upstream_state, extra_roots, extensions, ...observed, ...parts })
      },
    )
    return { store, service }
  })
  const api = createApi({
    config,
    registry,
    service,
    store,
    metrics,
    log,
    output: lines,
    watch: sections.watch,
    ...(tracing && { observed: tracing.request }),
  })
  let current = registry
  let tuning = config
  let stopLooking = () => {}
  const close = async () => {
    stopLooking()
    await api.drain()
    current.close()
    await service.close()
    await store.close()
    await tracing?.close()
    log.flush()
    await lines.written(LAST_LINES_MS)
  }
  const adopt = (next: Setting) => {
    try {
      api.retune({ ...service.retune(next.config, next.registry), plans: next.config.plans, registry: next.registry })
    } catch (error) {
      next.registry.close()
      throw error
    }
    // No check that uses the old registry runs longer.
    setTimeout(current.close, config.check.deadline_ms).unref()
    current = next.registry
    tuning = next.config
    plans = next.config.plans
    for (const notice of disclosures(config, next.registry)) everything.warn({ notice })
  }
  try {
    const url = await listen(api.server, config.server, SERVICE_ADVICE)
    const proved = service.prove()
    const fresh = keepFresh(service, log, () =>
      api.retune({ ...service.retune(tuning, current), plans, registry: current }),
    )
    void fresh.then(api.startWatches)
    const operators = config.metrics.expose === 'port' ? await listenForMetrics(api.operatorServer, config) : null
    for (const notice of service.notices) log.warn({ notice })
    const banner = await startupBanner(store, config, url, example)
    // Before the start is announced, because a signal may follow at once.
    const ofPlans: MoreFaults = async ({ plans }, faults) =>
      faults.some(({ path }) => /^(?:$|plans(?:$|\.))/.test(path)) ? [] : heldPlanFaults(store.keys, plans)
    reloadOnHangUp(setting, adopt, ofPlans, everything)
    shutdownOnSignal(close, log, config.server.drain_delay_ms)
    outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
    if (operators !== null) {
      if ('url' in operators) log.info({ metrics: operators.url })
      else log.warn({ notice: operators.notice })
    }
    log.info({ listening: url })
    output.err(banner)
    void proved.then(() => {
      stopLooking = logInstruments(service, everything)
      output.err(outageSentences(service).map(withDemo).join(''))
    })
  } catch (error) {
    await close()
    throw error
  }
  return api
}

/** Loads OpenTelemetry only when an endpoint is configured: without one it costs neither memory nor time. */
async function openTracing(config: Config['telemetry']['traces'], log: Log): Promise<Tracing | null> {
  const { endpoint } = config
  if (endpoint === null) return null
  const { createTracing } = await import('../telemetry/tracing.ts')
  return createTracing({ ...config, endpoint }, why => log.warn({ telemetry: 'traces-not-exported', why }))
}

/** A machine without internet access is usually somebody's first try. */
const withDemo = (sentence: string): string =>
  `\n${sentence} Until then checks are answered with 503. To try assay without a network, run: npm run demo\n`

interface Place {
  readonly host: string
  readonly port: number
}

/** Rejects with an error whose message ends with `advice`. */
async function listen(server: ApiServer, { host, port }: Place, advice: string): Promise<string> {
  try {
    const bound = await server.listen(port, host)
    const name = bound.address.includes(':') ? `[${bound.address}]` : bound.address
    return `http://${name.replace(/^(0\.0\.0\.0|\[::\])$/, '127.0.0.1')}:${bound.port}`
  } catch (error) {
    const { code = '', message = String(error) } = error as NodeJS.ErrnoException
    throw new CliError(EXIT.unavailable, `Cannot listen on ${host} port ${port}: ${causes[code] ?? message}. ${advice}`)
  }
}

const causes: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses that port',
  EACCES: 'this user is not allowed to use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
}

const SERVICE_ADVICE = 'Choose another with --port and --host, or `server` in the configuration.'
const METRICS_ADVICE =
  'Choose another with `metrics` in the configuration, or switch them off: {"metrics":{"expose":"off"}}.'

/** The default metrics port is this far above the port of the service, so that several instances do not collide. */
const METRICS_OFFSET = 1_000
const HIGHEST_PORT = 65_535

function metricsPort(service: number): number {
  if (service === 0) return 0
  return service + METRICS_OFFSET <= HIGHEST_PORT ? service + METRICS_OFFSET : service - METRICS_OFFSET
}

/** When the default metrics port is taken, the service starts without it, and `notice` says so. */
async function listenForMetrics(server: ApiServer, config: Config): Promise<{ url: string } | { notice: string }> {
  const { host, port } = config.metrics
  const place = { host, port: port ?? metricsPort(config.server.port) }
  try {
    return { url: await listen(server, place, METRICS_ADVICE) }
  } catch (error) {
    if (port !== null || !(error instanceof CliError)) throw error
    return { notice: `metrics: not served. ${error.message}` }
  }
}

/** Logs every defect of every check when the check has settled; clients learn nothing of it. */
export const defectLog = (log: Log): Extension => ({
  name: 'defect_log',
  description: 'Logs what failed during a check.',
  apply(hooks) {
    hooks.settled.tap('defect_log', ({ analysis: { target, defects } }) => {
      for (const { plugin, stage, error } of defects) {
        log.error({ plugin, stage, target: target.domain ?? target.ip, error: describeError(error) })
      }
    })
  },
})
