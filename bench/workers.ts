// Two workers compared with one process: cached answers and cold checks. The load and the lab need a core for themselves, so both
// services get the same one core: what two workers and their owner answer there, twice, is what two cores give them.
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
import { SHOPS, shopName } from './shops.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 5
const seconds = 4
/** Seconds before the measured rounds: V8 compiles for hundreds of checks in each process, so two of them take twice as long. */
const warming = { one: 16, two: 36 }
const connections = 128
const together = 8
const least = 1.7

const autocannon = createRequire(import.meta.url).resolve('autocannon')

const settings = (workers: number) => ({
  data: 'data',
  downloads: { enabled: false },
  green_hosting: { enabled: false },
  log: { level: 'error' },
  server: { drain_delay_ms: 0, workers },
  plans: { bench: { quota: 1_000_000_000, period: 'month' } },
  check: { per_key: 10_000, per_key_per_second: 1_000_000, per_domain: 10_000, per_domain_per_second: 1_000_000 },
})

interface Service extends Started {
  readonly child: Child
  readonly directory: string
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
  const [one, two] = [await start(lab, 1), await start(lab, 2)]
  try {
    return [...(await compare('cached answers', one, two, hits)), ...(await compare('cold checks', one, two, checks))]
  } finally {
    await Promise.all([one, two].map(({ child }) => child.end()))
    await lab.end()
    for (const { directory } of [one, two]) rmSync(directory, { recursive: true })
  }
}

async function start({ reachable, env }: Lab, workers: number): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const child = startChild('service_process', { core: CORE.measured, env })
  const task: ServiceTask = { reachable, directory, settings: settings(workers) }
  const started = await child.ask<Started>('start', task)
  return { ...started, child, directory, next: 1 }
}

async function compare(
  what: string,
  one: Service,
  two: Service,
  measure: (service: Service, seconds: number) => Promise<Measured>,
): Promise<readonly Row[]> {
  await measure(one, warming.one)
  await measure(two, warming.two)
  const taken = await inTurns({ one: () => measure(one, seconds), two: () => measure(two, seconds) }, rounds)
  const rate = (figures: readonly Measured[]) => `${Math.round(medianOf(figures, one => one.per_second))}/s`
  const cpu = (figures: readonly Measured[]) => `${Math.round(medianOf(figures, one => one.cpu_us))} µs`
  return [
    {
      what: `${what} of two workers on one core, twice`,
      measured: `2 × ${rate(taken.two)}`,
      beside: `one process on that core: ${rate(taken.one)}`,
      ratio: 2 * ratioOf(taken.two, taken.one, one => one.per_second),
      target: { least },
    },
    {
      what: `${what}, CPU of all processes`,
      measured: cpu(taken.two),
      beside: `one process: ${cpu(taken.one)}`,
      ratio: ratioOf(taken.two, taken.one, one => one.cpu_us),
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

async function checks(service: Service, seconds: number): Promise<Measured> {
  const before = treeCpu(service.child.pid)
  const began = performance.now()
  const end = began + seconds * 1_000
  const next = () => {
    if (performance.now() >= end || service.next >= SHOPS) return null
    const asked = { url: target(service, shopName(service.next)), key: service.key }
    service.next += 1
    return asked
  }
  const answers = await closedLoop(together, next)
  const good = answers.filter(({ status }) => status === 200).length
  // On a busy machine some are refused as overload.
  if (good < answers.length / 2) throw new Error(`${good} of ${answers.length} answered: ${answers.at(-1)?.status}`)
  const took_ms = performance.now() - began
  return { per_second: (good / took_ms) * 1_000, cpu_us: (treeCpu(service.child.pid) - before) / good }
}
