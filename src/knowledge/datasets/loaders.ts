// Reads the file of a dataset into the structure that look-ups need: one loader for each use.

import { type FileHandle, open, readFile } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { type Bootstrap, blockEntry, domainEntry, type EntryKey, parseBootstrap } from './bootstrap.ts'
import { type CtLogs, parseCtLogs } from './ct_logs.ts'
import { type Dataset, type ListFormat, UnusableDataset, type Use } from './dataset.ts'
import {
  type FeedIndex,
  feedEntries,
  feedIndexOf,
  type RankIndex,
  type Rule,
  rankEntries,
  rankIndexOf,
} from './feed/feed_index.ts'
import { type PreloadIndex, preloadEntries, preloadIndexOf } from './feed/preload_index.ts'
import { readSubject, type Subject } from './feed/subject.ts'
import type { KeptIndexes, ListKind } from './kept_indexes.ts'
import type { KeyTableBuilder } from './key_table.ts'
import { type DroppedCounts, type DropReason, EXCEPT, IMPORTANT, lineReaders, splitLines } from './list_format.ts'
import { type Mmdb, openMmdb } from './mmdb.ts'

export interface Values {
  feed: FeedIndex
  popularity: RankIndex
  hsts_preload: PreloadIndex
  ct_logs: CtLogs
  city: Mmdb
  asn: Mmdb
  rdap_bootstrap: Bootstrap
  rdap_bootstrap_ipv4: Bootstrap
  rdap_bootstrap_ipv6: Bootstrap
}

export interface LoadedDataset<Value> {
  readonly value: Value
  readonly entries: number
  /** Values of a list that count for nothing, by reason. */
  readonly dropped: DroppedCounts
}

const lists: { readonly [One in 'feed' | 'popularity' | 'hsts_preload']: ListKind<Values[One]> } = {
  feed: {
    numbered: false,
    fill: (path, dataset, table) => readList(path, dataset, table, feedEntries(table)),
    open: feedIndexOf,
  },
  popularity: {
    numbered: true,
    fill: (path, dataset, table) => readList(path, dataset, table, rankEntries(table)),
    open: rankIndexOf,
  },
  hsts_preload: { numbered: false, fill: readPreloads, open: preloadIndexOf },
}

type Loader<Value> = (path: string) => Promise<LoadedDataset<Value>>

const database: Loader<Mmdb> = async path => {
  const value = await openMmdb(path)
  return { value, entries: value.nodes, dropped: {} }
}

const bootstrap =
  (keyOf: EntryKey): Loader<Bootstrap> =>
  async path => {
    const value = await openParsed(path, text => parseBootstrap(text, keyOf), 'an RDAP bootstrap file of this kind')
    return { value, entries: value.services.size, dropped: {} }
  }

const logs: Loader<CtLogs> = async path => {
  const value = await openParsed(path, parseCtLogs, 'a list of CT logs')
  return { value, entries: value.size, dropped: {} }
}

const files: { readonly [One in Exclude<Use, keyof typeof lists>]: Loader<Values[One]> } = {
  ct_logs: logs,
  city: database,
  asn: database,
  rdap_bootstrap: bootstrap(domainEntry),
  rdap_bootstrap_ipv4: bootstrap(blockEntry(4)),
  rdap_bootstrap_ipv6: bootstrap(blockEntry(6)),
}

/** A list that lost more than this share of its entries is probably broken. */
const MOST_LOST = 0.5
/** Maximum rise of the unreadable share: beyond it, the publisher has probably changed the format. */
const MOST_UNREAD = 0.1

/** The unreadable share of the entries. */
function unreadShare({ entries, dropped }: Pick<LoadedDataset<unknown>, 'entries' | 'dropped'>): number {
  const { unreadable = 0, no_host = 0 } = dropped
  return (unreadable + no_host) / Math.max(1, entries + unreadable + no_host)
}

interface LoadOptions {
  readonly indexes: KeptIndexes
  /** What is in use: its successor is refused when too many entries are gone. */
  readonly held: Pick<LoadedDataset<unknown>, 'entries' | 'dropped'> | null
  /** Called when the index of a list is damaged while it is in use. */
  readonly onDamage?: () => void
  /** Reads a list again even where an index of it is kept. */
  readonly rebuild?: boolean
}

/** Rejects with `UnusableDataset` when the file has another format or too few entries. */
export async function loadDataset<One extends Use>(
  path: string,
  dataset: Dataset & { readonly use: One },
  { indexes, held, onDamage = () => {}, rebuild = false }: LoadOptions,
): Promise<LoadedDataset<Values[One]>> {
  const accept = (entries: number, droppedCounts: DroppedCounts = {}) => {
    if (entries < dataset.min_entries) {
      throw new UnusableDataset(`${path}: only ${entries} entries`, 'too_few_entries')
    }
    if (held !== null && entries < held.entries * (1 - MOST_LOST)) {
      throw new UnusableDataset(`${dataset.id}: only ${entries} entries left`, 'shrunk')
    }
    if (held !== null && unreadShare({ entries, dropped: droppedCounts }) > unreadShare(held) + MOST_UNREAD) {
      throw new UnusableDataset(`${dataset.id}: more entries are unreadable than before`, 'written_differently')
    }
  }
  const { use }: { readonly use: Use } = dataset
  if (use in lists) {
    const kind = lists[use as keyof typeof lists] as ListKind<IndexCounts>
    const index = await indexes.indexOf({
      path,
      dataset,
      kind,
      accept: ({ size, dropped }) => accept(size, dropped),
      onDamage,
      rebuild,
    })
    return { value: index as Values[One], entries: index.size, dropped: index.dropped ?? {} }
  }
  const loadedDataset = await files[use as keyof typeof files](path)
  accept(loadedDataset.entries)
  return loadedDataset as LoadedDataset<Values[One]>
}

/** Reads a small file as a whole. Rejects with `UnusableDataset`. */
async function openParsed<Value>(path: string, parse: (text: string) => Value | null, what: string): Promise<Value> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const [why, reason] =
      error.code === 'ENOENT' ? ['no such file', 'no_file'] : [`cannot be read (${error.code})`, 'unreadable']
    throw new UnusableDataset(`${path}: ${why}`, reason)
  })
  const value = parse(text)
  if (value === null) throw new UnusableDataset(`${path}: not ${what}`, 'wrong_format')
  return value
}

/** Reads Chromium's list. Rejects with `UnusableDataset` when no line has an entry. */
async function readPreloads(path: string, dataset: Dataset, table: KeyTableBuilder): Promise<object> {
  const entries = preloadEntries(table)
  await forEachLine(path, dataset, table, line => {
    if (line !== null) entries.add(line)
  })
  const details = entries.details()
  if (details.size === 0) throw new UnusableDataset(`${path}: no entries`, 'wrong_format')
  return details
}

interface IndexCounts {
  readonly size: number
  readonly dropped?: DroppedCounts
}

interface Entries {
  add(subject: Subject): void
  /** A rule about the name that stands above others: it excepts the name, is important, or both. */
  rule?(name: string, rule: Rule): void
  details(): object
}

/** Share of refused values from which the file counts as something else, such as an error page. */
const MOST_REFUSED = 0.5
const UNREADABLE: DropReason = 'unreadable'
/** Lines between two checks of the clock. */
const STRIDE = 256

/** Reads a list; returns the details of its entries. Rejects with `UnusableDataset` when the file has another format. */
export async function readList(
  path: string,
  dataset: Dataset,
  table: Pick<KeyTableBuilder, 'settle'>,
  entries: Entries,
): Promise<object> {
  const read = subjectReader(dataset)
  const droppedCounts: Partial<Record<DropReason, number>> = {}
  let acceptedCount = 0
  await forEachLine(path, dataset, table, line => {
    for (const one of line === null ? [UNREADABLE] : read(line)) {
      if (typeof one === 'string') {
        droppedCounts[one] = (droppedCounts[one] ?? 0) + 1
        continue
      }
      acceptedCount += 1
      if ('rule' in one) entries.rule?.(one.name, one.rule)
      else entries.add(one)
    }
  })
  const { unreadable = 0, no_host = 0, other_kind = 0 } = droppedCounts
  const refusedLines = unreadable + no_host + other_kind
  if (acceptedCount === 0) throw new UnusableDataset(`${path}: no entries`, refusedLines > 0 ? 'wrong_format' : 'empty')
  if (refusedLines / (acceptedCount + refusedLines) > MOST_REFUSED) {
    throw new UnusableDataset(`${path}: not in the format ${dataset.format}`, 'wrong_format')
  }
  return { ...entries.details(), dropped: droppedCounts }
}

/** Calls `take` with each line of the decompressed file, null for one that is too long, and yields between slices. */
async function forEachLine(
  path: string,
  { max_bytes }: Dataset,
  table: Pick<KeyTableBuilder, 'settle'>,
  take: (line: string | null) => void,
): Promise<void> {
  const lines = splitLines()
  const decoder = new StringDecoder('utf8')
  const yieldNow = yieldToEventLoop()
  const takeAll = async (some: readonly (string | null)[]) => {
    for (let n = 0; n < some.length; n++) {
      take(some[n] ?? null)
      if (n % STRIDE !== 0) continue
      await table.settle()
      await yieldNow()
    }
  }
  for await (const chunk of await openPlain(path, max_bytes)) await takeAll(lines.push(decoder.write(chunk)))
  await takeAll(lines.push(decoder.end()))
  await takeAll(lines.end())
}

/** Milliseconds of a slice: a fraction of the time that a cached answer takes. */
const SLICE_MS = 5

/** Splits long work, so that no request waits for a dataset. The function to call often returns null during a slice, then a promise for the next turn of the event loop. */
function yieldToEventLoop(): () => Promise<void> | null {
  let began = performance.now()
  return () => {
    if (performance.now() - began < SLICE_MS) return null
    return new Promise(resolve =>
      setImmediate(() => {
        began = performance.now()
        resolve()
      }),
    )
  }
}

type LineReading = Subject | { readonly name: string; readonly rule: Rule } | DropReason

/** The entries of a line, or why it has none. */
function subjectReader(dataset: Dataset): (line: string) => readonly LineReading[] {
  const read = lineReaders[dataset.format as ListFormat](dataset)
  const other = { names: 'prefixes', addresses: 'name', both: null }[dataset.about]
  const readOf = (value: string): LineReading => {
    const [rule, name] = dataset.format === 'adblock' ? ruleOf(value) : [null, value]
    const subject = readSubject(name)
    if (subject === null) return 'no_host'
    if (other !== null && other in subject) return 'other_kind'
    if (rule === null) return subject
    return 'name' in subject ? { name: subject.name, rule } : 'other_rule'
  }
  return line => {
    const values = read(line)
    return typeof values === 'string' ? [values] : values.map(readOf)
  }
}

/** A name of a list of rules without what stands before it. */
function ruleOf(value: string): [rule: Rule | null, name: string] {
  const ruleText = value.startsWith(EXCEPT) ? value.slice(EXCEPT.length) : value
  const isException = ruleText !== value
  if (ruleText.startsWith(IMPORTANT))
    return [isException ? 'important_exception' : 'important', ruleText.slice(IMPORTANT.length)]
  return [isException ? 'exception' : null, ruleText]
}

// Decompression, up to a limit: gzip, or the first member of a ZIP archive, recognised by their first octets.
// No ZIP library: yauzl and others need the central directory at the end and random access, and publishers ship one
// member, which zlib inflates as a stream from the local header.

/** Octets of a local file header of a ZIP archive before the file name (APPNOTE 4.3.7). */
const ZIP_HEADER = 30
const STORE_METHOD = 0
const DEFLATE_METHOD = 8

/** Rejects with `UnusableDataset` when the file cannot be read; the stream fails with one when the content exceeds the limit. */
export async function openPlain(path: string, maxBytes: number): Promise<Readable> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`
    throw new UnusableDataset(`${path}: ${why}`, error.code === 'ENOENT' ? 'no_file' : 'unreadable')
  })
  try {
    return await decompress(file, path, maxBytes)
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

async function decompress(file: FileHandle, path: string, maxBytes: number): Promise<Readable> {
  const head = Buffer.alloc(ZIP_HEADER)
  const { bytesRead } = await file.read(head, 0, ZIP_HEADER, 0)
  const whole = (start: number) => file.createReadStream({ start })
  const cap = () => octetLimit(path, maxBytes)
  if (bytesRead > 2 && head.readUInt16BE(0) === 0x1f8b) return chain(whole(0), createGunzip(), cap())
  if (bytesRead === ZIP_HEADER && head.readUInt32LE(0) === 0x04034b50) {
    const method = head.readUInt16LE(8)
    const start = ZIP_HEADER + head.readUInt16LE(26) + head.readUInt16LE(28)
    if (method === DEFLATE_METHOD) return chain(whole(start), createInflateRaw(), cap())
    const size = head.readUInt32LE(18)
    if (method === STORE_METHOD && size > 0)
      return chain(file.createReadStream({ start, end: start + size - 1 }), cap())
    throw new UnusableDataset(`${path}: unsupported kind of ZIP archive`, 'bad_encoding')
  }
  return chain(whole(0), cap())
}

/** Joins streams into one: an error of any of them reaches the last, and the end of the last closes all. */
function chain(first: Readable, ...rest: Transform[]): Readable {
  const last = rest.reduce<Readable>((from, to) => {
    from.once('error', error => to.destroy(asUnusable(error)))
    to.once('close', () => from.destroy())
    return from.pipe(to)
  }, first)
  return last
}

const asUnusable = (error: Error): Error =>
  error instanceof UnusableDataset
    ? error
    : new UnusableDataset(`cannot be decompressed: ${error.message}`, 'bad_encoding')

function octetLimit(path: string, maxBytes: number): Transform {
  let octetsLeft = maxBytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      octetsLeft -= chunk.length
      if (octetsLeft < 0) done(new UnusableDataset(`${path}: larger than ${maxBytes} octets`, 'too_large'))
      else done(null, chunk)
    },
  })
}
