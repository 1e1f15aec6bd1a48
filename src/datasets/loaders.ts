// Reads the file of a dataset into the structure that look-ups need: one loader for each use.

import { readFile } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import {
  type Bootstrap,
  blockEntry,
  domainEntry,
  type EntryKey,
  parseBootstrap,
} from '../evidence/registration/bootstrap.ts'
import { type Dataset, type ListFormat, UnusableDataset, type Use } from './dataset.ts'
import { openPlain } from './decompress.ts'
import { buildFeedIndex, buildRankIndex, type FeedIndex, type RankIndex } from './feed/feed_index.ts'
import { buildPreloadIndex, type PreloadIndex } from './feed/preload_index.ts'
import { readSubject, type Subject } from './feed/subject.ts'
import { type Yield, yieldToEventLoop } from './feed/yield_to_event_loop.ts'
import { lineReaders, splitLines } from './list_format.ts'
import { type Mmdb, openMmdb } from './mmdb.ts'

export interface Values {
  feed: FeedIndex
  popularity: RankIndex
  hsts_preload: PreloadIndex
  city: Mmdb
  asn: Mmdb
  rdap_bootstrap: Bootstrap
  rdap_bootstrap_ipv4: Bootstrap
  rdap_bootstrap_ipv6: Bootstrap
}

export interface Loaded<Value> {
  readonly value: Value
  readonly entries: number
  /** Octets in memory, as far as they are known. */
  readonly bytes: number
}

type Loader<Value> = (path: string, dataset: Dataset) => Promise<Loaded<Value>>

const list = <Index extends { size: number; bytes: number }>(value: Index): Loaded<Index> => ({
  value,
  entries: value.size,
  bytes: value.bytes,
})

const database: Loader<Mmdb> = async path => {
  const value = await openMmdb(path)
  return { value, entries: value.nodes, bytes: value.bytes }
}

const bootstrap =
  (keyOf: EntryKey): Loader<Bootstrap> =>
  async path => {
    const value = await openBootstrap(path, keyOf)
    return { value, entries: value.services.size, bytes: 0 }
  }

const loaders: { readonly [One in Use]: Loader<Values[One]> } = {
  feed: async (path, dataset) => list(await readList(path, dataset, buildFeedIndex())),
  popularity: async (path, dataset) => list(await readList(path, dataset, buildRankIndex())),
  hsts_preload: async (path, dataset) => list(await readPreloads(path, dataset)),
  city: database,
  asn: database,
  rdap_bootstrap: bootstrap(domainEntry),
  rdap_bootstrap_ipv4: bootstrap(blockEntry(4)),
  rdap_bootstrap_ipv6: bootstrap(blockEntry(6)),
}

/** Rejects with `UnusableDataset` when the file has another format or too few entries. */
export async function loadDataset<One extends Use>(
  path: string,
  dataset: Dataset & { readonly use: One },
): Promise<Loaded<Values[One]>> {
  const loaded = await (loaders[dataset.use] as Loader<Values[One]>)(path, dataset)
  if (loaded.entries >= dataset.min_entries) return loaded
  throw new UnusableDataset(`${path}: only ${loaded.entries} entries`, 'too_few_entries')
}

/** A list that lost more than this share of its entries is probably broken. */
const MOST_LOST = 0.5

/** Loads the successor of what is in memory; also rejects when too many entries are gone. */
export async function loadSuccessor<One extends Use>(
  path: string,
  dataset: Dataset & { readonly use: One },
  held: Pick<Loaded<unknown>, 'entries'> | null,
): Promise<Loaded<Values[One]>> {
  const loaded = await loadDataset(path, dataset)
  if (held === null || loaded.entries >= held.entries * (1 - MOST_LOST)) return loaded
  throw new UnusableDataset(`${dataset.id}: only ${loaded.entries} entries left`, 'shrunk')
}

/** Rejects with `UnusableDataset`. */
async function openBootstrap(path: string, keyOf: EntryKey): Promise<Bootstrap> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const [why, reason] =
      error.code === 'ENOENT' ? ['no such file', 'no_file'] : [`cannot be read (${error.code})`, 'unreadable']
    throw new UnusableDataset(`${path}: ${why}`, reason)
  })
  const bootstrap = parseBootstrap(text, keyOf)
  if (bootstrap === null) throw new UnusableDataset(`${path}: not an RDAP bootstrap file of this kind`, 'wrong_format')
  return bootstrap
}

/** Reads Chromium's list line by line. Rejects with `UnusableDataset` when no line has an entry. */
async function readPreloads(path: string, dataset: Dataset): Promise<PreloadIndex> {
  const builder = buildPreloadIndex()
  const yieldNow = yieldToEventLoop()
  const lines = splitLines()
  const decoder = new StringDecoder('utf8')
  const take = async (some: readonly (string | null)[]) => {
    for (let n = 0; n < some.length; n++) {
      const line = some[n] ?? null
      if (line !== null) builder.add(line)
      if (n % STRIDE === 0) await yieldNow()
    }
  }
  for await (const chunk of await openPlain(path, dataset.max_bytes)) await take(lines.push(decoder.write(chunk)))
  await take(lines.push(decoder.end()))
  await take(lines.end())
  const index = await builder.build(yieldNow)
  if (index.size === 0) throw new UnusableDataset(`${path}: no entries`, 'wrong_format')
  return index
}

interface Builder<Index> {
  add(subject: Subject): void
  build(yieldNow: Yield): Promise<Index>
}

/** Share of unreadable values from which the file counts as something else, such as an error page. */
const UNREADABLE = 0.5
/** Lines between two looks at the clock. */
const STRIDE = 256

/** Reads a list from its file, slice by slice. Rejects with `UnusableDataset` when the file has another format. */
export async function readList<Index>(path: string, dataset: Dataset, builder: Builder<Index>): Promise<Index> {
  const stream = await openPlain(path, dataset.max_bytes)
  const yieldNow = yieldToEventLoop()
  const read = subjectReader(dataset)
  const count = { taken: 0, refused: 0 }
  const lines = splitLines()
  const decoder = new StringDecoder('utf8')
  const take = async (some: readonly (string | null)[]) => {
    for (let n = 0; n < some.length; n++) {
      takeLine(some[n] ?? null, read, builder, count)
      if (n % STRIDE === 0) await yieldNow()
    }
  }
  for await (const chunk of stream) await take(lines.push(decoder.write(chunk)))
  await take(lines.push(decoder.end()))
  await take(lines.end())
  if (count.taken === 0) throw new UnusableDataset(`${path}: no entries`, count.refused > 0 ? 'wrong_format' : 'empty')
  if (count.refused / (count.taken + count.refused) > UNREADABLE) {
    throw new UnusableDataset(`${path}: not in the format ${dataset.format}`, 'wrong_format')
  }
  return builder.build(yieldNow)
}

type SubjectReader = (line: string) => readonly (Subject | null)[] | null

/** The entries of a line; null for entries that look-ups in this list never ask about. */
function subjectReader(dataset: Dataset): SubjectReader {
  const read = lineReaders[dataset.format as ListFormat](dataset)
  const other = { names: 'prefixes', addresses: 'name', both: null }[dataset.about]
  const subjectOf = (value: string) => {
    const subject = readSubject(value)
    return subject === null || (other !== null && other in subject) ? null : subject
  }
  return line => read(line)?.map(subjectOf) ?? null
}

function takeLine(
  line: string | null,
  read: SubjectReader,
  builder: Pick<Builder<unknown>, 'add'>,
  count: { taken: number; refused: number },
): void {
  const subjects = line === null ? null : read(line)
  if (subjects === null) {
    count.refused++
    return
  }
  for (const subject of subjects) {
    if (subject === null) count.refused++
    else {
      count.taken++
      builder.add(subject)
    }
  }
}
