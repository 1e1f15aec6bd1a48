// Threat feeds in memory: the size of ten million names, the cost of a look-up, and whether a build blocks requests.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { dataset } from '../src/datasets/dataset.ts'
import { openDatasetCache } from '../src/datasets/dataset_cache.ts'
import { buildFeedIndex, type FeedIndex, sharedBytes } from '../src/datasets/feed/feed_index.ts'
import { yieldToEventLoop } from '../src/datasets/feed/yield_to_event_loop.ts'
import { createSource } from '../src/datasets/source.ts'
import { readPrefixes } from '../src/network/address_prefix.ts'
import type { Network } from '../src/network/network.ts'
import { askedName, listedName } from './feed_names.ts'
import type { Row } from './report.ts'

const MILLION = 1_000_000
const names = 10 * MILLION
/** The default feeds and a few of the operator's own. */
const lists = 12
const lookups = 200_000
const blocks = 300_000
const rounds = 5

const most = { megabytes: 130, microseconds: 3, build_ms: 1_500, turn_ms: 50 }

/** CPU time, so that other load on the machine does not count. */
const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Released buffers are freed some time after the collection. */
async function heldMegabytes(): Promise<number> {
  collect()
  await setTimeout(200)
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

export async function feeds(): Promise<readonly Row[]> {
  const before = await heldMegabytes()
  const one = await build([0], names)
  const megabytes = (await heldMegabytes()) - before + sharedBytes / 1e6
  const alone = lookUp([one], 2)
  const many = await split()
  const shared = lookUp(many, 10)
  return [
    row('10 million names in memory', megabytes, most.megabytes, 'MB'),
    row(
      'look-up of a name and all its parents, 10 million names in one feed, half of the names listed',
      alone,
      most.microseconds,
      'µs',
    ),
    row(`the same, 10 million in ${lists} feeds, a tenth of the names listed`, shared, most.microseconds, 'µs'),
    ...(await addresses()),
    ...(await refresh()),
  ]
}

const row = (what: string, measured: number, bound: number, unit: string): Row => ({
  what,
  measured: `${measured.toFixed(2)} ${unit}`,
  beside: `${bound} ${unit}`,
  ratio: measured / bound,
  target: { most: 1 },
})

/** Takes every `step`-th name, starting with `first`. */
async function build([first = 0, step = 1]: readonly number[], count: number): Promise<FeedIndex> {
  const builder = buildFeedIndex()
  for (let n = 0; n < count; n++) builder.add({ name: listedName(first + n * step) })
  return builder.build(yieldToEventLoop())
}

async function split(): Promise<FeedIndex[]> {
  const found: FeedIndex[] = []
  for (let at = 0; at < lists; at++) found.push(await build([at, lists], Math.floor(names / lists)))
  return found
}

/** Microseconds to look up one name in all feeds. Verifies the number of hits. */
function lookUp(indexes: readonly FeedIndex[], listedOneIn: number): number {
  const asked = Array.from({ length: lookups }, (_, n) => askedName(n * 7, n % listedOneIn === 0))
  const taken = Array.from({ length: rounds }, () => {
    let hits = 0
    const since = process.cpuUsage()
    for (const { name, registrable } of asked) {
      for (const index of indexes) if (index.name(name, registrable) !== null) hits++
    }
    const each = (cpuMs(since) * 1_000) / lookups
    if (hits !== lookups / listedOneIn) throw new Error(`${hits} hits instead of ${lookups / listedOneIn}`)
    return each
  })
  return Math.min(...taken)
}

/** Addresses and blocks of eight lengths; every second look-up is a hit. */
async function addresses(): Promise<readonly Row[]> {
  const builder = buildFeedIndex()
  const address = (n: number) => `${((n >>> 16) % 200) + 11}.${(n >>> 8) & 255}.${n & 255}.${(n * 7) & 255}`
  for (let n = 0; n < blocks; n++) {
    const prefixes = readPrefixes(`${address(n * 64)}/${32 - (n % 8)}`)
    if (prefixes !== null) builder.add({ prefixes })
  }
  const index = await builder.build(yieldToEventLoop())
  const since = process.cpuUsage()
  let hits = 0
  for (let n = 0; n < lookups; n++) if (index.address(address(n * 32)) !== null) hits++
  const each = (cpuMs(since) * 1_000) / lookups
  if (hits < lookups / 2) throw new Error(`${hits} hits of ${lookups}`)
  return [
    {
      what: `look-up of an address in ${index.size} blocks of eight lengths`,
      measured: `${each.toFixed(2)} µs`,
      beside: `${(index.bytes / 1e6).toFixed(1)} MB`,
      ratio: null,
    },
  ]
}

/** Reads, builds and swaps a list of a million names while names are looked up in every turn of the event loop. */
async function refresh(): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-feeds-'))
  const path = join(directory, 'names.txt')
  writeFileSync(path, Array.from({ length: MILLION }, (_, n) => listedName(n)).join('\n'))
  const source = createSource<'feed'>(
    { ...dataset({ id: 'mine', use: 'feed', path }), use: 'feed' },
    {
      network: null as unknown as Network,
      clock: { now: Date.now, monotonic: () => performance.now() },
      cache: openDatasetCache(directory),
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
  return [
    row('read and build 1 million names', Math.min(...builds), most.build_ms, 'ms'),
    row('longest turn of the event loop meanwhile, swap included', Math.min(...turns), most.turn_ms, 'ms'),
  ]
}

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
