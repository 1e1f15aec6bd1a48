// One worker of `assay serve --workers N`: opens the store, and serves the port that it shares with the others.

import type { Command } from 'commander'
import { builtInPlugins } from '../../plugins/index.ts'
import { systemClock } from '../base/clock.ts'
import { loadRegistry } from '../engine/plugins.ts'
import { createLog, describeError, foldRepeats } from '../service/api/log.ts'
import { createLogOutput } from '../service/api/log_output.ts'
import { createMetrics } from '../service/api/metrics.ts'
import { createSectionWatch } from '../service/api/progress.ts'
import { logInstruments, outageText, workersCondition } from '../service/readiness.ts'
import { createApi } from '../service/serve_api.ts'
import { createService, type ServiceOptions } from '../service/service.ts'
import type { Orders, Standing, ToPrimary, ToWorker } from '../service/workers/messages.ts'
import { ALIVE_MS } from '../service/workers/pool.ts'
import { openBackend } from '../store/open_backend.ts'
import { defectLog } from './defects.ts'
import { EXIT } from './exit_codes.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { keepCurrent, keepFresh, keepUp } from './keep_fresh.ts'
import { listen, SERVICE_ADVICE } from './listening.ts'
import { openTracing } from './open_tracing.ts'
import { requireSound } from './options.ts'
import { historyOf } from './serve.ts'
import { outliveStrays, releaseProcess } from './signals.ts'

/** What a lab replaces. */
export type WorkerParts = Pick<ServiceOptions, 'dial' | 'extra_roots'>

/** Milliseconds for a slow reader of the log to take the last lines. */
const LAST_LINES_MS = 500

export function defineServeWorker(command: Command): void {
  command.action(async () => {
    await serveForPrimary()
    // The primary ends this process.
    await new Promise(() => {})
  })
}

const tell = (message: ToPrimary): void => {
  // The channel is closed when the primary has ended.
  if (process.connected) process.send?.(message, () => {})
}

/** Serves what the primary orders. Throws when no primary started this process. */
export async function serveForPrimary(parts: WorkerParts = {}): Promise<void> {
  if (process.send === undefined) throw new Error('`serve-worker` is started by `serve --workers`.')
  // Signals of a terminal reach all processes, and the primary says what follows.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const) process.on(name, () => {})
  // Without its primary a worker has no port. Before the listener of `node:cluster`, which exits too and must not.
  process.prependOnceListener('disconnect', () => {
    releaseProcess()
    process.exit(EXIT.unavailable)
  })
  const orders = new Promise<Orders>(resolve => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'orders') resolve(message.orders)
    })
  })
  tell({ kind: 'waiting' })
  try {
    await openWorker(await orders, parts)
  } catch (error) {
    tell({ kind: 'failed', failure: { code: exitCodeOf(error), message: failureText(error) } })
  }
}

async function openWorker({ number, config, base, extra_roots, speaks }: Orders, parts: WorkerParts): Promise<void> {
  const lines = createLogOutput({ resumed: dropped => log.error({ dropped_lines: dropped }) })
  const everything = createLog(config.log.level, lines, { worker: number })
  const log = foldRepeats(everything)
  process.once('exit', lines.end)
  outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
  const { registry, faults } = await loadRegistry(builtInPlugins, config, base)
  requireSound(faults)
  const tracing = await openTracing(config.telemetry.traces, log)
  const untraced = await openBackend(config, systemClock, (level, event) => log[level](event))
  const store = tracing?.store(untraced) ?? untraced
  const metrics = createMetrics(config.metrics)
  const sections = createSectionWatch()
  const service = await createService({
    config,
    registry,
    upstream_state: store.upstreams,
    history: historyOf(store),
    extra_roots,
    extensions: [defectLog(log), sections.extension, metrics.extension, ...(tracing ? [tracing.extension] : [])],
    ...(tracing && { observed: tracing.network }),
    ...parts,
  })
  const proved = service.prove()
  // No answer without what is on disk.
  await service.datasets.load()
  let standing: Standing = { configured: 0, ready: 0, replaced: 0 }
  const ofAll: ((text: string) => void)[] = []
  const collected = () =>
    new Promise<string>(resolve => {
      ofAll.push(resolve)
      tell({ kind: 'collect' })
    })
  const api = createApi({
    ...{ config, registry, service, store, log, output: lines, watch: sections.watch },
    metrics: { ...metrics, text: collected },
    conditions: [workersCondition(() => standing)],
    ...(tracing && { observed: tracing.request }),
  })
  const current = keepCurrent(service, log, () =>
    api.retune({ ...service.retune(config, registry), plans: config.plans, registry }),
  )
  const stopKeepingUp = keepUp(service)
  const stopLooking = proved.then(() => logInstruments(service, everything))
  const report = async () => tell({ kind: 'alive', readiness: await api.readiness() })
  const alive = setInterval(() => void report(), ALIVE_MS).unref()

  function lead(): void {
    stopKeepingUp()
    void current.then(() => keepFresh(service, log, dataset => tell({ kind: 'refreshed', dataset })))
  }

  async function finish(): Promise<void> {
    clearInterval(alive)
    void stopLooking.then(stop => stop())
    await api.finish()
    await service.close()
    await store.close()
    await tracing?.close()
    log.flush()
    await lines.written(LAST_LINES_MS)
    releaseProcess()
    process.exit(EXIT.ok)
  }

  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'lead') lead()
    else if (message.kind === 'standing') standing = message.standing
    else if (message.kind === 'refreshed') void current.then(() => service.datasets.adopt(message.dataset))
    else if (message.kind === 'collect') tell({ kind: 'metrics', data: await metrics.data() })
    else if (message.kind === 'metrics') for (const resolve of ofAll.splice(0)) resolve(message.text)
    else if (message.kind === 'retire') api.retire(message.announced)
    else if (message.kind === 'finish') void finish()
  })
  tell({ kind: 'ready', url: await listen(api.server, config.server, SERVICE_ADVICE) })
  void current.then(api.startRunners)
  if (!speaks) return
  for (const notice of service.notices) log.warn({ notice })
  void proved.then(() => tell({ kind: 'say', text: outageText(service) }))
}
