// The HTTP side of a running service, wired from its parts.
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
import { createResultCache } from '../store/result_cache.ts'
import { singleFlight } from '../store/single_flight.ts'
import type { Store } from '../store/store.ts'
import { pagesFor } from './pages.ts'

export interface Api {
  readonly server: ApiServer
  /** Turns unready, then lets what is under way finish. */
  drain(): Promise<void>
}

export interface ApiParts {
  readonly config: Config
  readonly registry: Registry
  readonly service: CheckService
  readonly store: Store
  readonly log: Log
}

const SECOND_MS = 1_000

export function createApi({ config, registry, service, store, log }: ApiParts): Api {
  const openapi = JSON.stringify(describeApi(resultSchema(registry)))
  let draining = false
  const app = createApp({
    store,
    plans: config.plans,
    checker: service.engine,
    cache: createCache(config),
    flights: singleFlight<Buffer>(),
    admission: createAdmission(config.check.concurrency),
    inFlight: createTally(config.check.per_key),
    policy: service.policy,
    refuse: service.guard.refuse,
    openapi: Buffer.from(openapi),
    pages: pagesFor(registry, openapi),
    conditions: [{ name: 'serving', fault: () => (draining ? 'draining' : null) }],
    log,
    clock: systemClock,
  })
  const server = createServer({ handle: app.callback(), log, clock: systemClock })
  return {
    server,
    drain() {
      draining = true
      return server.drain()
    },
  }
}

function createCache({ cache }: Config) {
  return createResultCache({
    bytes_max: cache.max_bytes,
    lives_ms: {
      complete: cache.complete_seconds * SECOND_MS,
      incomplete: cache.incomplete_seconds * SECOND_MS,
      not_found: cache.not_found_seconds * SECOND_MS,
    },
  })
}
