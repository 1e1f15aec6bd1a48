// The HTTP side of a running service, wired from its parts.

import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../base/clock.ts'
import { titled } from '../base/labels.ts'
import type { Config } from '../config/config.ts'
import type { Registry } from '../engine/registry.ts'
import { presentationsOf } from '../engine/report/presentations.ts'
import { buildReport } from '../engine/report/report.ts'
import { resultSchema } from '../engine/result_schema.ts'
import { VERDICT_FROM } from '../engine/scoring/verdict.ts'
import { disposableLists } from '../knowledge/datasets/choose.ts'
import type { Politeness } from '../results/bulk/politeness.ts'
import { type Candidate, candidatesFor, first } from '../results/lookalikes/candidates.ts'
import { newTally } from '../results/lookalikes/scan.ts'
import type { Backend } from '../store/backend.ts'
import { openLocalCache } from '../store/open_backend.ts'
import type { LocalResultCache } from '../store/result_cache.ts'
import type { MaybeAsync } from '../store/store.ts'
import { type AnswerResults, type Answers, createAnswers, type ServedResult } from './api/answers.ts'
import { type AppOptions, createApp, createOperatorApp } from './api/app.ts'
import { createCallers } from './api/callers.ts'
import type { ReportOf } from './api/check.ts'
import { createClientAddress, logAddress, type Sender } from './api/client_address.ts'
import { type HealthCondition, type Readiness, readinessOf } from './api/health.ts'
import { createJobAnswers } from './api/job_answers.ts'
import type { Jobbing } from './api/jobs.ts'
import { createGate, createRateLimit } from './api/limits.ts'
import { describeError, type Log } from './api/log.ts'
import type { LogOutput } from './api/log_output.ts'
import type { Metrics, ReadName } from './api/metrics.ts'
import { describeApi } from './api/openapi.ts'
import type { SectionWatch } from './api/progress.ts'
import { type ApiServer, type Arrival, createServer, type HttpServerOptions } from './api/server.ts'
import { ClaimedTurns } from './api/turns.ts'
import { createWatchAnswers } from './api/watch_answers.ts'
import type { Watching } from './api/watches.ts'
import { openWeb, type WebPages } from './api/web.ts'
import { type JobWork, startJobWork } from './jobs/work.ts'
import {
  datasetAges,
  datasetFigures,
  diskCondition,
  instrumentConditions,
  instrumentFigures,
  storeCondition,
} from './readiness.ts'
import type { CheckService, Tuning } from './service.ts'
import type { DeliveryAttempt } from './watch/deliver.ts'
import { startWatchWork, type WatchWork, type WatchWorkOptions } from './watch/work.ts'

/** The page at `/` with its assets, and the documentation at `/docs`. `openapi` is the OpenAPI document as served. */
function pagesFor(registry: Registry, openapi: () => Buffer): WebPages {
  const web = onFirstUse(() => openWeb({ verdicts: VERDICT_FROM, titles: titlesOf(registry) }))
  const docs = onFirstUse(async () => (await import('./api/docs/site.ts')).openDocs(openapi))
  const isDocs = (path: string) => path === '/docs' || path.startsWith('/docs/')
  return { get: (path, query) => (isDocs(path) ? docs().then(site => site.get(path, query)) : web().get(path)) }
}

/** What few requests need is made by the first of them, because making it takes a tenth of a start. */
function onFirstUse<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

/** For the progress of a check, which the page shows before there is a report. */
const titlesOf = ({ analyzers }: Registry): Readonly<Record<string, string>> =>
  Object.fromEntries(
    analyzers.map(({ analyzer: { name, presentation } }) => [name, presentation?.title ?? titled(name)]),
  )

interface MetricSources {
  readonly store: Pick<Backend, 'fault' | 'results'>
  readonly service: Pick<CheckService, 'lists' | 'resolvers' | 'cpu' | 'datasets'>
  readonly output: Pick<LogOutput, 'dropped'> | undefined
  /** Null when disabled, and before it begins. */
  readonly watching: () => Pick<WatchWork, 'late'> | null
  readonly jobbing: () => Pick<JobWork, 'figures'> | null
  readonly isDraining: () => boolean
}

function presentValues(sources: MetricSources): Readonly<Record<ReadName, () => MaybeAsync<number>>> {
  const { store, service, output, watching, jobbing, isDraining } = sources
  const healthyLists = () => service.lists().filter(({ state }) => state === 'healthy').length
  return {
    assay_step_longest_seconds: () => service.cpu.takeLongest() / SECOND_MS,
    assay_cache_bytes: () => store.results.size,
    assay_store_up: async () => ((await store.fault()) === null ? 1 : 0),
    assay_datasets_missing: () => service.datasets.missing().length,
    assay_blocklists_trusted: healthyLists,
    assay_blocklists_doubted: () => service.lists().length - healthyLists(),
    assay_resolvers_inventing: () => service.resolvers().filter(({ rewrites }) => rewrites).length,
    assay_history_dropped_total: () => store.results.dropped,
    assay_watch_late_seconds: () => watching()?.late() ?? 0,
    assay_jobs_running: () => jobbing()?.figures().running ?? 0,
    assay_jobs_waiting: () => jobbing()?.figures().waiting ?? 0,
    assay_log_lines_dropped_total: () => output?.dropped ?? 0,
    assay_draining: () => (isDraining() ? 1 : 0),
  }
}

/** What can change while the service runs. */
interface ServiceTuning extends Tuning {
  readonly plans: Config['plans']
  readonly registry: Registry
}

interface ApiParts {
  readonly config: Config
  readonly registry: Registry
  readonly service: CheckService
  readonly store: Backend
  readonly metrics: Metrics
  readonly log: Log
  /** The output of the log, for the number of dropped lines. */
  readonly output?: Pick<LogOutput, 'dropped'>
  readonly watch?: SectionWatch['watch']
  /** Observes each request. */
  readonly observed?: (handle: RequestListener) => RequestListener
  /** Conditions of readiness besides those of this process. */
  readonly conditions?: readonly HealthCondition[]
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Results live up to a tenth longer than configured. */
const CACHE_JITTER = 1.1

/** The API of one process, whose plans, weights and plugins can be replaced while it runs. */
export class Api {
  readonly server: ApiServer
  /** Metrics and health on their own port. */
  readonly operatorServer: ApiServer
  readonly #parts: ApiParts
  readonly #shared: SharedParts
  readonly #watching: (Watching & Deferred<WatchWork>) | null
  readonly #jobbing: (Jobbing & Deferred<JobWork>) | null
  #current: ServiceTuning
  /** The answers and the handler of the tuning in force. */
  #inForce: ActiveApi
  #isDraining = false
  #queuesClosed: Promise<unknown> | undefined

  constructor(parts: ApiParts) {
    const { config, registry, service, store, metrics, log, output, observed = one => one } = parts
    this.#parts = parts
    this.#shared = sharedParts(parts, () => this.#isDraining)
    const { conditions, clientOf, gate } = this.#shared
    const answers = () => this.#inForce.answers
    this.#watching = watchingOf({ ...parts, answers })
    this.#jobbing = jobbingOf({ ...parts, answers, politeness: this.#shared.politeness })
    this.#current = { ...service, plans: config.plans, registry }
    this.#inForce = this.#made(this.#current)
    service.datasets.onRead(() => this.retune(this.#current))
    readMetrics(metrics, service, this.#shared, {
      store,
      service,
      output,
      isDraining: () => this.#isDraining,
      watching: () => this.#watching?.running() ?? null,
      jobbing: () => this.#jobbing?.running() ?? null,
    })
    const common = {
      log,
      clientOf,
      clock: systemClock,
      onArrival(what: Arrival) {
        service.cpu.hurry()
        if (what === 'connection') gate.postpone()
      },
    } satisfies Partial<HttpServerOptions>
    const handle = observed((request, response) => this.#inForce.handle(request, response))
    this.server = createServer({ ...common, handle })
    const operator = createOperatorApp({ metrics, conditions, log, clientOf, clock: systemClock })
    this.operatorServer = createServer({ ...common, handle: operator })
  }

  /** Takes effect with the next request. */
  retune(tuning: ServiceTuning): void {
    this.#inForce = this.#made(tuning)
    this.#current = tuning
  }

  /** Begins with the work of the store: watches and jobs. */
  startRunners(): void {
    this.#watching?.begin()
    this.#jobbing?.begin()
  }

  /** What `/readyz` reports of this process. */
  readiness(): Promise<Readiness> {
    return readinessOf(this.#shared.ofProcess)
  }

  /** The first part of it: from now on each connection closes after its next response. Reports unready when `isAnnounced`. */
  retire(isAnnounced: boolean): void {
    this.#isDraining ||= isAnnounced
    this.server.retire()
    this.#queuesClosed = this.#parts.store.queues.close()
  }

  /** The last part: accepts no new connections and lets running requests finish. */
  async finish(): Promise<void> {
    await this.server.drain()
    await this.operatorServer.drain()
    await this.#queuesClosed
  }

  /** Reports unready, waits `delay_ms` for load balancers to notice, then accepts no new connections and lets running requests finish. */
  async drain(delayMs: number): Promise<void> {
    this.retire(true)
    await pause(delayMs)
    await this.finish()
  }

  #made(tuning: ServiceTuning): ActiveApi {
    const work = { watching: this.#watching, jobbing: this.#jobbing }
    return inForce(this.#parts, this.#shared, work, tuning)
  }
}

/** What requests of all tunings share. */
type SharedParts = ReturnType<typeof sharedParts>

function sharedParts(parts: ApiParts, isDraining: () => boolean) {
  const { config, service, store, metrics, log, watch } = parts
  const { monotonic } = systemClock
  const { check, server } = config
  const turns = new ClaimedTurns<ServedResult>({ claims: store.claims, monotonic })
  const gate = createGate({ limit: check.concurrency, deadline_ms: check.deadline_ms, monotonic, cpu: service.cpu })
  const ofProcess = [...instrumentConditions(service), datasetAges(service.datasets)]
  const conditions: readonly HealthCondition[] = [
    { name: 'serving', fault: () => (isDraining() ? 'draining' : null) },
    storeCondition(store),
    diskCondition(config.data),
    ...ofProcess,
    ...(parts.conditions ?? []),
  ]
  const addressOf = createClientAddress(server.trusted_proxies)
  const requests = createRateLimit(config.keys.requests_per_second, SECOND_MS, monotonic)
  return {
    store,
    results: store.results,
    url_secret: store.results.urlSecret,
    cache_urls: config.cache.urls,
    keeps_history: store.keeps_history,
    history: store.keeps_history ? store.results : null,
    picture: service.rendering?.picture,
    render_price: service.rendering === null ? 1 : config.rendering.price,
    public_url: server.public_url,
    cors_origins: server.cors_origins,
    tlp: config.exchange.tlp,
    turns,
    claims: store.claims,
    gate,
    bursts: { failures: store.wrong_keys, requests },
    addressOf,
    clientOf: (request: Sender) => logAddress(addressOf(request), config.log.client_address),
    ...(watch && { watch }),
    vetting: service.guard,
    looking: lookingOf(config, service),
    politeness: { at_once: check.per_domain, pause_ms: SECOND_MS / check.per_domain_per_second },
    conditions,
    ofProcess,
    log,
    clock: systemClock,
    onCount: metrics.answered,
    metrics: { of: metrics, read_here: config.metrics.expose === 'service' },
  } satisfies Partial<AppOptions> & { readonly ofProcess: readonly HealthCondition[] }
}

/** Null when it is disabled. */
const lookingOf = ({ lookalikes: { names } }: Config, { scanner }: CheckService) =>
  names === 0 ? null : { scanner, names }

/** What answers requests under one tuning. */
type ActiveApi = ReturnType<typeof inForce>

function inForce(
  { config, service, log }: ApiParts,
  sharedParts: SharedParts,
  work: { readonly watching: Watching | null; readonly jobbing: Jobbing | null },
  { plans, registry, engine, policy }: ServiceTuning,
) {
  // What answers have seen while an expected dataset is missing is for this process alone, and for as long as that dataset is missing:
  // then the answers end with what they hold.
  const unsharedParts = service.datasets.missing().length > 0 ? { results: ownResults(openLocalCache(config)) } : {}
  const checking = { ...sharedParts, ...unsharedParts, checker: engine, policy }
  const schema = resultSchema(registry)
  const openapi = onFirstUse(() => Buffer.from(JSON.stringify(describeApi(schema, config.server.public_url))))
  const presentations = presentationsOf(registry, (plugin, error) =>
    log.error({ plugin, stage: 'describe', error: describeError(error) }),
  )
  const reportOf: ReportOf = async (result, sectionNames) => {
    await presentations.prepare(result)
    const report = buildReport(result, presentations)
    if (sectionNames === undefined) return report
    const names = typeof sectionNames === 'string' ? sectionNames.split(',') : sectionNames
    return { ...report, sections: report.sections.filter(({ name }) => names.includes(name)) }
  }
  const pages = pagesFor(registry, openapi)
  return {
    answers: createAnswers({
      ...checking,
      callers: createCallers({ store: sharedParts.store, plans, clock: systemClock }),
    }),
    handle: createApp({
      ...checking,
      ...work,
      plans,
      openapi,
      pages,
      reportOf,
      disposable_lists: disposableLists(config.datasets),
      described: { registry, result_schema: schema },
    }),
  }
}

/** Shows what is read when metrics are. */
function readMetrics(
  metrics: Metrics,
  service: CheckService,
  { gate, turns }: SharedParts,
  sources: MetricSources,
): void {
  metrics.readDatasets(datasetFigures(service.datasets))
  metrics.readInstruments(instrumentFigures(service))
  metrics.read(presentValues(sources))
  metrics.readQueues(() => ({
    slot: gate.figures,
    slow: gate.slow,
    target: turns.figures(),
    registry: service.queries,
    cpu: service.cpu.figures(),
    ...(service.rendering && { browser: service.rendering.figures }),
  }))
}

/** Results that this process alone sees. */
const ownResults = (cache: LocalResultCache): AnswerResults => ({
  get: cache.get,
  peek: cache.get,
  lookup: () => null,
  getStale: async key => cache.getStale(key),
  put: async (key, bytes, resultClass, { life_ms }) => cache.put(key, bytes, resultClass, life_ms),
  note: () => {},
})

/** Jobs and watches keep what they find, so they wait however long a dataset is missing; `/readyz` and the log name it. */
const loadingOf =
  ({ datasets }: CheckService) =>
  (): boolean =>
    datasets.missing().length > 0

interface WatchingParts extends Pick<ApiParts, 'config' | 'service' | 'store' | 'metrics' | 'log'> {
  readonly answers: () => Answers
}

type Deferred<Work extends { wake(): void }> = ReturnType<typeof later<Work>>

/** Work that begins later than it can be asked for. */
function later<Work extends { wake(): void }>(start: () => Work) {
  let work: Work | null = null
  return {
    begin() {
      work ??= start()
    },
    running: () => work,
    wake: () => work?.wake(),
  }
}

const HOUR_MS = 3_600_000

/** Absent when looking for look-alikes is disabled. */
function lookForOf(
  { lookalikes: { names, watch_hours } }: Config,
  { scanner }: CheckService,
): WatchWorkOptions['lookFor'] {
  if (names === 0) return undefined
  return {
    every_ms: watch_hours * HOUR_MS,
    async find({ target, account }, signal) {
      const candidates: Candidate[] = []
      const end = await scanner.scan({
        candidates: first(candidatesFor(target), names),
        client: account,
        background: true,
        signal,
        tally: newTally(),
        found: one => void candidates.push(one),
      })
      return end === 'whole' ? candidates : null
    },
  }
}

/** Null when watches are disabled. */
function watchingOf(parts: WatchingParts): (Watching & Deferred<WatchWork>) | null {
  const { config, service, store, metrics, log, answers } = parts
  if (store.watches === null) return null
  const isLoading = loadingOf(service)
  const { webhooks, mail, guard: vetting } = service
  const work = {
    store: store.watches,
    queues: store.queues,
    webhooks,
    mail,
    clock: systemClock,
    public_url: config.server.public_url,
    ask: createWatchAnswers({
      answers,
      keys: store.keys,
      vetting,
      isLoading,
      log,
      clock: systemClock,
      cached_ms: config.cache.complete_seconds * SECOND_MS * CACHE_JITTER,
    }),
    lookFor: lookForOf(config, service),
    checked: metrics.watchChecked,
    attempted(attempt: DeliveryAttempt) {
      metrics.watchAttempted(attempt.end)
      logAttempt(log, attempt)
    },
  }
  const { per_account, least_minutes } = config.watch
  const deferredWork = later(() => startWatchWork(work))
  return {
    store: store.watches,
    webhooks,
    mail,
    most: per_account,
    least_ms: least_minutes * MINUTE_MS,
    ...deferredWork,
  }
}

interface JobbingParts extends Pick<ApiParts, 'config' | 'service' | 'store' | 'log'> {
  readonly answers: () => Answers
  readonly politeness: Politeness
}

/** Null when jobs are disabled. */
function jobbingOf(parts: JobbingParts): (Jobbing & Deferred<JobWork>) | null {
  const { config, service, store, log, answers, politeness } = parts
  if (store.jobs === null) return null
  const isLoading = loadingOf(service)
  const { per_account: most, days } = config.jobs
  const clock = systemClock
  const work = {
    store: store.jobs,
    queues: store.queues,
    vetting: service.guard,
    politeness,
    clock,
    ask: createJobAnswers({ answers, keys: store.keys, isLoading, log, clock }),
  }
  return { store: store.jobs, most, life_ms: days * DAY_MS, ...later(() => startJobWork(work)) }
}

/** The receiver is not logged, because its URL may hold a secret. */
function logAttempt(
  log: Log,
  { watch: watchId, delivery: deliveryId, attempt, end, status, failure }: DeliveryAttempt,
): void {
  const line = { watch_id: watchId, delivery_id: deliveryId, attempt, status, failure }
  if (end === 'delivered') log.info({ watch: 'delivered', ...line })
  else log.warn({ watch: end === 'dead' ? 'delivery-dead' : 'delivery-failed', ...line })
}
