// What the service counts of itself, for Prometheus. Series are bounded: labels hold only words from tables of ours, never what a client or a target sent.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Extension } from '../engine/plugin.ts'
import { type Context, isAnswered } from './visit.ts'

/** Seconds: from a kept answer to the deadline of a check. */
const seconds = [0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10]

export type GaugeName = keyof typeof gauges

/** What is so now; each is read when it is asked for. */
const gauges = {
  assay_checks_running: 'Uncached checks that hold a place.',
  assay_checks_slow: 'Uncached checks that gave up their place to others and still wait for a slow target.',
  assay_checks_waiting: 'Uncached checks that wait for a place.',
  assay_cache_bytes: 'Octets of results kept in memory.',
  assay_store_up: '1 while the store answers, 0 while it is out.',
  assay_store_unanswered_total: 'Commands to Redis that were not answered, since the start.',
  assay_store_owed_batches: 'Batches of answers given while Redis was out that it has not counted yet.',
  assay_blocklists_trusted: 'Blocklists that passed their proof and are believed.',
  assay_blocklists_doubted: 'Blocklists that failed their proof, or have not answered it.',
  assay_resolvers_inventing: 'Resolvers that answer for names that do not exist.',
  assay_log_lines_dropped_total: 'Lines of the log that nobody took in time, since the start.',
  assay_draining: '1 from the signal to end until the end.',
} as const

export type SeriesName = keyof typeof datasetSeries

/** What is so now of each dataset that is on, by its id in the configuration. */
const datasetSeries = {
  assay_dataset_age_seconds:
    'Time since the publisher of a dataset last confirmed it; absent while there is none of it.',
  assay_dataset_entries: 'Entries of a dataset in memory.',
  assay_dataset_failures: 'Refreshes of a dataset that failed, in a row.',
} as const

/** By dataset. */
export type Series = Readonly<Record<string, number>>

export interface Metrics {
  /** Notes a request that is over, answered or not. */
  request(ctx: Context, elapsed_ms: number): void
  /** Notes every check's outcome, its sections and its evidence. */
  readonly extension: Extension
  /** Where the present values come from. */
  read(sources: Readonly<Record<GaugeName, () => number>>): void
  /** Where those of each dataset come from. */
  readDatasets(sources: Readonly<Record<SeriesName, () => Series>>): void
  /** All of it as text (Prometheus exposition format). */
  text(): Promise<string>
  readonly contentType: string
  /** Names, labels and help of all that is ours, sorted by name. */
  describe(): Promise<{ name: string; labels: readonly string[]; help: string }[]>
}

/** What a request that was answered with a result is counted as. */
const kinds = { HIT: 'hit', MISS: 'miss', STALE: 'stale' } as const

export function createMetrics(): Metrics {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  const requests = tally(
    'assay_requests_total',
    'Requests answered, by status and problem code.',
    ['status', 'code'],
    registers,
  )
  const results = tally('assay_results_total', 'Results given, by whether they were kept.', ['cache'], registers)
  const latency = new Histogram({
    name: 'assay_request_seconds',
    help: 'Time from a request for a check to its answer, by what it ended in: hit, miss, stale, refused.',
    labelNames: ['kind'],
    buckets: seconds,
    registers,
  })
  const checks = new Counter({
    name: 'assay_checks_total',
    help: 'Checks made, by outcome: complete, incomplete, none.',
    labelNames: ['outcome'],
    registers,
  })
  const checkTime = new Histogram({
    name: 'assay_check_seconds',
    help: 'Time of a check, waiting for a place not included.',
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
    help: 'Time from a check’s beginning until a section was there.',
    labelNames: ['section'],
    buckets: seconds,
    registers,
  })
  const evidence = new Counter({
    name: 'assay_evidence_total',
    help: 'Evidence asked for, by how it went: the health of DNS, blocklists, registries and targets.',
    labelNames: ['evidence', 'status'],
    registers,
  })

  const extension: Extension = {
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

  return {
    extension,
    request(ctx, elapsed_ms) {
      const { code, cache, target } = ctx.state
      const answered = isAnswered(ctx)
      requests(answered ? `${ctx.res.statusCode}` : 'none', code ?? '')
      const kind = code !== null ? 'refused' : kinds[cache ?? 'MISS']
      if (target === null || !answered) return
      latency.observe({ kind }, elapsed_ms / 1_000)
      if (code === null && cache !== null) results(kind)
    },
    read(sources) {
      for (const [name, help] of Object.entries(gauges)) {
        const value = sources[name as GaugeName]
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value())
          },
        })
      }
    },
    readDatasets(sources) {
      for (const [name, help] of Object.entries(datasetSeries)) {
        const series = sources[name as SeriesName]
        new Gauge({
          name,
          help,
          labelNames: ['dataset'],
          registers,
          collect() {
            this.reset()
            for (const [dataset, value] of Object.entries(series())) this.set({ dataset }, value)
          },
        })
      }
    },
    text: () => register.metrics(),
    contentType: register.contentType,
    async describe() {
      const ours = (await register.getMetricsAsJSON()).filter(({ name }) => name.startsWith('assay_'))
      return ours
        .map(({ name, help }) => ({ name, help, labels: labelsOf(register.getSingleMetric(name)) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

/** A counter that every request passes: a map is a tenth of what the library's own counting costs, and is read as rarely. */
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

const labelsOf = (metric: unknown): readonly string[] =>
  (metric as { labelNames?: readonly string[] } | undefined)?.labelNames ?? []
