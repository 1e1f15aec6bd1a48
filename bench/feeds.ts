// Threat feeds in memory: the size of ten million names or URLs, the cost of a look-up, and whether a build blocks requests.
import { buildFeedIndex, type FeedIndex, sharedBytes } from '../src/datasets/feed/feed_index.ts'
import { yieldToEventLoop } from '../src/datasets/feed/yield_to_event_loop.ts'
import { readPrefixes } from '../src/network/address_prefix.ts'
import { cpuMs, heldMegabytes, keptMegabytes, keptOnDisk, refreshed, row } from './feed_measure.ts'
import { askedName, listedName } from './feed_names.ts'
import { urls } from './feed_urls.ts'
import type { Row } from './report.ts'

const MILLION = 1_000_000
const names = 10 * MILLION
/** The default feeds and a few of the operator's own. */
const lists = 12
const lookups = 200_000
const blocks = 300_000
const rounds = 5

const most = {
  megabytes: 130,
  kept_megabytes: 60,
  kept_microseconds: 20,
  microseconds: 3,
  build_ms: 1_500,
  turn_ms: 50,
}

export async function feeds(): Promise<readonly Row[]> {
  const before = await heldMegabytes()
  const one = await build([0], names)
  const megabytes = (await heldMegabytes()) - before + sharedBytes() / 1e6
  const alone = lookUp([one], 2)
  const kept = await keptOnDisk(one)
  const onDisk = lookUp([kept], 2)
  const many = await split()
  const shared = lookUp(many, 10)
  return [
    row('10 million names, index on disk', keptMegabytes(kept), most.kept_megabytes, 'MB'),
    row('look-up of a name and all its parents there, half of the names listed', onDisk, most.kept_microseconds, 'µs'),
    row('10 million names while their index is made, or without one', megabytes, most.megabytes, 'MB'),
    row(
      'look-up of a name and all its parents, 10 million names in one feed, half of the names listed',
      alone,
      most.microseconds,
      'µs',
    ),
    row(`the same, 10 million in ${lists} feeds, a tenth of the names listed`, shared, most.microseconds, 'µs'),
    ...(await addresses()),
    ...(await refresh()),
    ...(await urls()),
  ]
}

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
  const [reading, turn] = await refreshed(listedName, 'names')
  return [
    row('read and build 1 million names', reading, most.build_ms, 'ms'),
    row('longest turn of the event loop meanwhile, swap included', turn, most.turn_ms, 'ms'),
  ]
}
