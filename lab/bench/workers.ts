// Two workers compared with one process. The load and the lab need CPU, too, so that two cores cannot show the throughput of two
// workers. Cached answers: both services get the same one core; what two workers and their owner answer there, twice, is what two
// cores give them. Cold checks: what they cost in CPU, because that is what limits them.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Child, CORE, nodeOn, startChild } from './child.ts'
import { closedLoop } from './client.ts'
import { type Lab, startLab } from './lab.ts'
import { treeCpu } from './process_cpu.ts'
import type { Row } from './report.ts'
import type { ServiceTask, Started } from './service_process.ts'
import { serviceSettings } from './service_settings.ts'
import { SHOPS, shopName } from './shops.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 5
const seconds = 4
const connections = 128
/** Cold checks in one round, and at once for each process. */
const checksOfRound = 150
const together = 6
/** Before the measured rounds, for each process: V8 compiles for about ten seconds of load and for hundreds of checks. */
const warming = { seconds: 10, checks: 600 }
const least = 1.7

const autocannon = createRequire(import.meta.url).resolve('autocannon')

const settings = (workers: number) => ({ ...serviceSettings, server: { ...serviceSettings.server, workers } })

interface Service extends Started {
  readonly child: Child
  readonly directory: string
  readonly workers: number
  /** The next shop that it has not checked. */
  next: number
}

interface Measured {
  readonly per_second: number
  /** Microseconds of CPU of all its processes for one answer. */
  readonly cpu_us: number
}

export async function workers(): Promise<readonly Row[]> {
  const lab = await startLab()
  try {
    return [...(await withBoth(lab, CORE.measured, compareHits)), ...(await withBoth(lab, CORE.any, compareChecks))]
  } finally {
    await lab.end()
  }
}

/** Runs `compare` with a service of one process and one of two workers. */
async function withBoth(
  lab: Lab,
  core: (typeof CORE)[keyof typeof CORE],
  compare: (one: Service, two: Service) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const [one, two] = [await start(lab, core, 1), await start(lab, core, 2)]
  try {
    return await compare(one, two)
  } finally {
    await Promise.all([one, two].map(({ child }) => child.end()))
    for (const { directory } of [one, two]) rmSync(directory, { recursive: true })
  }
}

async function start({ reachable, env }: Lab, core: number | null, workers: number): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const child = startChild('service_process', { core, env })
  const task: ServiceTask = { reachable, directory, settings: settings(workers) }
  const started = await child.ask<Started>('start', task)
  return { ...started, child, directory, workers, next: 1 }
}

const rate = (figures: readonly Measured[]) => `${Math.round(medianOf(figures, one => one.per_second))}/s`

async function compareHits(one: Service, two: Service): Promise<readonly Row[]> {
  for (const service of [one, two]) await hits(service, warming.seconds * service.workers)
  const taken = await inTurns({ one: () => hits(one, seconds), two: () => hits(two, seconds) }, rounds)
  const cpu = (figures: readonly Measured[]) => `${Math.round(medianOf(figures, one => one.cpu_us))} µs`
  return [
    {
      what: 'cached answers of two workers on one core, twice',
      measured: `2 × ${rate(taken.two)}, ${cpu(taken.two)} of CPU each`,
      beside: `one process on that core: ${rate(taken.one)}, ${cpu(taken.one)}`,
      ratio: 2 * ratioOf(taken.two, taken.one, one => one.per_second),
      target: { least },
    },
  ]
}

async function compareChecks(one: Service, two: Service): Promise<readonly Row[]> {
  for (const service of [one, two]) await checks(service, warming.checks * service.workers)
  const taken = await inTurns({ one: () => checks(one, checksOfRound), two: () => checks(two, checksOfRound) }, rounds)
  const cpu = (figures: readonly Measured[]) => `${(medianOf(figures, one => one.cpu_us) / 1_000).toFixed(1)} ms`
  return [
    {
      what: 'cold checks of two workers for the CPU of two cores, by the CPU of all processes',
      measured: cpu(taken.two),
      beside: `one process: ${cpu(taken.one)}`,
      ratio: 2 * ratioOf(taken.one, taken.two, one => one.cpu_us),
      target: { least },
    },
    {
      what: 'cold checks of two workers, the lab and the load on the same two cores',
      measured: rate(taken.two),
      beside: `one process: ${rate(taken.one)}`,
      ratio: ratioOf(taken.two, taken.one, one => one.per_second),
    },
  ]
}

const target = ({ url }: Service, name: string) => `${url}/api/v1/check?domain=${name}`

/** Rejects if any request did not succeed. */
async function hits(service: Service, seconds: number): Promise<Measured> {
  const options = ['-j', '-c', `${connections}`, '-d', `${seconds}`, '-H', `X-API-Key=${service.key}`]
  const before = treeCpu(service.child.pid)
  const { command, args } = nodeOn(CORE.helper, [autocannon, ...options, target(service, shopName(0))])
  const { stdout } = await promisify(execFile)(command, args)
  const { '2xx': good = 0, non2xx, errors, duration = seconds } = JSON.parse(stdout) as Record<string, number>
  if (!good || non2xx || errors) throw new Error(`${good} good answers, ${non2xx} others, ${errors} errors`)
  return { per_second: good / duration, cpu_us: (treeCpu(service.child.pid) - before) / good }
}

async function checks(service: Service, times: number): Promise<Measured> {
  const before = treeCpu(service.child.pid)
  const began = performance.now()
  const end = Math.min(SHOPS, service.next + times)
  const next = () => {
    if (service.next >= end) return null
    const asked = { url: target(service, shopName(service.next)), key: service.key }
    service.next += 1
    return asked
  }
  const answers = await closedLoop(together * service.workers, next)
  const good = answers.filter(({ status }) => status === 200).length
  // On a busy machine some are refused as overload.
  if (good === 0) throw new Error(`none of ${answers.length} answered: ${answers.at(-1)?.status}`)
  const took_ms = performance.now() - began
  return { per_second: (good / took_ms) * 1_000, cpu_us: (treeCpu(service.child.pid) - before) / good }
}
