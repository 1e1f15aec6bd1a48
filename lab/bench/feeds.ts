// Threat feeds: how long the index of ten million names or URLs takes, its memory and size, the cost of a look-up, and whether a build
// blocks requests.
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
import { pathExpressions, readPage } from '../../src/targets/url_expressions.ts'
import { cpuMs, type Row, rowOf, scratch, sized } from './harness.ts'

const count = sized(10_000_000, 20_000)
const refreshSize = sized(1_000_000, 20_000)
/** The default feeds and a few of the operator's own, with as many names each. */
const lists = 12
const listSize = sized(100_000, 1_000)
const lookups = sized(100_000, 1_000)
const rounds = sized(5, 1)
const refreshes = sized(3, 1)
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
  const names = await buildIndex(count, listedName)
  const alone = lookUp([names.index], 2)
  const urls = await buildIndex(count, urlOf)
  const many: FeedIndex[] = []
  for (let at = 0; at < lists; at++) many.push((await buildIndex(listSize, n => listedName(at + n * lists))).index)
  return [
    ...figures(`${count} names`, names),
    rowOf('look-up of a name and all its parents there, half of the names listed', alone, most.microseconds, 'µs', 2),
    rowOf(
      `the same in ${lists} feeds of ${listSize} names, a tenth of the names listed`,
      lookUp(many, 10),
      lists * most.microseconds,
      'µs',
      2,
    ),
    ...(await refresh('names', listedName)),
    ...figures(`${count} URLs, two for each host`, urls),
    rowOf(
      'look-up of a URL by all its expressions there, half of them listed',
      lookUpPages(urls.index),
      most.page_microseconds,
      'µs',
      2,
    ),
    ...(await refresh('urls', urlOf)),
  ]
}

const figures = (what: string, { index, seconds, cpu_seconds, mebibytes, disk_megabytes }: BuiltIndex): Row[] => {
  if (index.size !== count) throw new Error(`${index.size} entries instead of ${count}`)
  return [
    rowOf(`${what}: making their index`, seconds, most.seconds, 's'),
    rowOf('CPU of that', cpu_seconds, most.seconds, 's'),
    rowOf('growth of the process meanwhile', mebibytes, most.mebibytes, 'MiB'),
    rowOf('their index on disk', disk_megabytes, most.disk_megabytes, 'MB'),
  ]
}

/** Microseconds to look up one name in all feeds. Verifies the number of hits. */
function lookUp(indexes: readonly FeedIndex[], listedOneIn: number): number {
  const queries = Array.from({ length: lookups }, (_, n) => askedName(n * 7, n % listedOneIn === 0))
  const durations = Array.from({ length: rounds }, () => {
    let hits = 0
    const since = process.cpuUsage()
    for (const { name, registrable } of queries) {
      for (const index of indexes) if (index.name(name, registrable) !== null) hits++
    }
    const each = (cpuMs(since) * 1_000) / lookups
    if (hits !== lookups / listedOneIn) throw new Error(`${hits} hits instead of ${lookups / listedOneIn}`)
    return each
  })
  return Math.min(...durations)
}

/** Microseconds to parse one URL and look it up. Verifies the number of hits. */
function lookUpPages(index: FeedIndex): number {
  const queries = Array.from({ length: lookups }, (_, n) => {
    const host = hostOf(n * 7)
    const registrable = host.split('.').slice(/\.(?:co\.uk|com\.br)$/.test(host) ? -3 : -2)
    return { host: `www.${host}`, registrable: registrable.join('.'), rest: pathOf(n * 7 + (n % 2) * count) }
  })
  const durations = Array.from({ length: rounds }, () => {
    let hits = 0
    const since = process.cpuUsage()
    for (const { host, registrable, rest } of queries) {
      if (index.pages(host, registrable, pathExpressions(readPage(rest)))?.listed) hits++
    }
    const each = (cpuMs(since) * 1_000) / lookups
    if (hits !== lookups / 2) throw new Error(`${hits} hits instead of ${lookups / 2}`)
    return each
  })
  return Math.min(...durations)
}

/** Reads, builds and swaps a list while names are looked up in every turn of the event loop. */
async function refresh(format: 'names' | 'urls', line: (n: number) => string): Promise<readonly Row[]> {
  const directory = scratch()
  const path = join(directory, 'lines.txt')
  writeFileSync(path, Array.from({ length: refreshSize }, (_, n) => line(n)).join('\n'))
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
  for (let round = 0; round < refreshes; round++) {
    const watch = watchTurns(() => source.held()?.value.name('secure-0.com', 'secure-0.com') !== undefined)
    const since = process.cpuUsage()
    await source.refresh({ signal: new AbortController().signal, force: true })
    builds.push(cpuMs(since))
    turns.push(watch.longest())
  }
  return [
    rowOf(`CPU of reading and building ${refreshSize} ${format}`, Math.min(...builds), most.build_ms, 'ms'),
    rowOf('longest turn of the event loop meanwhile, swap included', Math.min(...turns), most.turn_ms, 'ms'),
  ]
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Released buffers are freed some time after the collection. */
export async function heldMegabytes(): Promise<number> {
  collect()
  await pause(200)
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
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

const indexes = scratch()
let files = 0

export type BuiltIndex = Awaited<ReturnType<typeof buildIndex>>

/** Builds the index of `count` lines of a feed, in a file as the service does. */
export async function buildIndex(count: number, line: (n: number) => string) {
  const path = join(indexes, `${++files}.index`)
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
    /** The most that the resident memory of the process grew meanwhile, in MiB. */
    mebibytes: (Math.max(most, process.memoryUsage.rss()) - before) / 2 ** 20,
    disk_megabytes: statSync(path).size / 1e6,
  }
}

const words = ['secure', 'login', 'update', 'cdn', 'mail', 'shop', 'account', 'verify', 'files', 'news', 'pay', 'app']
const suffixes = ['com', 'net', 'xyz', 'top', 'de', 'co.uk', 'com.br', 'info']

/** Every third name is a subdomain. */
export function listedName(index: number): string {
  const word = words[index % words.length] ?? ''
  const domain = `${word}-${((index * 2_654_435_761) >>> 0).toString(36)}${index.toString(36)}`
  const suffix = suffixes[index % suffixes.length] ?? ''
  return index % 3 === 0 ? `${words[(index >> 3) % words.length]}.${domain}.${suffix}` : `${domain}.${suffix}`
}

/** A name to look up, two labels below, so that every parent is looked up; with its registrable domain. */
export function askedName(index: number, isListed: boolean): { name: string; registrable: string } {
  const own = isListed ? listedName(index) : `x${listedName(index)}`
  const at = own.split('.').length - (/\.(?:co\.uk|com\.br)$/.test(own) ? 3 : 2)
  return { name: `www.a${index % 9}.${own}`, registrable: own.split('.').slice(at).join('.') }
}
