// A feed in memory: names and prefixes as hashes in one table.
import type { Breathe } from './breath.ts'
import { type KeyHash, keyHash } from './key_hash.ts'
import { collectKeys } from './key_table.ts'
import { type Prefix, prefixOf, shownPrefix } from './prefix.ts'
import { isShared } from './shared_hosts.ts'
import type { Subject } from './subject.ts'

export interface FeedIndex {
  /** Distinct entries: names and prefixes. */
  readonly size: number
  /** Octets held. */
  readonly bytes: number
  /** The entry that lists the name: itself or a parent no higher than `registrable`, the longest; null when none does. */
  name(name: string, registrable: string): string | null
  /** The longest prefix that lists the address, in CIDR notation; null when none does. */
  address(address: string): string | null
}

export interface FeedIndexBuilder {
  add(subject: Subject): void
  build(breathe: Breathe): Promise<FeedIndex>
}

export function buildFeedIndex(hash: KeyHash = keyHash): FeedIndexBuilder {
  const keys = collectKeys()
  const lengths = { 4: new Set<number>(), 6: new Set<number>() }
  const put = (key: string) => {
    hash.of(key)
    keys.add(hash.high, hash.low)
  }
  return {
    add(subject) {
      if ('name' in subject) return put(subject.name)
      for (const { version, length, key } of subject.prefixes) {
        lengths[version].add(length)
        put(key)
      }
    },
    async build(breathe) {
      const table = await keys.toTable(breathe)
      const longestFirst = { 4: descending(lengths[4]), 6: descending(lengths[6]) }
      const has = (key: string, from = 0): boolean => {
        hash.of(key, from)
        return table.has(hash.high, hash.low)
      }
      return {
        size: table.size,
        bytes: table.bytes,
        name: (name, registrable) => findName(name, name.length - registrable.length, has),
        address: address => findAddress(address, longestFirst, key => has(key)),
      }
    },
  }
}

const descending = (numbers: ReadonlySet<number>): number[] => [...numbers].sort((a, b) => b - a)

/** A shared host that somebody listed is nobody's in particular; those below it stand for themselves. */
function findName(name: string, last: number, has: (key: string, from: number) => boolean): string | null {
  for (let from = 0; from >= 0 && from <= last; from = next(name, from)) {
    if (has(name, from)) {
      const matched = name.slice(from)
      if (!isShared(matched)) return matched
    }
  }
  return null
}

/** Where the parent begins; -1 when there is none. */
const next = (name: string, from: number): number => name.indexOf('.', from) + 1 || -1

function findAddress(
  address: string,
  lengths: Readonly<Record<4 | 6, readonly number[]>>,
  has: (key: string) => boolean,
): string | null {
  const version = address.includes(':') ? 6 : 4
  const prefixes = lengths[version].map(length => prefixOf(address, version, length))
  const found = prefixes.find((prefix): prefix is Prefix => prefix !== null && has(prefix.key))
  return found === undefined ? null : shownPrefix(found)
}
