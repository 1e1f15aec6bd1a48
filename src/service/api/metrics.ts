// Metrics for Prometheus. The number of series is bounded: labels hold only words from tables of this service, names of plans and,
// if wanted, beginnings of key IDs; never input of a client or a target.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueFigures } from '../../base/scheduler/queue.ts'
import type { Extension } from '../../engine/plugin.ts'
import type { Key, MaybeAsync } from '../../store/store.ts'
import { Problem } from './problem.ts'
import { type Context, isAnswered } from './request_state.ts'

const SECOND_MS = 1_000
/** Seconds: from a cached response to the deadline of a check. */
const seconds = [0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10]

export type ReadName = keyof typeof gauges | keyof typeof counters

/** How the values of several workers become one. */
type Together = 'sum' | 'min' | 'max'

/** Current values, read on each scrape, and how those of several workers become one. */
const gauges = {
  assay_step_longest_seconds: ['Longest step of analysis since the last scrape.', 'max'],
  assay_cache_bytes: ['Bytes of results cached in memory.', 'sum'],
  assay_store_up: ['1 while the store answers and can be written, 0 while it is down.', 'min'],
  assay_datasets_missing: ['Expected feeds, lists and databases that are not loaded.', 'max'],
  assay_blocklists_trusted: ['Blocklists that passed their test queries and are used.', 'min'],
  assay_blocklists_doubted: ['Blocklists that failed their test queries or have not answered them.', 'max'],
  assay_resolvers_inventing: ['Resolvers that rewrite NXDOMAIN.', 'max'],
  assay_watch_late_seconds: ['How long the oldest due check or delivery of a watch has been overdue.', 'max'],
  assay_jobs_running: ['Jobs that run.', 'sum'],
  assay_jobs_waiting: ['Unfinished jobs that wait for their turn or for the quota.', 'max'],
  assay_draining: ['1 while the service shuts down.', 'max'],
} as const satisfies Readonly<Record<string, readonly [help: string, together: Together]>>

/** What waits, by resource: a slot of the process, the target, a registry, the CPU, the browser; and what is slow and has given up its slot. */
export type MeasuredResource = 'slot' | 'slow' | 'target' | 'registry' | 'cpu' | 'browser'

/** The figures of each resource. */
const queueSeries = {
  running: [
    'assay_queue_running',
    'Running tasks by resource: checks with a slot, checks of a target, queries, pages in the browser.',
  ],
  waiting: ['assay_queue_waiting', 'Tasks that wait for a resource: slot, target, registry, cpu, browser.'],
  started: ['assay_queue_started_total', 'Tasks that got a resource.'],
  refused: ['assay_queue_refused_total', 'Tasks that a resource refused, at once or after waiting.'],
  waited_ms: ['assay_queue_waited_seconds_total', 'Time that tasks waited before they got a resource.'],
} as const satisfies Readonly<Record<keyof QueueFigures, readonly [name: string, help: string]>>

/** Counted elsewhere since the start of the process, and read on each scrape. */
const counters = {
  assay_history_dropped_total: 'Results that could not be added to the history, since the start.',
  assay_log_lines_dropped_total: 'Log lines dropped because the output was too slow, since the start.',
} as const

export type SeriesName = keyof typeof datasetSeries

/** Current values of each enabled dataset, by its ID in the configuration. */
const datasetSeries = {
  assay_dataset_age_seconds: 'Time since the publisher last confirmed a dataset; absent while the dataset is missing.',
  assay_dataset_entries: 'Entries of a dataset in memory.',
  assay_dataset_failures: 'Consecutive failed refreshes of a dataset.',
} as const

/** By dataset. */
export type Series = Readonly<Record<string, number>>

/** The metrics of one process. */
export type MetricsData = readonly { readonly name: string; readonly type: string | number }[]

export type Metrics = ReturnType<typeof createMetrics>

/** The label of a request that was answered with a result. */
const kinds = { HIT: 'hit', MISS: 'miss', STALE: 'stale' } as const

export interface MetricsOptions {
  /** Whether answers are also counted by key. */
  readonly by_key?: boolean
}

/** Keys that one process counts by themselves; every series costs memory here and in Prometheus. The others count as `other`. */
export const KEYS_COUNTED = 1_000
/** Characters of a key's ID that name it: enough that no two keys of an installation share them. */
const KEY_LENGTH = 12

export function createMetrics({ by_key = false }: MetricsOptions = {}) {
  const register = new Registry()
  collectProcessMetrics(register)
  const registers = [register]
  return {
    ...requestMetrics(registers, by_key),
    /** Counts the outcome of every check, its sections and its evidence. */
    extension: checkMetrics(registers),
    ...watchMetrics(registers),
    ...readMetrics(registers),
    /** All metrics as text (Prometheus exposition format). */
    text: () => register.metrics(),
    /** The same as data, which `combineMetrics` takes. */
    data: async () => (await register.getMetricsAsJSON()) as unknown as MetricsData,
    contentType: register.contentType,
    /** Names, labels and help of this service's own metrics, sorted by name. */
    async describe() {
      const ours = (await register.getMetricsAsJSON()).filter(({ name }) => name.startsWith('assay_'))
      return ours
        .map(({ name, help }) => ({ name, help, labels: labelsOf(register.getSingleMetric(name)) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

function requestMetrics(registers: Registry[], byKey: boolean) {
  const requests = tally(
    'assay_requests_total',
    'Requests answered, by status and problem code.',
    ['status', 'code'],
    registers,
  )
  const results = tally('assay_results_total', 'Results served, by cache status.', ['cache'], registers)
  const answers = tally('assay_answers_total', 'Answers counted against a quota, by plan.', ['plan'], registers)
  const answersByKey = byKey ? tallyKeys(registers) : null
  const latency = new Histogram({
    name: 'assay_request_seconds',
    help: 'Time from a check request to its response, by outcome: hit, miss, stale, refused.',
    labelNames: ['kind'],
    buckets: seconds,
    registers,
  })
  return {
    /** Counts a finished request, answered or not. */
    request(ctx: Context, elapsedMs: number) {
      const { code, cache, target } = ctx.state
      const hasAnswer = isAnswered(ctx)
      requests(hasAnswer ? `${ctx.res.statusCode}` : 'none', code ?? '')
      const kind = code !== null ? 'refused' : kinds[cache ?? 'MISS']
      if (target === null || !hasAnswer) return
      latency.observe({ kind }, elapsedMs / 1_000)
      if (code === null && cache !== null) results(kind)
    },
    /** Counts an answer that the quota counted. */
    answered({ id, plan }: Pick<Key, 'id' | 'plan'>) {
      answers(plan)
      answersByKey?.(id)
    },
  }
}

function checkMetrics(registers: Registry[]): Extension {
  const checks = new Counter({
    name: 'assay_checks_total',
    help: 'Checks, by outcome: complete, incomplete, none.',
    labelNames: ['outcome'],
    registers,
  })
  const checkTime = new Histogram({
    name: 'assay_check_seconds',
    help: 'Duration of a check without its wait for a slot.',
    buckets: seconds,
    registers,
  })
  const sections = new Counter({
    name: 'assay_sections_total',
    help: 'Sections of checks, by status.',
    labelNames: ['section', 'status'],
    registers,
  })
  const sectionTime = new Histogram({
    name: 'assay_section_seconds',
    help: 'Time from the start of a check until a section is finished.',
    labelNames: ['section'],
    buckets: seconds,
    registers,
  })
  const evidence = new Counter({
    name: 'assay_evidence_total',
    help: 'Gathered evidence, by status: shows the health of DNS, blocklists, registries and targets.',
    labelNames: ['evidence', 'status'],
    registers,
  })
  return {
    name: 'metrics',
    description: 'Counts checks, their sections and their evidence.',
    apply(hooks) {
      hooks.settled.tap('metrics', ({ analysis, result, duration_ms }) => {
        const coverage = result?.['coverage'] as { complete?: boolean } | undefined
        checks.inc({ outcome: result === null ? 'none' : coverage?.complete ? 'complete' : 'incomplete' })
        checkTime.observe(duration_ms / 1_000)
        for (const [section, { status, duration_ms }] of analysis.outcomes) {
          sections.inc({ section, status })
          sectionTime.observe({ section }, duration_ms / 1_000)
        }
        for (const [name, { status }] of analysis.evidence) evidence.inc({ evidence: name, status })
      })
    },
  }
}

function watchMetrics(registers: Registry[]) {
  const checks = new Counter({
    name: 'assay_watch_checks_total',
    help: 'Checks of watches, by outcome: same, changed, failed.',
    labelNames: ['outcome'],
    registers,
  })
  const attempts = new Counter({
    name: 'assay_watch_deliveries_total',
    help: 'Attempts to deliver an event of a watch, by outcome: delivered, failed (tried again), dead (given up).',
    labelNames: ['outcome'],
    registers,
  })
  return {
    watchChecked: (outcome: string) => checks.inc({ outcome }),
    watchAttempted: (outcome: string) => attempts.inc({ outcome }),
  }
}

/** Metrics whose values are read when they are asked for. */
function readMetrics(registers: Registry[]) {
  return {
    read(sources: Readonly<Record<ReadName, () => MaybeAsync<number>>>) {
      for (const [name, [help, aggregator]] of Object.entries(gauges)) {
        const value = sources[name as keyof typeof gauges]
        new Gauge({
          name,
          help,
          aggregator,
          registers,
          async collect() {
            this.set(await value())
          },
        })
      }
      for (const [name, help] of Object.entries(counters))
        counterOf({ name, help, registers }, sources[name as keyof typeof counters])
    },
    readDatasets(sources: Readonly<Record<SeriesName, () => Series>>) {
      for (const [name, help] of Object.entries(datasetSeries)) {
        gaugeBy('dataset', { name, help, registers, aggregator: 'max' }, sources[name as SeriesName])
      }
    },
    /** `healthy`: 1 or 0 by the name of the instrument. */
    readInstruments(healthy: () => Series) {
      const help =
        'Health of what checks depend on (resolvers, outbound path, lists, registries): 1 healthy, 0 down; absent while untested.'
      gaugeBy('instrument', { name: 'assay_instrument_healthy', help, registers, aggregator: 'min' }, healthy)
    },
    readQueues(figures: () => Readonly<Partial<Record<MeasuredResource, QueueFigures>>>) {
      for (const [figure, [name, help]] of Object.entries(queueSeries)) {
        const value = (of: QueueFigures) => of[figure as keyof QueueFigures] / (figure === 'waited_ms' ? SECOND_MS : 1)
        const values = () => Object.entries(figures()).map(([resource, of]) => [resource, value(of)] as const)
        if (name.endsWith('_total')) counterBy('resource', { name, help, registers }, values)
        else gaugeBy('resource', { name, help, registers, aggregator: 'sum' }, () => Object.fromEntries(values()))
      }
    },
  }
}

/** The metrics of the process that owns the workers. */
export function createOwnerMetrics(standing: () => Readonly<Record<'configured' | 'ready' | 'replaced', number>>) {
  const register = new Registry()
  const registers = [register]
  collectProcessMetrics(register)
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('assay_workers', 'Worker processes that are configured.', () => standing().configured)
  gauge('assay_workers_ready', 'Worker processes that serve requests.', () => standing().ready)
  const help = 'Worker processes that ended unexpectedly, since the start.'
  counterOf({ name: 'assay_workers_replaced_total', help, registers }, () => standing().replaced)
  return {
    contentType: register.contentType,
    data: async () => (await register.getMetricsAsJSON()) as unknown as MetricsData,
  }
}

/** The metrics of several processes as one text: most are added, the others are their least, greatest or mean value. */
export const combineMetrics = (all: readonly MetricsData[]): Promise<string> => together(all).metrics()

/** What remains of processes that have ended: counters and histograms never go back. */
export async function lastingMetrics(all: readonly MetricsData[]): Promise<MetricsData> {
  const data = (await together(all).getMetricsAsJSON()) as unknown as MetricsData
  return data.filter(({ type }) => type === 'counter' || type === 'histogram')
}

const together = (all: readonly MetricsData[]) => AggregatorRegistry.aggregate(all as unknown as object[])

/** Gauges of the library whose names are those of counters. Each is the sum of another one. */
const MISNAMED_GAUGES = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register })
  for (const name of MISNAMED_GAUGES) register.removeSingleMetric(name)
}

/** A counter whose value is counted elsewhere. */
function counterOf(
  about: { name: string; help: string; registers: Registry[] },
  count: () => MaybeAsync<number>,
): void {
  new Counter({
    ...about,
    async collect() {
      const value = await count()
      this.reset()
      this.inc(value)
    },
  })
}

/** A gauge with one value for each member of a series, read on each scrape. */
function gaugeBy(
  label: string,
  about: { name: string; help: string; registers: Registry[]; aggregator: Together },
  series: () => Series,
): void {
  new Gauge({
    ...about,
    labelNames: [label],
    collect() {
      this.reset()
      for (const [member, value] of Object.entries(series())) this.set({ [label]: member }, value)
    },
  })
}

/** A counter with one value for each member, read on each scrape. */
function counterBy(
  label: string,
  about: { name: string; help: string; registers: Registry[] },
  values: () => readonly (readonly [member: string, value: number])[],
): void {
  new Counter({
    ...about,
    labelNames: [label],
    collect() {
      this.reset()
      for (const [member, value] of values()) this.inc({ [label]: member }, value)
    },
  })
}

/** A counter for every request: a map costs a tenth of the library's own counting, and scrapes are rare. */
function tally<Label extends string>(name: string, help: string, labelNames: Label[], registers: Registry[]) {
  const counts = new Map<string, number>()
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [values, count] of counts) {
        const parts = values.split(' ')
        this.inc(
          Object.fromEntries(labelNames.map((label, i) => [label, parts[i] ?? ''])) as Record<Label, string>,
          count,
        )
      }
    },
  })
  return (...values: string[]) => {
    const key = values.join(' ')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

/** A counter of answers by the beginning of the key's ID. */
function tallyKeys(registers: Registry[]): (id: string) => void {
  const help =
    'Answers counted against a quota, by the beginning of the key’s ID; `other` is more keys than are distinguished.'
  const count = tally('assay_key_answers_total', help, ['key'], registers)
  const keys = new Set<string>()
  return id => {
    const key = id.slice(0, KEY_LENGTH)
    if (keys.size < KEYS_COUNTED) keys.add(key)
    count(keys.has(key) ? key : 'other')
  }
}

const labelsOf = (metric: unknown): readonly string[] =>
  (metric as { labelNames?: readonly string[] } | undefined)?.labelNames ?? []

/** Headers that a proxy adds: its requests come from elsewhere, although its socket is on this machine. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/**
 * Serves the metrics, which are the operator's business only. Answers 404 to other readers; `any` accepts everyone who reaches
 * the port.
 */
export const metricsPage =
  (metrics: Pick<Metrics, 'text' | 'contentType'>, readers: 'any' | 'loopback') =>
  async (ctx: Context): Promise<void> => {
    if (readers === 'loopback' && !isLocal(ctx.req)) throw new Problem('not-found')
    const body = await metrics.text()
    ctx.res.writeHead(200, {
      'Content-Type': metrics.contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.res.end(body)
  }

function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? ''
  const local = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
  return local && forwarding.every(name => headers[name] === undefined)
}
