// How cost grows: CPU and memory against the size of a page, the names in feeds, the keys, the plugins of others, and the checks
// at once. Each step is compared with a linear one: with ten times the size, ten times the cost is 1. What costs more is a defect.
import { startChild } from './child.ts'
import { startContest } from './contest.ts'
import type { Cost } from './growth_process.ts'
import { type Held, weighOnce } from './memory.ts'
import type { Row } from './report.ts'
import { medianOf } from './statistics.ts'

/** What noise may add to a linear step. */
const MOST = 1.25

interface Growth {
  readonly what: (size: number) => string
  readonly sizes: readonly number[]
  /** What the figures are for. */
  readonly cost: string
  readonly memory: string
}

const KIB = 1024
const sizes: Readonly<Record<string, Growth>> = {
  page: {
    what: octets => `a page of ${octets / KIB} KiB`,
    sizes: [10, 64, 256, 1_024, 2_048].map(kib => kib * KIB),
    cost: 'CPU per check without network',
    memory: 'peak of the process',
  },
  plugins: {
    what: count => `${count} plugins of others`,
    sizes: [0, 10, 30],
    cost: 'CPU per check without network',
    memory: 'peak of the process',
  },
  feed: {
    what: names => `${names} names in feeds`,
    sizes: [0, 100_000, 1_000_000, 10_000_000],
    cost: 'CPU per look-up of a name and its parents',
    memory: 'of the index on disk',
  },
  keys: {
    what: count => `${count} keys, of which up to 20000 are in use`,
    sizes: [1, 1_000, 100_000, 1_000_000],
    cost: 'CPU per key look-up with durable count',
    memory: 'of the store',
  },
}

const atOnce = [1, 20, 100, 500]
/** Checks in one figure, so that a tick of the clock of CPU is little beside them. */
const checksOfFigure = 100

export async function growth(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [task, { what, sizes: of, cost, memory }] of Object.entries(sizes)) {
    let before: Step | null = null
    for (const size of of) {
      const { cpu_us, megabytes } = await inOwnProcess(task, size)
      const step: Step = { size, cpu_us }
      rows.push({
        what: what(size),
        measured: `${shown(cpu_us)} of ${cost}`,
        beside: `${megabytes.toFixed(1)} MB ${memory}`,
        ...compared(before, step),
      })
      before = step
    }
  }
  return [...rows, ...(await concurrency())]
}

async function inOwnProcess(task: string, size: number): Promise<Cost> {
  const child = startChild('growth_process', { core: null })
  const cost = await child.ask<Cost>(task, size)
  await child.end()
  return cost
}

interface Step {
  readonly size: number
  readonly cpu_us: number
}

/** Nothing can be several times nothing. */
const compared = (before: Step | null, { size, cpu_us }: Step): Pick<Row, 'ratio' | 'target'> =>
  before === null || before.size === 0
    ? { ratio: null }
    : { ratio: cpu_us / before.cpu_us / (size / before.size), target: { most: MOST } }

const shown = (us: number): string => (us < 1_000 ? `${us.toFixed(1)} µs` : `${(us / 1_000).toFixed(1)} ms`)

/** Checks that all wait for the site at once. The CPU of one must not grow with the others at all. */
async function concurrency(): Promise<readonly Row[]> {
  const contest = await startContest({ holds: true })
  const { engine, lab } = contest
  await weighOnce(engine, lab, checksOfFigure)
  const rows: Row[] = []
  let alone: number | null = null
  for (const count of atOnce) {
    const taken: Held[] = []
    for (let checks = 0; checks < checksOfFigure; checks += count) taken.push(await weighOnce(engine, lab, count))
    // The sum, because the clock of CPU ticks less often than one check ends.
    const cpu_us = taken.reduce((sum, one) => sum + one.cpu_us, 0) / taken.length
    rows.push({
      what: `${count} checks at once`,
      measured: `${shown(cpu_us)} of CPU per check`,
      beside: `${(medianOf(taken, one => one.heap) / KIB).toFixed(0)} KiB of heap per check`,
      ...(alone === null ? { ratio: null } : { ratio: cpu_us / alone, target: { most: MOST } }),
    })
    alone ??= cpu_us
  }
  await contest.end()
  return rows
}
