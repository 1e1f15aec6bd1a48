// The memory of a running check: many checks at once, all waiting for a site that holds its response.
import { setTimeout as pause } from 'node:timers/promises'
import type { Child } from './child.ts'
import { startContest } from './contest.ts'
import type { Lab } from './lab.ts'
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
  await weighOnce(engine, lab)
  const taken: { rss: number; heap: number; at_once: number }[] = []
  for (let round = 0; round < rounds; round++) taken.push(await weighOnce(engine, lab))
  await contest.end()
  const kib = (figure: (one: (typeof taken)[number]) => number) => Math.round(median(taken.map(figure)) / 1024)
  return [
    ...(await atRest()),
    {
      what: `memory per running check (${median(taken.map(one => one.at_once))} at once)`,
      measured: `${kib(one => one.heap)} KiB of heap`,
      beside: `${kib(one => one.rss)} KiB of the process, including TLS and sockets`,
      ratio: null,
    },
  ]
}

/** Bytes per check. */
async function weighOnce(engine: Child, lab: Lab) {
  const empty = await engine.ask<Weight>('weigh')
  await lab.hold()
  for (let begun = 0; begun < at_once; ) {
    await engine.ask('begin', wave)
    begun += wave
    await waiting(lab, begun)
  }
  const full = await engine.ask<Weight>('weigh')
  await lab.release()
  await engine.ask('finish')
  return {
    rss: (full.rss - empty.rss) / full.in_flight,
    heap: (full.heap - empty.heap) / full.in_flight,
    at_once: full.in_flight,
  }
}

async function waiting(lab: Lab, count: number): Promise<void> {
  const began = performance.now()
  while ((await lab.held()) < count) {
    if (performance.now() - began > patience_ms) throw new Error(`fewer than ${count} checks wait for the site`)
    await pause(10)
  }
}
