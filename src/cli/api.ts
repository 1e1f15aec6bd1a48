// The HTTP side of a running service, wired from its parts.
import { setTimeout as pause } from 'node:timers/promises'
import { createAdmission } from '../api/admission.ts'
import { createApp } from '../api/app.ts'
import { createBurst } from '../api/burst.ts'
import { createClientAddress } from '../api/client_address.ts'
import { createGate } from '../api/limits.ts'
import type { Log } from '../api/log.ts'
import type { LogOutput } from '../api/log_output.ts'
import type { Metrics } from '../api/metrics.ts'
import { describeApi } from '../api/openapi.ts'
import { createOperatorApp } from '../api/operator_app.ts'
import type { SectionWatch } from '../api/progress.ts'
import { type ApiServer, createServer } from '../api/server.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Registry } from '../engine/registry.ts'
import { resultSchema } from '../engine/result_schema.ts'
import type { CheckService, Tuned } from '../service.ts'
import type { Backend } from '../store/backend.ts'
import { datasetAges, datasetFigures } from './dataset_ages.ts'
import { pagesFor } from './pages.ts'
import { presentValues } from './present_values.ts'
import { resolverHonesty } from './resolver_honesty.ts'

export interface Api {
  readonly server: ApiServer
  /** Metrics and health on a port of their own. */
  readonly operatorServer: ApiServer
  /** Turns unready, waits for balancers to notice, then accepts nothing new and lets what is under way finish. */
  drain(): Promise<void>
  /** From the next request on; those under way end as they began. */
  retune(tuning: Tuning): void
}

/** What may change while the service runs. */
export interface Tuning extends Tuned {
  readonly plans: Config['plans']
  readonly registry: Registry
}

export interface ApiParts {
  readonly config: Config
  readonly registry: Registry
  readonly service: CheckService
  readonly store: Backend
  readonly metrics: Metrics
  readonly log: Log
  /** Where the log goes; nothing is dropped when absent. */
  readonly output?: Pick<LogOutput, 'dropped'>
  readonly watch?: SectionWatch['watch']
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

export function createApi({ config, registry, service, store, metrics, log, output, watch }: ApiParts): Api {
  const admission = createAdmission({ limit: config.check.concurrency })
  let draining = false
  const conditions = [
    { name: 'serving', fault: () => (draining ? 'draining' : null) },
    { name: 'store', fault: store.fault, note: store.note },
    resolverHonesty(service),
    datasetAges(service.datasets),
  ]
  metrics.read(presentValues({ admission, store, service, output, isDraining: () => draining }))
  metrics.readDatasets(datasetFigures(service.datasets))
  const common = {
    store,
    cache: store.cache,
    flights: store.flights,
    gate: createGate(admission, config.check, systemClock.monotonic, store.targets),
    deadline_ms: config.check.deadline_ms,
    bursts: {
      failures: createBurst(config.server.failed_keys_per_minute, MINUTE_MS, systemClock.monotonic),
      requests: createBurst(config.keys.requests_per_second, SECOND_MS, systemClock.monotonic),
    },
    addressOf: createClientAddress(config.server.trusted_proxies),
    ...(watch && { watch }),
    refuse: service.guard.refuse,
    conditions,
    metrics: { of: metrics, read_here: config.metrics.expose === 'loopback' },
    log,
    clock: systemClock,
  }
  const handlerFor = ({ plans, registry, engine, policy }: Tuning) => {
    const openapi = JSON.stringify(describeApi(resultSchema(registry)))
    const described = { openapi: Buffer.from(openapi), pages: pagesFor(registry, openapi) }
    return createApp({ ...common, ...described, plans, checker: engine, policy }).callback()
  }
  let handle = handlerFor({ ...service, plans: config.plans, registry })
  const server = createServer({ handle: (request, response) => handle(request, response), log, clock: systemClock })
  const operator = createOperatorApp({ metrics, conditions, log, clock: systemClock })
  const operatorServer = createServer({ handle: operator.callback(), log, clock: systemClock })
  return {
    server,
    operatorServer,
    async drain() {
      draining = true
      server.retire()
      await pause(config.server.drain_delay_ms)
      await server.drain()
      await operatorServer.drain()
    },
    retune(tuning) {
      handle = handlerFor(tuning)
    },
  }
}
