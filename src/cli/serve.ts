// `assay serve`: the service, from its configuration to its shutdown.

import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { releaseOnError } from '../base/errors.ts'
import { createLog, describeError, foldRepeats } from '../service/api/log.ts'
import { createLogOutput } from '../service/api/log_output.ts'
import { createMetrics } from '../service/api/metrics.ts'
import { createSectionWatch } from '../service/api/progress.ts'
import { logInstruments, outageText } from '../service/readiness.ts'
import { type Api, createApi } from '../service/serve_api.ts'
import { createService, disclosures, type ServiceOptions } from '../service/service.ts'
import type { Backend } from '../store/backend.ts'
import { historyTarget } from '../store/history.ts'
import { lockStore, openBackend } from '../store/open_backend.ts'
import { defectLog } from './defects.ts'
import { heldPlanFaults, heldPlanFaultsBeside } from './held_plans.ts'
import { keepCurrent, keepFresh } from './keep_fresh.ts'
import { listen, listenForMetrics, SERVICE_ADVICE, startupBanner } from './listening.ts'
import { openTracing } from './open_tracing.ts'
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
import { drainDelay, reloadOnHangUp, shutdownOnSignal } from './service_signals.ts'
import { outliveStrays } from './signals.ts'

/** Milliseconds for a slow reader of the log to take the last lines. */
const LAST_LINES_MS = 500

export function defineServe(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('--host <address>', 'address to listen on (or ASSAY_HOST); 127.0.0.1 by default, 0.0.0.0 for all')
    .option('--port <number>', 'port to listen on (or PORT); 0 takes any free one')
    .option(
      '--workers <n|auto>',
      'processes that share the port (or ASSAY_WORKERS); 1 by default, auto for one per core',
    )
    .action(async (options: SharedOptions) => {
      const more: MoreFaults = async (config, faults) => (faults.length > 0 ? heldPlanFaultsBeside(config, faults) : [])
      const setting = await settle(options, more)
      const { workers } = setting.config.server
      const count = workers === 'auto' ? availableParallelism() : workers
      if (count === 1) await serve(setting, {}, output)
      else await (await import('./serve_workers.ts')).serveWithWorkers(setting, count, output)
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

/** When a target was first checked here. */
export const historyOf = ({ keeps_history, results }: Pick<Backend, 'keeps_history' | 'results'>) =>
  keeps_history
    ? { firstSeen: (target: Parameters<typeof historyTarget>[0]) => results.firstSeen(historyTarget(target)) }
    : null

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
  const metrics = createMetrics(config.metrics)
  const sections = createSectionWatch()
  const tracing = await openTracing(config.telemetry.traces, log)
  const lock = await lockStore(config)
  const { store, service } = await releaseOnError(registry.close, async () => {
    const untraced = await openBackend(config, systemClock, (level, event) => log[level](event))
    const store = tracing?.store(untraced) ?? untraced
    const extensions = [defectLog(log), sections.extension, metrics.extension, ...(tracing ? [tracing.extension] : [])]
    const observed = tracing ? { observed: tracing.network } : {}
    const history = historyOf(store)
    const { extra_roots } = environment
    const service = await releaseOnError(
      () => store.close(),
      async () => {
        requireSound(await heldPlanFaults(store.keys, config.plans))
        const known = { upstream_state: store.upstreams, history, extra_roots, extensions }
        return createService({ config, registry, ...known, ...observed, ...parts })
      },
    )
    return { store, service }
  })
  const proved = service.prove()
  // No answer without what is on disk.
  await service.datasets.load()
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
  const delay_ms = drainDelay(config.server)
  const close = async () => {
    stopLooking()
    await api.drain(delay_ms)
    current.close()
    await service.close()
    await store.close()
    lock.release()
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
    for (const notice of disclosures(config, next.registry)) everything.warn({ notice })
  }
  try {
    const url = await listen(api.server, config.server, SERVICE_ADVICE)
    const retune = () => api.retune({ ...service.retune(tuning, current), plans: tuning.plans, registry: current })
    void keepCurrent(service, log, retune).then(() => {
      keepFresh(service, log)
      api.startRunners()
    })
    const operators = config.metrics.expose === 'port' ? await listenForMetrics(api.operatorServer, config) : null
    for (const notice of service.notices) log.warn({ notice })
    const banner = await startupBanner(store, config, url, example)
    // Before the start is announced, because a signal may follow at once.
    const ofPlans: MoreFaults = async ({ plans }, faults) =>
      faults.some(({ path }) => /^(?:$|plans(?:$|\.))/.test(path)) ? [] : heldPlanFaults(store.keys, plans)
    reloadOnHangUp(setting, adopt, ofPlans, everything)
    shutdownOnSignal(close, log, delay_ms)
    outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
    if (operators !== null) {
      if ('url' in operators) log.info({ metrics: operators.url })
      else log.warn({ notice: operators.notice })
    }
    log.info({ listening: url })
    output.err(banner)
    void proved.then(() => {
      stopLooking = logInstruments(service, everything)
      output.err(outageText(service))
    })
  } catch (error) {
    await close()
    throw error
  }
  return api
}
