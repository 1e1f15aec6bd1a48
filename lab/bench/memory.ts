// The memory of the service at rest and under load, and of a running check, of which many wait for a site that holds its response.
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startContest, type Weight } from './engine.ts'
import { type Child, closedFor, isGood, median, processCpu, type Row, residentMib, rowOf, sized } from './harness.ts'
import { atRest, REST_MS } from './restart.ts'
import { startInLab } from './service.ts'
import { type Lab, startLab } from './site.ts'

const atOnce = sized(500, 20)
/** Checks started together; the next ones start when these wait, because too many DNS queries at once would be lost. */
const wave = 20
const rounds = sized(5, 1)
/** Milliseconds until a wave has requested the page, even on a busy machine. */
const patienceMs = 20_000

export async function memory(): Promise<readonly Row[]> {
  const contest = await startContest({ holds: true })
  const { engine, lab } = contest
  // The first round also pays for compilation and heap growth.
  await weighOnce(engine, lab, atOnce)
  const samples: MemorySample[] = []
  for (let round = 0; round < rounds; round++) samples.push(await weighOnce(engine, lab, atOnce))
  await contest.end()
  const kib = (figure: (one: (typeof samples)[number]) => number) => Math.round(median(samples.map(figure)) / 1024)
  return [
    ...(await atRest()),
    ...(await memoryUnderLoad()),
    {
      what: `memory per running check (${median(samples.map(one => one.at_once))} at once)`,
      measured: `${kib(one => one.heap)} KiB of heap`,
      beside: `${kib(one => one.rss)} KiB of the process, including TLS and sockets`,
      ratio: null,
    },
  ]
}

/** Bytes per check, and microseconds of CPU. */
export type MemorySample = Awaited<ReturnType<typeof weighOnce>>

/** Starts so many checks, of which each waits for the site, and lets them finish. */
export async function weighOnce(engine: Child, lab: Lab, atOnce: number) {
  const empty = await engine.ask<Weight>('weigh')
  const began = processCpu(engine.pid)
  await lab.hold()
  for (let startCount = 0; startCount < atOnce; ) {
    const count = Math.min(wave, atOnce - startCount)
    await engine.ask('begin', count)
    startCount += count
    await waiting(lab, startCount)
  }
  const heldCpu = processCpu(engine.pid)
  const full = await engine.ask<Weight>('weigh')
  const cpuAtRelease = processCpu(engine.pid)
  await lab.release()
  await engine.ask('finish')
  return {
    rss: (full.rss - empty.rss) / full.in_flight,
    heap: (full.heap - empty.heap) / full.in_flight,
    at_once: full.in_flight,
    cpu_us: (heldCpu - began + processCpu(engine.pid) - cpuAtRelease) / full.in_flight,
  }
}

async function waiting(lab: Lab, count: number): Promise<void> {
  const began = performance.now()
  while ((await lab.held()) < count) {
    if (performance.now() - began > patienceMs) throw new Error(`fewer than ${count} checks wait for the site`)
    await pause(10)
  }
}

/** As in docs/capacity.md, in MiB: cached results, other caches, and each of the checks that run at once by default. */
const budget = { results: 64, caches: 70, check: 0.25 }
const together = sized(256, 8)
const seconds = sized(30, 2)

const pages = [
  { what: 'shops', below: 'shops.lab' },
  { what: 'hostile pages of 2 MiB', below: 'deep.lab' },
] as const

/** Above that at rest: as many checks at once as it admits, of pages of shops and of the largest hostile pages. */
async function memoryUnderLoad(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const { what, below } of pages) {
    const lab = await startLab()
    const { child, url, key } = await startInLab(lab)
    await pause(REST_MS)
    const rest = residentMib(child.pid)
    // From now on the peak counts anew (proc(5)).
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
    let requests = 0
    const next = () => ({ url: `${url}/api/v1/check?domain=m${requests++}.${below}`, key })
    const answers = await closedFor(seconds, together, next)
    const good = answers.filter(isGood).length
    rows.push(
      rowOf(
        `memory above that at rest, ${together} checks of ${what} at once for ${seconds} s (${good} answered), by the formula`,
        residentMib(child.pid, 'VmHWM') - rest,
        budget.results + budget.caches + together * budget.check,
        'MiB',
      ),
    )
    await Promise.all([child.end(), lab.end()])
  }
  return rows
}
