// Lists in memory: a feed of names and prefixes, and a list of popular domains with the rank of each.
import { formatPrefix, prefixOf } from '../../network/address_prefix.ts'
import {
  type BloomFilter,
  collectKeys,
  createBloomFilter,
  keyHash as hash,
  type KeyHash,
  type KeyTable,
} from './key_table.ts'
import { isShared } from './shared_hosts.ts'
import type { Subject } from './subject.ts'
import type { Yield } from './yield_to_event_loop.ts'

export interface FeedIndex {
  /** Distinct entries: names and prefixes. */
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  /** The longest entry that lists the name or a parent of it down to `registrable`; null when there is none. */
  name(name: string, registrable: string): string | null
  /** The longest prefix that lists the address, in CIDR notation; null when none does. */
  address(address: string): string | null
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
export const sharedBytes = listed.bytes

export function buildFeedIndex(): FeedIndexBuilder {
  const keys = collectKeys()
  const lengths = { 4: new Set<number>(), 6: new Set<number>() }
  const put = (key: string) => {
    hash.of(key)
    keys.add(hash.high, hash.low)
  }
  return {
    add(subject) {
      if ('name' in subject) {
        put(subject.name)
        return listed.add(hash.high, hash.low)
      }
      for (const { version, length, key } of subject.prefixes) {
        lengths[version].add(length)
        put(key)
      }
    },
    async build(yieldNow) {
      const table = await keys.toTable(yieldNow)
      nameKeys.forget()
      const longestFirst = { 4: descending(lengths[4]), 6: descending(lengths[6]) }
      const has = (key: string): boolean => {
        hash.of(key)
        return table.has(hash.high, hash.low)
      }
      return {
        size: table.size,
        bytes: table.bytes,
        name: (name, registrable) => findName(name, nameKeys.of(name, registrable), table),
        address: address => findAddress(address, longestFirst, has),
      }
    },
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
  /** Where each one begins in the name. */
  readonly from: Int32Array
  readonly high: Uint32Array
  readonly low: Uint32Array
}

interface NameKeysMaker {
  of(name: string, registrable: string): NameKeys
  forget(): void
}

/**
 * The hashes of a name and its parents down to `registrable` that some feed may list: computed once, however many feeds
 * are asked. Valid until the next call. Call `forget` when the feeds have changed.
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
      const table = await keys.toTable(yieldNow, 'order')
      return {
        size: table.size,
        bytes: table.bytes,
        rank(domain) {
          hash.of(domain)
          return table.valueOf(hash.high, hash.low)
        },
      }
    },
  }
}
