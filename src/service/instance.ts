// A process that serves, made of its configuration: its log, traces, store, checks and API. Checks alone are those of `createService`.
import { systemClock } from '../base/clock.ts'
import { releaseOnError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Extension } from '../engine/plugin.ts'
import type { Registry } from '../engine/registry.ts'
import type { Backend } from '../store/backend.ts'
import { historyTarget } from '../store/history.ts'
import { openBackend } from '../store/open_backend.ts'
import type { Target } from '../targets/target.ts'
import type { HealthCondition } from './api/health.ts'
import { createLog, describeError, foldRepeats, type Log } from './api/log.ts'
import { LogOutput } from './api/log_output.ts'
import { createMetrics, type Metrics } from './api/metrics.ts'
import { createSectionWatch } from './api/progress.ts'
import { Api } from './serve_api.ts'
import { createService, type ServiceOptions } from './service.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** The log of a process that serves. */
export type ServiceLog = ReturnType<typeof openServiceLog>

/** Milliseconds for a slow reader of the log to take the last lines. */
const LAST_LINES_MS = 500

/** `fields` are in every line. */
export function openServiceLog(level: Config['log']['level'], fields: Readonly<Record<string, unknown>> = {}) {
  const output = new LogOutput({ onResume: lineCount => log.error({ dropped_lines: lineCount }) })
  /** Folds nothing. */
  const everything = createLog(level, output, fields)
  /** Folds repeated lines into one. */
  const log = foldRepeats(everything)
  process.once('exit', () => output.end())
  return {
    log,
    everything,
    output,
    /** Writes the last lines, as far as their reader takes them. */
    async close() {
      log.flush()
      await output.written(LAST_LINES_MS)
    },
  }
}

/** What a lab replaces. */
export type LabParts = Pick<ServiceOptions, 'dial' | 'extra_roots'>

export interface InstanceOptions extends LabParts {
  readonly config: Config
  readonly registry: Registry
  readonly log: ServiceLog
  /** Rejects when this configuration must not serve this store. */
  readonly admit?: (store: Backend) => Promise<void>
  /** The text of `/metrics`; those of this process by default. */
  readonly metricsText?: Metrics['text']
  /** Conditions of readiness besides those of this process. */
  readonly conditions?: readonly HealthCondition[]
}

/**
 * A process that serves. It holds the store, the checks and the API, but no port. Resolves when what is on disk is read. Closes the registry when
 * it rejects.
 */
export async function openInstance(options: InstanceOptions) {
  const { config, log: serviceLog, admit, metricsText, conditions, dial, extra_roots } = options
  const { log, output } = serviceLog
  let { registry } = options
  let tuning = config
  const metrics = createMetrics(config.metrics)
  const sections = createSectionWatch()
  const tracing = await openTracing(config.telemetry.traces, log)
  const { store, service } = await releaseOnError(registry.close, async () => {
    const untracedBackend = await openBackend(config, systemClock, (level, event) => log[level](event))
    const store = tracing?.store(untracedBackend) ?? untracedBackend
    const open = async () => {
      await admit?.(store)
      return createService({
        config,
        registry,
        upstream_state: store.upstreams,
        history: historyOf(store),
        ...(dial && { dial }),
        ...(extra_roots !== undefined && { extra_roots }),
        extensions: [defectLog(log), sections.extension, metrics.extension, ...(tracing ? [tracing.extension] : [])],
        ...(tracing && { observed: tracing.network }),
      })
    }
    return { store, service: await releaseOnError(() => store.close(), open) }
  })
  /** Resolves when it is known whether checks can run. Never rejects. */
  const proof = service.prove()
  // No answer without what is on disk.
  await service.datasets.load()
  const api = new Api({
    config,
    registry,
    service,
    store,
    log,
    output,
    watch: sections.watch,
    metrics: metricsText ? { ...metrics, text: metricsText } : metrics,
    ...(conditions && { conditions }),
    ...(tracing && { observed: tracing.request }),
  })
  const retune = (next: Config, plugins: Registry) =>
    api.retune({ ...service.retune(next, plugins), plans: next.plans, registry: plugins })
  return {
    store,
    service,
    metrics,
    api,
    proof,
    /** Uses the lists of the operator as they are now. */
    refresh: () => retune(tuning, registry),
    /** Takes plans, weights and plugins of another configuration into use. Throws when an extension cannot be applied. */
    adopt(next: Config, plugins: Registry) {
      retune(next, plugins)
      // No check that uses the old registry runs longer.
      setTimeout(registry.close, config.check.deadline_ms).unref()
      registry = plugins
      tuning = next
    },
    /** Closes what the API stands on, which must be drained. */
    async close() {
      registry.close()
      await service.close()
      await store.close()
      await tracing?.close()
    },
  }
}

/** When a target was first checked here. */
export const historyOf = ({ keeps_history, results }: Pick<Backend, 'keeps_history' | 'results'>) =>
  keeps_history ? { firstSeen: (target: Target) => results.firstSeen(historyTarget(target)) } : null

/** Loads OpenTelemetry only when an endpoint is configured: without one it costs neither memory nor time. */
async function openTracing(config: Config['telemetry']['traces'], log: Log): Promise<Tracing | null> {
  const { endpoint } = config
  if (endpoint === null) return null
  const { createTracing } = await import('./telemetry/tracing.ts')
  return createTracing({ ...config, endpoint }, why => log.warn({ telemetry: 'traces-not-exported', why }))
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
