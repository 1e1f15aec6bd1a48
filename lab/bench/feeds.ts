// Threat feeds: how long the index of ten million names or URLs takes, its memory and size, the cost of a look-up, and whether a build
// blocks requests.
import type { FeedIndex } from '../../src/knowledge/datasets/feed/feed_index.ts'
import { pathExpressions, readPage } from '../../src/targets/url_expressions.ts'
import { type Built, built, cpuMs, refreshed, row } from './feed_measure.ts'
import { askedName, listedName } from './feed_names.ts'
import type { Row } from './report.ts'

const MILLION = 1_000_000
const count = 10 * MILLION
/** The default feeds and a few of the operator's own, with as many names each. */
const lists = 12
const listed = 100_000
const lookups = 100_000
const blocks = 300_000
const rounds = 5
/** As in URLhaus and PhishTank. */
const pagesPerHost = 2

const most = {
  seconds: 60,
  mebibytes: 100,
  disk_megabytes: 300,
  microseconds: 30,
  page_microseconds: 60,
  build_ms: 5_000,
  turn_ms: 50,
}

const hostOf = (n: number): string => listedName(Math.floor(n / pagesPerHost))
const pathOf = (n: number): string => `/wp-content/${(n * 31).toString(36)}/verify/${n % 7}.php?token=${n}`
const urlOf = (n: number): string => `https://${hostOf(n)}${pathOf(n)}`

export async function feeds(): Promise<readonly Row[]> {
  const names = await built(count, listedName)
  const alone = lookUp([names.index], 2)
  const urls = await built(count, urlOf)
  const many: FeedIndex[] = []
  for (let at = 0; at < lists; at++) many.push((await built(listed, n => listedName(at + n * lists))).index)
  return [
    ...figures('10 million names', names),
    row('look-up of a name and all its parents there, half of the names listed', alone, most.microseconds, 'µs'),
    row(
      `the same in ${lists} feeds of ${listed} names, a tenth of the names listed`,
      lookUp(many, 10),
      lists * most.microseconds,
      'µs',
    ),
    ...(await addresses()),
    ...(await refresh('names', listedName)),
    ...figures('10 million URLs of 5 million hosts', urls),
    row(
      'look-up of a URL by all its expressions there, half of them listed',
      lookUpPages(urls.index),
      most.page_microseconds,
      'µs',
    ),
    ...(await refresh('urls', urlOf)),
  ]
}

const figures = (what: string, { index, seconds, cpu_seconds, mebibytes, disk_megabytes }: Built): Row[] => {
  if (index.size !== count) throw new Error(`${index.size} entries instead of ${count}`)
  return [
    row(`${what}: making their index`, seconds, most.seconds, 's'),
    row('CPU of that', cpu_seconds, most.seconds, 's'),
    row('growth of the process meanwhile', mebibytes, most.mebibytes, 'MiB'),
    row('their index on disk', disk_megabytes, most.disk_megabytes, 'MB'),
  ]
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

/** Microseconds to parse one URL and look it up. Verifies the number of hits. */
function lookUpPages(index: FeedIndex): number {
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

/** Addresses and blocks of eight lengths; every second look-up is a hit. */
async function addresses(): Promise<readonly Row[]> {
  const address = (n: number) => `${((n >>> 16) % 200) + 11}.${(n >>> 8) & 255}.${n & 255}.${(n * 7) & 255}`
  const { index, disk_megabytes } = await built(blocks, n => `${address(n * 64)}/${32 - (n % 8)}`)
  const since = process.cpuUsage()
  let hits = 0
  for (let n = 0; n < lookups; n++) if (index.address(address(n * 32)) !== null) hits++
  const each = (cpuMs(since) * 1_000) / lookups
  if (hits < lookups / 2) throw new Error(`${hits} hits of ${lookups}`)
  return [
    {
      what: `look-up of an address in ${index.size} blocks of eight lengths`,
      measured: `${each.toFixed(2)} µs`,
      beside: `${disk_megabytes.toFixed(1)} MB on disk`,
      ratio: null,
    },
  ]
}

/** Reads, builds and swaps a list of a million entries while names are looked up in every turn of the event loop. */
async function refresh(format: 'names' | 'urls', line: (n: number) => string): Promise<readonly Row[]> {
  const [reading, turn] = await refreshed(line, format)
  return [
    row(`CPU of reading and building 1 million ${format}`, reading, most.build_ms, 'ms'),
    row('longest turn of the event loop meanwhile, swap included', turn, most.turn_ms, 'ms'),
  ]
}
