// A feed in memory: names and prefixes as hashes in one table.
import { prefixOf, shownPrefix } from '../../network/address_prefix.ts'
import type { Breathe } from './breath.ts'
import { keyHash as hash } from './key_hash.ts'
import { collectKeys, type KeyTable } from './key_table.ts'
import { createNameKeys, type NameKeys } from './name_keys.ts'
import { isShared } from './shared_hosts.ts'
import { createSieve } from './sieve.ts'
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

/** Of all feeds of the process. */
const listed = createSieve()
const nameKeys = createNameKeys(hash, listed)

/** Octets that all feeds hold together, beside their own. */
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
    async build(breathe) {
      const table = await keys.toTable(breathe)
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

/** A shared host that somebody listed is nobody's in particular; those below it stand for themselves. */
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
    if (prefix !== null && has(prefix.key)) return shownPrefix(prefix)
  }
  return null
}
