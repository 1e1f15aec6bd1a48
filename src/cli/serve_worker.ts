// One worker of `assay serve --workers N`: opens the store, and serves the port that it shares with the others.

import type { Command } from 'commander'
import { faultsText } from '../base/fault.ts'
import { describeError } from '../service/api/log.ts'
import { loadConfigured } from '../service/configured.ts'
import { type LabParts, openInstance, openServiceLog } from '../service/instance.ts'
import { keepCurrent, keepFresh, keepUp } from '../service/keep_fresh.ts'
import { logInstruments, outageText, workersCondition } from '../service/readiness.ts'
import type { Orders, PoolStanding, ToPrimary, ToWorker } from '../service/workers/messages.ts'
import { ALIVE_MS } from '../service/workers/pool.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { listen, SERVICE_ADVICE } from './listening.ts'
import { outliveStrays, releaseProcess } from './signals.ts'

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
export async function serveForPrimary(parts: LabParts = {}): Promise<void> {
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

async function openWorker({ number, config, base, extra_roots, speaks }: Orders, parts: LabParts): Promise<void> {
  const serviceLog = openServiceLog(config.log.level, { worker: number })
  const { log, everything } = serviceLog
  outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
  const registryResult = await loadConfigured({ config, faults: [], exposed: [] }, base)
  if (!registryResult.ok) throw new CliError(EXIT.config, faultsText(registryResult.faults))
  let standing: PoolStanding = { configured: 0, ready: 0, replaced: 0 }
  const ofAll: ((text: string) => void)[] = []
  const collectMetrics = () =>
    new Promise<string>(resolve => {
      ofAll.push(resolve)
      tell({ kind: 'collect' })
    })
  const instance = await openInstance({
    config,
    registry: registryResult.registry,
    log: serviceLog,
    extra_roots,
    ...parts,
    metricsText: collectMetrics,
    conditions: [workersCondition(() => standing)],
  })
  const { service, metrics, api, proof } = instance
  const current = keepCurrent(service, log, instance.refresh)
  const stopKeepingUp = keepUp(service)
  const stopLooking = proof.then(() => logInstruments(service, everything))
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
    await instance.close()
    await serviceLog.close()
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
  void current.then(() => api.startRunners())
  if (!speaks) return
  for (const notice of service.notices) log.warn({ notice })
  void proof.then(() => tell({ kind: 'say', text: outageText(service) }))
}
