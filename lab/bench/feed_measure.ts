// How threat feeds are measured: CPU time, memory that is held, and turns of the event loop.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { dataset } from '../../src/knowledge/datasets/dataset.ts'
import { openDatasetCache } from '../../src/knowledge/datasets/download.ts'
import { type FeedIndex, feedEntries, feedIndexOf } from '../../src/knowledge/datasets/feed/feed_index.ts'
import { readSubject } from '../../src/knowledge/datasets/feed/subject.ts'
import { openKeptIndexes } from '../../src/knowledge/datasets/kept_indexes.ts'
import { createKeyTable } from '../../src/knowledge/datasets/key_table.ts'
import { createSource } from '../../src/knowledge/datasets/source.ts'
import type { Network } from '../../src/network/network.ts'
import type { Row } from './report.ts'

const rounds = 3

/** CPU time, so that other load on the machine does not count. */
export const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Released buffers are freed some time after the collection. */
export async function heldMegabytes(): Promise<number> {
  collect()
  await setTimeout(200)
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

export const row = (what: string, measured: number, bound: number, unit: string): Row => ({
  what,
  measured: `${measured.toFixed(2)} ${unit}`,
  beside: `${bound} ${unit}`,
  ratio: measured / bound,
  target: { most: 1 },
})

/** Measures the CPU milliseconds between turns; `answers` must be true in each. */
function watchTurns(answers: () => boolean) {
  let longest = 0
  let watching = true
  let since = process.cpuUsage()
  const turn = () => {
    longest = Math.max(longest, cpuMs(since))
    if (!answers()) throw new Error('the feed was unavailable')
    since = process.cpuUsage()
    if (watching) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    longest() {
      watching = false
      return longest
    },
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'assay-feeds-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
let files = 0

export interface Built {
  readonly index: FeedIndex
  readonly seconds: number
  readonly cpu_seconds: number
  /** The most that the resident memory of the process grew meanwhile, in MiB. */
  readonly mebibytes: number
  readonly disk_megabytes: number
}

/** Builds the index of `count` lines of a feed, in a file as the service does. */
export async function built(count: number, line: (n: number) => string): Promise<Built> {
  const path = join(scratch, `${++files}.index`)
  await heldMegabytes()
  const before = process.memoryUsage.rss()
  let most = before
  const began = performance.now()
  const since = process.cpuUsage()
  const builder = await createKeyTable(path)
  const entries = feedEntries(builder)
  for (let n = 0; n < count; n++) {
    const subject = readSubject(line(n))
    if (subject !== null) entries.add(subject)
    if (n % 256 === 0) await builder.settle()
    if (n % 50_000 === 0) most = Math.max(most, process.memoryUsage.rss())
  }
  const index = feedIndexOf(await builder.finish(entries.details()))
  return {
    index,
    seconds: (performance.now() - began) / 1_000,
    cpu_seconds: cpuMs(since) / 1_000,
    mebibytes: (Math.max(most, process.memoryUsage.rss()) - before) / 2 ** 20,
    disk_megabytes: statSync(path).size / 1e6,
  }
}

/** CPU milliseconds to read a million lines as a feed and build its index, and the longest turn of the event loop meanwhile. */
export async function refreshed(
  line: (n: number) => string,
  format: 'names' | 'urls',
): Promise<readonly [number, number]> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-feeds-'))
  const path = join(directory, 'lines.txt')
  writeFileSync(path, Array.from({ length: 1_000_000 }, (_, n) => line(n)).join('\n'))
  const source = createSource<'feed'>(
    { ...dataset({ id: 'mine', use: 'feed', path, format, max_bytes: 1e9 }), use: 'feed' },
    {
      network: null as unknown as Network,
      clock: { now: Date.now, monotonic: () => performance.now() },
      cache: openDatasetCache(directory),
      indexes: openKeptIndexes(directory),
      timeout_ms: 0,
    },
  )
  await source.load()
  const builds: number[] = []
  const turns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const watch = watchTurns(() => source.held()?.value.name('secure-0.com', 'secure-0.com') !== undefined)
    const since = process.cpuUsage()
    await source.refresh({ signal: new AbortController().signal, force: true })
    builds.push(cpuMs(since))
    turns.push(watch.longest())
  }
  rmSync(directory, { recursive: true })
  return [Math.min(...builds), Math.min(...turns)]
}
