// The HTTP side of a running service, wired from its parts.
import { setTimeout as pause } from 'node:timers/promises'
import { createAdmission, createTally } from '../api/admission.ts'
import { createApp } from '../api/app.ts'
import type { Log } from '../api/log.ts'
import { describeApi } from '../api/openapi.ts'
import { type ApiServer, createServer } from '../api/server.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Registry } from '../engine/registry.ts'
import { resultSchema } from '../engine/result_schema.ts'
import type { CheckService } from '../service.ts'
import type { Backend } from '../store/backend.ts'
import { datasetAges } from './dataset_ages.ts'
import { pagesFor } from './pages.ts'

export interface Api {
  readonly server: ApiServer
  /** Turns unready, waits for balancers to notice, then accepts nothing new and lets what is under way finish. */
  drain(): Promise<void>
}

export interface ApiParts {
  readonly config: Config
  readonly registry: Registry
  readonly service: CheckService
  readonly store: Backend
  readonly log: Log
}

export function createApi({ config, registry, service, store, log }: ApiParts): Api {
  const openapi = JSON.stringify(describeApi(resultSchema(registry)))
  let draining = false
  const app = createApp({
    store,
    plans: config.plans,
    checker: service.engine,
    cache: store.cache,
    flights: store.flights,
    admission: createAdmission(config.check.concurrency),
    inFlight: createTally(config.check.per_key),
    policy: service.policy,
    refuse: service.guard.refuse,
    openapi: Buffer.from(openapi),
    pages: pagesFor(registry, openapi),
    conditions: [
      { name: 'serving', fault: () => (draining ? 'draining' : null) },
      { name: 'store', fault: store.fault, note: store.note },
      datasetAges(service.datasets),
    ],
    log,
    clock: systemClock,
  })
  const server = createServer({ handle: app.callback(), log, clock: systemClock })
  return {
    server,
    async drain() {
      draining = true
      server.retire()
      await pause(config.server.drain_delay_ms)
      await server.drain()
    },
  }
}
