// Which part of a fleet breaks first as requests grow from 1 to 10 000 a second: service times measured in this run, then a
// simulation of instances, their slots, one Redis, a resolver and the busiest registry; and the allowances of blocklists.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { chooseLists } from '../src/evidence/listings/lists.ts'
import { startLabDns } from '../src/testing/lab_dns.ts'
import { ask } from './client.ts'
import { startContest } from './contest.ts'
import { type Request, type Station, type StationOutcome, simulate } from './fleet_model.ts'
import { createKey, startInstance } from './instance.ts'
import { processCpu } from './process_cpu.ts'
import { startServer } from './redis.ts'
import { spent } from './redis_counts.ts'
import { repeat, type Taken } from './repeat.ts'
import type { Row } from './report.ts'
import { unlimited } from './service_settings.ts'

/** Milliseconds of the one who serves, for one answer. */
export interface Figures {
  readonly cold_cpu_ms: number
  readonly cached_cpu_ms: number
  readonly cold_redis_ms: number
  readonly cached_redis_ms: number
  /** Bytes to and from Redis. */
  readonly cold_redis_bytes: number
  readonly cached_redis_bytes: number
  /** DNS questions of a cold check. */
  readonly questions: number
}

/** What is assumed: change it to what your clients and targets do. */
const assumed = {
  /** The share of requests that no cache answers. */
  cold: 0.5,
  /** Median and spread (σ of the logarithm) of the time a check waits for its target. */
  target_ms: { median: 700, sigma: 0.9, most: 7_500 },
  /** The share of names of the busiest registry. */
  registry: 0.45,
  registry_ms: 100,
  /** What a resolver on its own core needs for a question, cached or not. */
  question_ms: 0.02,
} as const

/** Defaults of the configuration: `check.concurrency`, `registries.at_once`, and 60 % of `registries.timeout_ms`. */
const SLOTS = 256
const REGISTRY_AT_ONCE = 8
const REGISTRY_PATIENCE_MS = 1_800
/** Milliseconds that a check waits for a slot. */
const SLOT_PATIENCE_MS = 3_000
/** The share of its cores that a fleet is built for. */
const BUILT_FOR = 0.6
/** A part is too small when its servers are taken for more of the time, or too many give up. */
const MOST_TAKEN = 0.85
const MOST_GAVE_UP = 0.001

const RATES = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000] as const
/** Simulated for each rate: at least a minute, at most as many as take a few seconds. */
const requestsFor = (rate: number): number => Math.min(60_000, Math.max(2_000, rate * 60))

export async function scale(): Promise<readonly Row[]> {
  const figures = await measure()
  return [
    ...shown(figures),
    ...firstToBreak('one process, everything as delivered', figures, () => 1),
    ...firstToBreak(`processes for ${BUILT_FOR * 100} % of their cores`, figures, rate => processesFor(rate, figures)),
  ]
}

export const processesFor = (rate: number, { cold_cpu_ms, cached_cpu_ms }: Figures): number =>
  Math.max(1, Math.ceil((rate * (assumed.cold * cold_cpu_ms + (1 - assumed.cold) * cached_cpu_ms)) / 1_000 / BUILT_FOR))

/** Stations in the order of their numbers. */
const CPU = 0
const REDIS = 1
const RESOLVER = 2
const REGISTRY = 3
const CHECK_SLOTS = 4

/** Parts of a check between which it waits for the network. */
const BURSTS = 6

export function outcomeAt(rate: number, processes: number, figures: Figures): readonly StationOutcome[] {
  const stations: readonly Station[] = [
    { name: 'CPU of the instances', servers: processes },
    { name: 'Redis', servers: 1 },
    { name: 'one resolver', servers: 1 },
    { name: 'the busiest registry', servers: REGISTRY_AT_ONCE, patience_ms: REGISTRY_PATIENCE_MS },
    { name: 'slots for checks', servers: SLOTS * processes, patience_ms: SLOT_PATIENCE_MS },
  ]
  const next = (random: () => number): Request => {
    if (random() >= assumed.cold) {
      return {
        steps: [
          { at: CPU, ms: figures.cached_cpu_ms },
          { at: REDIS, ms: figures.cached_redis_ms },
        ],
      }
    }
    const waits = logNormal(assumed.target_ms, random) / BURSTS
    const burst = [
      { at: CPU, ms: figures.cold_cpu_ms / BURSTS },
      { at: RESOLVER, ms: (figures.questions * assumed.question_ms) / BURSTS },
      { ms: waits },
    ]
    return {
      steps: [
        { enter: CHECK_SLOTS },
        ...Array.from({ length: BURSTS }, () => burst).flat(),
        { at: REDIS, ms: figures.cold_redis_ms },
        { leave: CHECK_SLOTS },
      ],
      ...(random() < assumed.registry ? { beside: [{ at: REGISTRY, ms: assumed.registry_ms }] } : {}),
    }
  }
  return simulate({ stations, per_second: rate, requests: requestsFor(rate), next, seed: rate })
}

function logNormal({ median, sigma, most }: (typeof assumed)['target_ms'], random: () => number): number {
  // Box and Muller's method.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Math.min(most, median * Math.exp(sigma * normal))
}

/** What breaks, from the lowest rate on: one row for each part. */
function firstToBreak(fleet: string, figures: Figures, processes: (rate: number) => number): readonly Row[] {
  const outcomes = RATES.map(rate => ({ rate, found: outcomeAt(rate, processes(rate), figures) }))
  const parts = outcomes[0]?.found.map(({ name }) => name) ?? []
  const rows = parts.map((name, at) => {
    const broken = outcomes.find(({ found }) => found[at] !== undefined && breaks(found[at]))
    return { name, rate: broken?.rate ?? null, how: described(broken?.found[at] ?? outcomes.at(-1)?.found[at]) }
  })
  return [...rows, allowances()]
    .sort((a, b) => (a.rate ?? Number.POSITIVE_INFINITY) - (b.rate ?? Number.POSITIVE_INFINITY))
    .map(({ name, rate, how }, at) => ({
      what: `${fleet}: ${name}`,
      measured: rate === null ? `holds at ${RATES.at(-1)}/s` : `${at === 0 ? 'first to break: ' : ''}at ${rate}/s`,
      beside: how,
      ratio: null,
    }))
}

const breaks = ({ taken, gave_up }: StationOutcome): boolean => taken > MOST_TAKEN || gave_up > MOST_GAVE_UP

const described = (outcome: StationOutcome | undefined): string =>
  outcome === undefined
    ? ''
    : `taken ${(outcome.taken * 100).toFixed(0)} % of the time, p99 of waits ${outcome.wait_p99_ms.toFixed(0)} ms` +
      (outcome.gave_up > 0 ? `, ${(outcome.gave_up * 100).toFixed(1)} % give up` : '')

const DAY_SECONDS = 86_400

/** The rate at which the smallest allowance of the default blocklists is spent before the day ends. */
function allowances(): { readonly name: string; readonly rate: number; readonly how: string } {
  const [smallest] = chooseLists()
    .flatMap(({ name, daily }) => (daily === null ? [] : [{ name, daily }]))
    .sort((a, b) => a.daily - b.daily)
  if (smallest === undefined) throw new Error('no blocklist has an allowance')
  const rate = smallest.daily / DAY_SECONDS / assumed.cold
  return {
    name: 'the smallest allowance of a blocklist',
    rate: Number(rate.toPrecision(2)),
    how: `${smallest.name}: ${smallest.daily} questions a day`,
  }
}

const shown = (figures: Figures): readonly Row[] => [
  {
    what: 'CPU of an instance for a cold check, for a cached answer over Redis',
    measured: `${figures.cold_cpu_ms.toFixed(1)} ms, ${(figures.cached_cpu_ms * 1_000).toFixed(0)} µs`,
    beside: '',
    ratio: null,
  },
  {
    what: 'CPU of Redis for them',
    measured: `${(figures.cold_redis_ms * 1_000).toFixed(0)} µs, ${(figures.cached_redis_ms * 1_000).toFixed(0)} µs`,
    beside: `${figures.cold_redis_bytes.toFixed(0)} and ${figures.cached_redis_bytes.toFixed(0)} bytes`,
    ratio: null,
  },
  { what: 'DNS questions of a cold check', measured: `${figures.questions}`, beside: '', ratio: null },
]

async function measure(): Promise<Figures> {
  return { ...(await measureChecks()), ...(await measureRedis()) }
}

/** Few enough that none misses a limit on a busy machine. */
const AT_ONCE = 4

/** Cold checks in the default configuration. */
async function measureChecks(): Promise<Pick<Figures, 'cold_cpu_ms' | 'questions'>> {
  const contest = await startContest()
  try {
    const { queries } = await contest.traffic()
    await contest.engine.ask('warmUp', { times: 600, at_once: AT_ONCE })
    const { cpu_us } = await contest.engine.ask<Taken>('checks', { times: 200, at_once: AT_ONCE })
    return { cold_cpu_ms: cpu_us / 1_000, questions: queries.length }
  } finally {
    await contest.end()
  }
}

const NAMES = 600
const CACHED = 6_000
const TOGETHER = 32
const TRIES = 100
const RETRY_MS = 100

/** What answers cost an instance and its Redis. The targets are internal, so that checks end after DNS. */
async function measureRedis(): Promise<Omit<Figures, 'cold_cpu_ms' | 'questions'>> {
  const name = (n: number) => `inside-${n}.lab`
  const zones = Object.fromEntries(Array.from({ length: NAMES }, (_, n) => [name(n), { A: ['10.0.0.5'] }]))
  const dns = await startLabDns({ zones })
  const server = await startServer()
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const config = { store: server.url, ...unlimited }
  const settings = { directory: join(directory, 'one'), resolver: dns.address, config }
  const key = createKey(settings, 'bench')
  const instance = await startInstance(settings)
  const client = await createClient({ url: server.url }).connect()
  const answered = async (domain: string) => {
    for (let left = TRIES; left > 0; left--) {
      const { status } = await ask({ url: `${instance.url}/api/v1/check?domain=${domain}`, key })
      if (status === 200) return
      // A new process refuses what would wait too long.
      await pause(RETRY_MS)
    }
    throw new Error(`${domain} was not answered`)
  }
  const cost = async (times: number, together: number, target: (n: number) => string) => {
    const before = { redis: await spent(client), cpu: processCpu(instance.pid) }
    let n = 0
    await repeat({ times, at_once: together }, () => answered(target(n++)))
    const after = await spent(client)
    return {
      cpu_ms: (processCpu(instance.pid) - before.cpu) / 1_000 / times,
      redis_ms: (after.cpu_ms - before.redis.cpu_ms) / times,
      bytes: (after.bytes - before.redis.bytes) / times,
    }
  }
  try {
    const cold = await cost(NAMES, AT_ONCE, name)
    await cost(CACHED, TOGETHER, n => name(n % NAMES))
    const cached = await cost(CACHED, TOGETHER, n => name(n % NAMES))
    return {
      cold_redis_ms: cold.redis_ms,
      cold_redis_bytes: cold.bytes,
      cached_cpu_ms: cached.cpu_ms,
      cached_redis_ms: cached.redis_ms,
      cached_redis_bytes: cached.bytes,
    }
  } finally {
    await client.close()
    await instance.kill('SIGKILL')
    server.end()
    await dns.close()
    rmSync(directory, { recursive: true })
  }
}
