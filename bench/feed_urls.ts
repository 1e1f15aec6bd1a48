// Feeds of URLs in memory: the size of ten million, also while they are built, and the cost of a look-up.
import { buildFeedIndex, type FeedIndex, sharedBytes } from '../src/datasets/feed/feed_index.ts'
import { readSubject } from '../src/datasets/feed/subject.ts'
import { yieldToEventLoop } from '../src/datasets/feed/yield_to_event_loop.ts'
import { pathExpressions, readPage } from '../src/targets/url_expressions.ts'
import { cpuMs, heldMegabytes, keptMegabytes, keptOnDisk, refreshed, row } from './feed_measure.ts'
import { listedName } from './feed_names.ts'
import type { Row } from './report.ts'

const count = 10_000_000
/** As in URLhaus and PhishTank. */
const pagesPerHost = 2
const lookups = 100_000
const rounds = 5

const most = {
  megabytes: 130,
  kept_megabytes: 60,
  kept_microseconds: 60,
  building: 300,
  microseconds: 15,
  build_ms: 4_000,
  turn_ms: 50,
}

const hostOf = (n: number): string => listedName(Math.floor(n / pagesPerHost))
const pathOf = (n: number): string => `/wp-content/${(n * 31).toString(36)}/verify/${n % 7}.php?token=${n}`

export async function urls(): Promise<readonly Row[]> {
  const before = await heldMegabytes()
  const { index, peak } = await build()
  const megabytes = (await heldMegabytes()) - before + sharedBytes() / 1e6
  const [reading, turn] = await refreshed(n => `https://${hostOf(n)}${pathOf(n)}`, 'urls')
  const kept = await keptOnDisk(index)
  return [
    row('10 million URLs of 5 million hosts, index on disk', keptMegabytes(kept), most.kept_megabytes, 'MB'),
    row(
      'look-up of a URL by all its expressions there, half of them listed',
      lookUp(kept),
      most.kept_microseconds,
      'µs',
    ),
    row(
      '10 million URLs of 5 million hosts while their index is made, or without one',
      megabytes,
      most.megabytes,
      'MB',
    ),
    row('the most while they are built', peak - before + sharedBytes() / 1e6, most.building, 'MB'),
    row('look-up of a URL by all its expressions, half of them listed', lookUp(index), most.microseconds, 'µs'),
    row('read and build 1 million URLs', reading, most.build_ms, 'ms'),
    row('longest turn of the event loop meanwhile, swap included', turn, most.turn_ms, 'ms'),
  ]
}

/** `peak`: the most megabytes of arrays at once, those included that wait for a collection. */
async function build(): Promise<{ index: FeedIndex; peak: number }> {
  const builder = buildFeedIndex()
  let peak = 0
  let calls = 0
  const look = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    peak = Math.max(peak, (heapUsed + arrayBuffers) / 1e6)
  }
  for (let n = 0; n < count; n++) {
    const subject = readSubject(`https://${hostOf(n)}${pathOf(n)}`)
    if (subject !== null) builder.add(subject)
    if (n % 100_000 === 0) look()
  }
  const yieldNow = yieldToEventLoop()
  const index = await builder.build(async () => {
    if (calls++ % 100 === 0) look()
    await yieldNow()
  })
  if (index.size !== count) throw new Error(`${index.size} URLs instead of ${count}`)
  return { index, peak }
}

/** Microseconds to parse one URL and look it up. Verifies the number of hits. */
function lookUp(index: FeedIndex): number {
  const asked = Array.from({ length: lookups }, (_, n) => {
    const host = hostOf(n * 7)
    const registrable = host.split('.').slice(/\.(?:co\.uk|com\.br)$/.test(host) ? -3 : -2)
    return { host: `www.${host}`, registrable: registrable.join('.'), rest: pathOf(n * 7 + (n % 2) * count) }
  })
  const taken = Array.from({ length: rounds }, () => {
    let hits = 0
    const since = process.cpuUsage()
    for (const { host, registrable, rest } of asked) {
      if (index.pages(host, registrable, pathExpressions(readPage(rest)))?.listed) hits++
    }
    const each = (cpuMs(since) * 1_000) / lookups
    if (hits !== lookups / 2) throw new Error(`${hits} hits instead of ${lookups / 2}`)
    return each
  })
  return Math.min(...taken)
}
