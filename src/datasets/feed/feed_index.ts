// Lists in memory: a feed of names, pages and prefixes, and a list of popular domains with the rank of each.
import type { ListedPages } from '../../evidence/feeds/facts.ts'
import { formatPrefix, prefixOf } from '../../network/address_prefix.ts'
import { withoutWww } from '../../targets/identity.ts'
import { isPageWithoutQuery, isShared } from '../../targets/shared_hosts.ts'
import {
  type BloomFilter,
  collectKeys,
  createBloomFilter,
  keyHash as hash,
  type KeyHash,
  type KeyTable,
  keyTableOf,
  type Numbers,
  type TableColumns,
} from './key_table.ts'
import { collectPages, type HostPages, type PageColumns, type PageTable, pageTableOf } from './page_table.ts'
import type { Subject } from './subject.ts'
import type { Yield } from './yield_to_event_loop.ts'

export interface FeedIndex {
  /** Distinct entries: names, pages and prefixes. */
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  /** The longest entry that lists the name or a parent of it down to `registrable`; null when there is none. */
  name(name: string, registrable: string): string | null
  /**
   * The listed pages of the name, or else of its nearest parent down to `registrable`. `page`: the expressions that
   * list the checked page (`pathExpressions`); null without one.
   */
  pages(name: string, registrable: string, page: readonly string[] | null): ListedPages | null
  /** The longest prefix that lists the address, in CIDR notation; null when none does. */
  address(address: string): string | null
  /** What a file keeps of it. */
  readonly parts: FeedParts
}

export interface FeedParts {
  readonly keys: TableColumns
  readonly pages: PageColumns
  /** Lengths of the listed prefixes of each IP version, longest first. */
  readonly lengths: Readonly<Record<4 | 6, readonly number[]>>
}

interface FeedIndexBuilder {
  add(subject: Subject): void
  build(yieldNow: Yield): Promise<FeedIndex>
}

/** The most labels of a name (RFC 1035 section 3.1). */
const LABELS = 127

/** Shared by all feeds of the process. */
const listed = createBloomFilter()
const nameKeys = createNameKeys(hash, listed)

/** Octets that all feeds share, beside their own. */
export const sharedBytes = (): number => listed.bytes

export function buildFeedIndex(): FeedIndexBuilder {
  const keys = collectKeys()
  const pages = collectPages()
  const lengths = { 4: new Set<number>(), 6: new Set<number>() }
  const put = (key: string) => {
    hash.of(key)
    keys.add(hash.high, hash.low)
  }
  return {
    add(subject) {
      if ('name' in subject) {
        hash.of(subject.name)
        const { high, low } = hash
        if (subject.page === undefined) return keys.add(high, low)
        hash.of(subject.page)
        return pages.add(high, low, hash.high, hash.low)
      }
      for (const { version, length, key } of subject.prefixes) {
        lengths[version].add(length)
        put(key)
      }
    },
    async build(yieldNow) {
      const table = await keys.toTable(yieldNow)
      const pageTable = await pages.toTable(yieldNow)
      const parts = { keys: table.columns, pages: pageTable.columns }
      return openFeedIndex({ ...parts, lengths: { 4: descending(lengths[4]), 6: descending(lengths[6]) } }, yieldNow)
    },
  }
}

function indexOf(parts: FeedParts): FeedIndex {
  const { lengths } = parts
  const table = keyTableOf(parts.keys)
  const pageTable = pageTableOf(parts.pages)
  nameKeys.forget()
  const has = (key: string): boolean => {
    hash.of(key)
    return table.has(hash.high, hash.low)
  }
  return {
    size: table.size + pageTable.size,
    bytes: table.bytes + pageTable.bytes,
    name: (name, registrable) => findName(name, nameKeys.of(name, registrable), table),
    pages: (name, registrable, page) => findPages(name, nameKeys.of(name, registrable), pageTable, page),
    address: address => findAddress(address, lengths, has),
    parts,
  }
}

/** Numbers between two looks at the clock, which are read at once where they are on disk. */
const STRIDE = 32_768

/** The index of its parts. All names of a process go into one filter, by `filter` where that has the size of this one. */
export async function openFeedIndex(
  parts: FeedParts,
  yieldNow: Yield,
  filter: Numbers | null = null,
): Promise<FeedIndex> {
  const added = listed.reserve(entriesOf(parts))
  try {
    if (filter === null || !listed.merge(filter)) await addKeys(parts, listed, yieldNow)
  } finally {
    added()
  }
  return indexOf(parts)
}

/** Entries up to which a filter is kept: one for more would take too much memory while it is made. */
const MOST_FILTERED = 2_000_000

/** A filter of these parts alone, so that the next process need not read all of them; null where there are too many. */
export async function filterOf(parts: FeedParts, yieldNow: Yield): Promise<Numbers | null> {
  const count = entriesOf(parts)
  if (count > MOST_FILTERED) return null
  const filter = createBloomFilter()
  filter.reserve(count)
  await addKeys(parts, filter, yieldNow)
  return filter.words
}

const entriesOf = ({ keys, pages }: FeedParts): number => keys.size + pages.size

/** Reads all of them once, in order. */
async function addKeys({ keys, pages }: FeedParts, filter: Pick<BloomFilter, 'add'>, yieldNow: Yield): Promise<void> {
  for (let from = 0; from < keys.keys.length; from += STRIDE) {
    const slots = keys.keys.subarray(from, from + STRIDE)
    for (let at = 0; at < slots.length; at += 2) filter.add(slots[at] as number, slots[at + 1] as number)
    await yieldNow()
  }
  for (let from = 0; from < pages.size; from += STRIDE) {
    const to = Math.min(from + STRIDE, pages.size)
    const first = pages.first.subarray(from, to)
    const second = pages.second.subarray(from, to)
    for (let n = 0; n < first.length; n++) filter.add(first[n] as number, second[n] as number)
    await yieldNow()
  }
}

const descending = (numbers: ReadonlySet<number>): number[] => [...numbers].sort((a, b) => b - a)

/** An entry that is a shared host is ignored; entries below it count. */
function findName(name: string, keys: NameKeys, table: KeyTable): string | null {
  for (let at = 0; at < keys.count; at++) {
    if (!table.has(keys.high[at] as number, keys.low[at] as number)) continue
    const matched = name.slice(keys.from[at])
    if (!isShared(matched)) return matched
  }
  return null
}

/** Only the exact page counts on shared hosts, and those above the name say nothing about it. */
function findPages(name: string, keys: NameKeys, table: PageTable, page: readonly string[] | null): ListedPages | null {
  let nearest: ListedPages | null = null
  for (let at = 0; at < keys.count && table.size > 0; at++) {
    const found = table.of(keys.high[at] as number, keys.low[at] as number)
    if (found === null) continue
    const host = name.slice(keys.from[at])
    const shared = isShared(host)
    const asked = page === null ? [] : !shared ? page : host === withoutWww(name) ? exactPage(page) : []
    if (asked.some(path => hasPath(found, path))) return { host, count: shared ? null : found.count, listed: true }
    if (!shared) nearest ??= { host, count: found.count, listed: false }
  }
  return nearest
}

/** The page as asked, and without its query where the path names one page: a query that nobody reads hides no page. */
const exactPage = ([exact = '', path]: readonly string[]): string[] =>
  path !== undefined && exact.startsWith(`${path}?`) && isPageWithoutQuery(path) ? [exact, path] : [exact]

function hasPath(pages: HostPages, path: string): boolean {
  hash.of(path)
  return pages.has(hash.high, hash.low)
}

function findAddress(
  address: string,
  lengths: Readonly<Record<4 | 6, readonly number[]>>,
  has: (key: string) => boolean,
): string | null {
  const version = address.includes(':') ? 6 : 4
  for (const length of lengths[version]) {
    const prefix = prefixOf(address, version, length)
    if (prefix !== null && has(prefix.key)) return formatPrefix(prefix)
  }
  return null
}

interface NameKeys {
  /** The number of keys, longest name first; most names have none. */
  readonly count: number
  /** The offset of each in the name. */
  readonly from: Int32Array
  readonly high: Uint32Array
  readonly low: Uint32Array
}

interface NameKeysMaker {
  of(name: string, registrable: string): NameKeys
  forget(): void
}

/**
 * The hashes of a name and its parents down to `registrable` that some feed may list: computed once for all feeds.
 * Valid until the next call. Call `forget` when the feeds have changed.
 */
function createNameKeys(hash: KeyHash, filter: Pick<BloomFilter, 'has'>): NameKeysMaker {
  const keys = {
    count: 0,
    from: new Int32Array(LABELS),
    high: new Uint32Array(LABELS),
    low: new Uint32Array(LABELS),
  }
  let known = ''
  let last = 0
  const of = (name: string, registrable: string) => {
    const end = name.length - registrable.length
    if (name === known && end === last) return keys
    known = name
    last = end
    keys.count = 0
    for (let from = 0; from >= 0 && from <= end && keys.count < LABELS; from = name.indexOf('.', from) + 1 || -1) {
      hash.of(name, from)
      if (!filter.has(hash.high, hash.low)) continue
      keys.from[keys.count] = from
      keys.high[keys.count] = hash.high
      keys.low[keys.count] = hash.low
      keys.count++
    }
    return keys
  }
  return {
    of,
    forget() {
      known = ''
    },
  }
}

export interface RankIndex {
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  /** 1 is the first of the list; null when the list lacks the domain. */
  rank(domain: string): number | null
  /** What a file keeps of it. */
  readonly keys: TableColumns
}

interface RankIndexBuilder {
  add(subject: Subject): void
  build(yieldNow: Yield): Promise<RankIndex>
}

/** Names rank in the order in which they are added. */
export function buildRankIndex(): RankIndexBuilder {
  const keys = collectKeys()
  return {
    add(subject) {
      if (!('name' in subject)) return
      hash.of(subject.name)
      keys.add(hash.high, hash.low)
    },
    async build(yieldNow) {
      return rankIndexOf(await keys.toTable(yieldNow, 'order'))
    },
  }
}

/** The index of a table whose values are ranks. */
export function rankIndexOf(table: KeyTable): RankIndex {
  return {
    size: table.size,
    bytes: table.bytes,
    keys: table.columns,
    rank(domain) {
      hash.of(domain)
      return table.valueOf(hash.high, hash.low)
    },
  }
}
