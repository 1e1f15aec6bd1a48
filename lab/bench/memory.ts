// The memory of a running check: many checks at once, all waiting for a site that holds its response.
import { setTimeout as pause } from 'node:timers/promises'
import type { Child } from './child.ts'
import { startContest } from './contest.ts'
import type { Lab } from './lab.ts'
import { memoryUnderLoad } from './memory_load.ts'
import { processCpu } from './process_cpu.ts'
import type { Row } from './report.ts'
import { atRest } from './start.ts'
import { median } from './statistics.ts'

const at_once = 500
/** Checks started together; the next ones start when these wait, because too many DNS queries at once would be lost. */
const wave = 20
const rounds = 5
/** Milliseconds until a wave has requested the page, even on a busy machine. */
const patience_ms = 20_000

export interface Weight {
  readonly rss: number
  readonly heap: number
  readonly in_flight: number
}

export async function memory(): Promise<readonly Row[]> {
  const contest = await startContest({ holds: true })
  const { engine, lab } = contest
  // The first round also pays for compilation and heap growth.
  await weighOnce(engine, lab, at_once)
  const taken: Held[] = []
  for (let round = 0; round < rounds; round++) taken.push(await weighOnce(engine, lab, at_once))
  await contest.end()
  const kib = (figure: (one: (typeof taken)[number]) => number) => Math.round(median(taken.map(figure)) / 1024)
  return [
    ...(await atRest()),
    ...(await memoryUnderLoad()),
    {
      what: `memory per running check (${median(taken.map(one => one.at_once))} at once)`,
      measured: `${kib(one => one.heap)} KiB of heap`,
      beside: `${kib(one => one.rss)} KiB of the process, including TLS and sockets`,
      ratio: null,
    },
  ]
}

/** Bytes per check, and microseconds of CPU. */
export interface Held {
  readonly rss: number
  readonly heap: number
  readonly at_once: number
  readonly cpu_us: number
}

/** Starts so many checks, of which each waits for the site, and lets them finish. */
export async function weighOnce(engine: Child, lab: Lab, at_once: number): Promise<Held> {
  const empty = await engine.ask<Weight>('weigh')
  const began = processCpu(engine.pid)
  await lab.hold()
  for (let begun = 0; begun < at_once; ) {
    const count = Math.min(wave, at_once - begun)
    await engine.ask('begin', count)
    begun += count
    await waiting(lab, begun)
  }
  const held = processCpu(engine.pid)
  const full = await engine.ask<Weight>('weigh')
  const released = processCpu(engine.pid)
  await lab.release()
  await engine.ask('finish')
  return {
    rss: (full.rss - empty.rss) / full.in_flight,
    heap: (full.heap - empty.heap) / full.in_flight,
    at_once: full.in_flight,
    cpu_us: (held - began + processCpu(engine.pid) - released) / full.in_flight,
  }
}

async function waiting(lab: Lab, count: number): Promise<void> {
  const began = performance.now()
  while ((await lab.held()) < count) {
    if (performance.now() - began > patience_ms) throw new Error(`fewer than ${count} checks wait for the site`)
    await pause(10)
  }
}
