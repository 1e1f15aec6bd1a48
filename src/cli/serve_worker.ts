// One worker of `assay serve --workers N`: serves the connections that the owner passes, with the store of the owner.

import type { Command } from 'commander'
import { builtInPlugins } from '../../plugins/index.ts'
import { createLog, describeError, foldRepeats } from '../api/log.ts'
import { createLogOutput, type Sink } from '../api/log_output.ts'
import { createMetrics } from '../api/metrics.ts'
import { createSectionWatch } from '../api/progress.ts'
import { systemClock } from '../clock.ts'
import { loadRegistry } from '../config/plugins.ts'
import { createService, type ServiceOptions } from '../service.ts'
import type { Backend, StoreEvent } from '../store/backend.ts'
import { openBackend, openLocalCache } from '../store/open_backend.ts'
import { createLinkedLimits } from '../workers/limits.ts'
import { openLinkedBackend } from '../workers/linked_backend.ts'
import { ALIVE_MS } from '../workers/pool.ts'
import type { Orders, Standing, WorkerMethods } from '../workers/protocol.ts'
import { createLinkedUpstreams } from '../workers/upstreams.ts'
import { linkToOwner, type OwnerLink } from '../workers/worker_link.ts'
import { createApi } from './api.ts'
import { defectLog } from './defects.ts'
import { EXIT } from './exit_codes.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { keepCurrent, keepFresh, keepUp } from './keep_fresh.ts'
import { openTracing } from './open_tracing.ts'
import { requireSound } from './options.ts'
import { logInstruments, outageText, workersCondition } from './readiness.ts'
import { outliveStrays, releaseProcess } from './signals.ts'
import { letYoungGenerationGrow } from './young_generation.ts'

export function defineServeWorker(command: Command): void {
  command.action(async () => {
    await serveForOwner()
    // The owner ends this process.
    await new Promise(() => {})
  })
}

/** What the owner may call before the service is open. */
interface Service {
  lead(): void
  adopt(dataset: string): void
  metrics(): ReturnType<WorkerMethods['metrics']>
  retire(announced: boolean): void
  finish(): Promise<void>
}

/** What a lab replaces. */
export type WorkerParts = Pick<ServiceOptions, 'dial' | 'extra_roots'>

export async function serveForOwner(parts: WorkerParts = {}): Promise<void> {
  let standing: Standing = { configured: 0, ready: 0, replaced: 0 }
  let service: Service | null = null
  const upstreams = createLinkedUpstreams(systemClock, () => owner.link)
  const owner = linkToOwner(
    {
      lead: () => service?.lead(),
      standing(next) {
        standing = next
      },
      refreshed: dataset => service?.adopt(dataset),
      metrics: async () => (await service?.metrics()) ?? [],
      retire: announced => service?.retire(announced),
      finish() {
        code = EXIT.ok
        void service?.finish()
      },
    },
    upstreams.methods,
  )
  // Without its owner a worker has neither port nor store.
  let code: number = EXIT.unavailable
  void owner.link.closed.then(() => {
    releaseProcess()
    process.exit(code)
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const) process.on(name, () => {})
  try {
    const orders = (await owner.owner.orders()) as Orders
    if (orders.store !== null) upstreams.adopt(orders.store.upstreams)
    service = await openWorker(owner, orders, upstreams.state, () => standing, parts)
    owner.link.tell('owner', 'ready')
  } catch (error) {
    code = exitCodeOf(error)
    owner.link.tell('owner', 'failed', { code, message: failureText(error) })
    owner.link.close()
  }
}

async function openWorker(
  { link, owner, serve }: OwnerLink,
  orders: Orders,
  upstreams: ReturnType<typeof createLinkedUpstreams>['state'],
  standing: () => Standing,
  parts: WorkerParts,
): Promise<Service> {
  const { number, config, base, extra_roots, speaks } = orders
  const sink: Sink = {
    write(octets, done) {
      link.tell('owner', 'log', octets, linesIn(octets))
      done(null)
    },
    end: octets => link.tell('owner', 'log', octets, linesIn(octets)),
  }
  const lines = createLogOutput({ sink })
  const everything = createLog(config.log.level, lines, { worker: number })
  const log = foldRepeats(everything)
  outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
  const { registry, faults } = await loadRegistry(builtInPlugins, config, base)
  requireSound(faults)
  const tracing = await openTracing(config.telemetry.traces, log)
  const untraced = await openStore(link, orders, upstreams, (level, event) => log[level](event))
  const store = tracing?.store(untraced) ?? untraced
  const metrics = createMetrics(config.metrics)
  const sections = createSectionWatch()
  const service = await createService({
    config,
    registry,
    board: { state: store.upstreams, slots: store.targets },
    history: store.history,
    extra_roots,
    extensions: [defectLog(log), sections.extension, metrics.extension, ...(tracing ? [tracing.extension] : [])],
    ...(tracing && { observed: tracing.network }),
    ...parts,
  })
  const proved = service.prove()
  // No answer without what is on disk.
  await service.datasets.load()
  const api = createApi({
    ...{ config, registry, service, store, log, output: lines, watch: sections.watch },
    metrics: { ...metrics, text: () => owner.metrics() },
    limits: createLinkedLimits(link, config.keys.requests_per_second),
    conditions: [workersCondition(standing)],
    ...(tracing && { observed: tracing.request }),
  })
  serve(api.server.take)
  const report = async () => link.tell('owner', 'alive', await api.readiness())
  const alive = setInterval(() => void report(), ALIVE_MS).unref()
  const current = keepCurrent(service, log, () =>
    api.retune({ ...service.retune(config, registry), plans: config.plans, registry }),
  )
  void current.then(letYoungGenerationGrow)
  const stopKeepingUp = keepUp(service)
  if (speaks) {
    for (const notice of service.notices) log.warn({ notice })
    void proved.then(() => link.tell('owner', 'say', outageText(service)))
  }
  const stopLooking = proved.then(() => logInstruments(service, everything))
  return {
    lead() {
      stopKeepingUp()
      void current.then(() => {
        keepFresh(service, log, dataset => link.tell('owner', 'refreshed', dataset))
        api.startRunners()
      })
    },
    adopt: dataset => void current.then(() => service.datasets.adopt(dataset)),
    metrics: metrics.data,
    retire: api.retire,
    async finish() {
      clearInterval(alive)
      void stopLooking.then(stop => stop())
      await api.finish()
      await service.close()
      await store.close()
      await tracing?.close()
      log.flush()
      lines.end()
      link.close()
    },
  }
}

function linesIn(octets: Buffer): number {
  let lines = 0
  for (let at = octets.indexOf(NEWLINE); at !== -1; at = octets.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

const NEWLINE = 10

/** The store of the owner, or the Redis that all instances share. */
async function openStore(
  link: OwnerLink['link'],
  { store, config }: Orders,
  upstreams: ReturnType<typeof createLinkedUpstreams>['state'],
  event: StoreEvent,
): Promise<Backend> {
  if (store === null) return openBackend(config, systemClock, event)
  return openLinkedBackend({
    link,
    greeting: store,
    upstreams,
    local: openLocalCache(config),
    clock: systemClock,
    event,
  })
}
