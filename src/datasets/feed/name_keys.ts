// The hashes of a name and its parents that some feed may have: made once, however many feeds are asked.
import type { KeyHash } from './key_hash.ts'
import type { Sieve } from './sieve.ts'

export interface NameKeys {
  /** How many there are, the longest first; most names have none. */
  readonly count: number
  /** Where each begins in the name. */
  readonly from: Int32Array
  readonly high: Uint32Array
  readonly low: Uint32Array
}

export interface NameKeysMaker {
  of(name: string, registrable: string): NameKeys
  forget(): void
}

/** RFC 1035 section 3.1: a name has no more labels. */
const LABELS = 127

/**
 * Of the name and its parents, no higher than `registrable`. Good until the next call; made anew after `forget`, which
 * is for when the feeds have changed.
 */
export function createNameKeys(hash: KeyHash, sieve: Pick<Sieve, 'has'>): NameKeysMaker {
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
      if (!sieve.has(hash.high, hash.low)) continue
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
