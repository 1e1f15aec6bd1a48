// A list of popular domains in memory: the place of each in the list.
import type { Breathe } from './breath.ts'
import { keyHash as hash } from './key_hash.ts'
import { collectKeys } from './key_table.ts'
import type { Subject } from './subject.ts'

export interface RankIndex {
  readonly size: number
  /** Octets held. */
  readonly bytes: number
  /** 1 is the first of the list; null when it is not there. */
  rank(domain: string): number | null
}

export interface RankIndexBuilder {
  add(subject: Subject): void
  build(breathe: Breathe): Promise<RankIndex>
}

/** Names rank in the order they are added. */
export function buildRankIndex(): RankIndexBuilder {
  const keys = collectKeys()
  return {
    add(subject) {
      if (!('name' in subject)) return
      hash.of(subject.name)
      keys.add(hash.high, hash.low)
    },
    async build(breathe) {
      const table = await keys.toTable(breathe, 'order')
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
