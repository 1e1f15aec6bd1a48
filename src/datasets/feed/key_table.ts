// Sets of 64-bit keyed hashes: the hash, an exact set (open addressing, linear probing) and a Bloom filter.
// A hash stands for its key: with n keys in memory, one look-up finds a key by chance with odds of n in 2^64.
import { randomBytes } from 'node:crypto'
import type { Yield } from './yield_to_event_loop.ts'

export interface KeyHash {
  /** Takes another secret of eight octets. Earlier hashes are worth nothing then. */
  rekey(secret: Uint8Array): void
  /** Hashes the text from `from` on. Never 0 in both halves, which marks an empty slot in tables. */
  of(text: string, from?: number): void
  /** The halves of the last hash, unsigned. */
  high: number
  low: number
}

export const SECRET_OCTETS = 8

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein), in the 32-bit integers that JavaScript has. `secret` has eight octets, which
 * only this installation knows, so that nobody can construct a name that collides with a listed one.
 */
export function createKeyHash(secret: Uint8Array = randomBytes(SECRET_OCTETS)): KeyHash {
  let k0 = 0
  let k1 = 0
  let v0 = 0
  let v1 = 0
  let v2 = 0
  let v3 = 0
  const round = () => {
    v0 = (v0 + v1) | 0
    v1 = rotate(v1, 5) ^ v0
    v0 = rotate(v0, 16)
    v2 = (v2 + v3) | 0
    v3 = rotate(v3, 8) ^ v2
    v0 = (v0 + v3) | 0
    v3 = rotate(v3, 7) ^ v0
    v2 = (v2 + v1) | 0
    v1 = rotate(v1, 13) ^ v2
    v2 = rotate(v2, 16)
  }
  const absorb = (word: number) => {
    v3 ^= word
    round()
    v0 ^= word
  }
  const hash: KeyHash = {
    high: 0,
    low: 0,
    rekey(secret) {
      const words = new DataView(secret.buffer, secret.byteOffset, SECRET_OCTETS)
      k0 = words.getInt32(0, true)
      k1 = words.getInt32(4, true)
    },
    of(text, from = 0) {
      v0 = k0
      v1 = k1 ^ 0xee
      v2 = 0x6c796765 ^ k0
      v3 = 0x74656462 ^ k1
      const length = text.length - from
      const whole = from + (length & ~3)
      let at = from
      for (; at < whole; at += 4) {
        absorb(
          text.charCodeAt(at) |
            (text.charCodeAt(at + 1) << 8) |
            (text.charCodeAt(at + 2) << 16) |
            (text.charCodeAt(at + 3) << 24),
        )
      }
      let last = length << 24
      for (let shift = 0; at < text.length; at++, shift += 8) last |= text.charCodeAt(at) << shift
      absorb(last)
      v2 ^= 0xee
      round()
      round()
      round()
      hash.high = (v1 ^ v3) >>> 0
      v1 ^= 0xdd
      round()
      round()
      round()
      hash.low = (v1 ^ v3) >>> 0
      if (hash.high === 0 && hash.low === 0) hash.low = 1
    },
  }
  hash.rekey(secret)
  return hash
}

/** All tables of a process share one secret, so that a name is hashed once for all feeds. */
export const keyHash: KeyHash = createKeyHash()

/** What the tables of this process are hashed with, from the first of them on. */
let shared: string | null = null

/** Hashes by this secret from now on. False when there are tables already that were hashed by another. */
export function shareSecret(secret: Uint8Array): boolean {
  const wanted = Buffer.from(secret).toString('hex')
  if (shared === null) {
    keyHash.rekey(secret)
    shared = wanted
  }
  return shared === wanted
}

/** Called before the first hash that a table keeps. */
export function fixSecret(): void {
  shared ??= ''
}

/** Numbers in memory, as an array of them, or on disk. */
export interface Column {
  readonly length: number
  /** Octets in memory. */
  readonly byteLength: number
  at(n: number): number | undefined
  /** The numbers from `from` to before `to`, for reading all of them in order. */
  subarray(from: number, to: number): Numbers
}

/** Numbers of unsigned 8, 16 or 32 bits in memory. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array

export interface KeyTable {
  /** Distinct keys. */
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  has(high: number, low: number): boolean
  /** The number that was first stored with the key; null when there is none. */
  valueOf(high: number, low: number): number | null
  /** What a file keeps of it. */
  readonly columns: TableColumns
}

export interface TableColumns {
  readonly size: number
  /** Two numbers for each slot: the halves of its key, both 0 in an empty slot. */
  readonly keys: Column
  /** The number of each slot; null where keys have none. */
  readonly values: Column | null
}

/** Reads a table. */
export function keyTableOf(columns: TableColumns): KeyTable {
  const { size, keys, values } = columns
  const capacity = keys.length / 2
  /** The slot of the key; null when the key is not there. */
  const slotOf = (high: number, low: number): number | null => {
    let place = Math.floor((high * capacity) / TWO_32)
    for (;;) {
      const h = keys.at(place * 2)
      const l = keys.at(place * 2 + 1)
      if (h === 0 && l === 0) return null
      if (h === high && l === low) return place
      place = place + 1 === capacity ? 0 : place + 1
    }
  }
  return {
    size,
    columns,
    bytes: keys.byteLength + (values?.byteLength ?? 0),
    has: (high, low) => slotOf(high, low) !== null,
    valueOf(high, low) {
      const place = slotOf(high, low)
      return place === null ? null : (values?.at(place) ?? null)
    },
  }
}

/** Collects hashes before their number is known. */
interface KeyCollection {
  readonly count: number
  add(high: number, low: number): void
  /** Builds the table and empties the collection. */
  toTable(yieldNow: Yield, valued?: 'order'): Promise<KeyTable>
}

/** Share of used slots: a miss looks at six slots on average, which mostly share a cache line. */
const LOAD = 0.7
const CHUNK = 65_536
const TWO_32 = 2 ** 32
/** Keys between two looks at the clock. */
const STRIDE = 2_048

export function collectKeys(): KeyCollection {
  fixSecret()
  let chunks: Uint32Array[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    add(high, low) {
      const at = (count % CHUNK) * 2
      if (at === 0) chunks.push(new Uint32Array(CHUNK * 2))
      const chunk = chunks[chunks.length - 1] as Uint32Array
      chunk[at] = high
      chunk[at + 1] = low
      count++
    },
    async toTable(yieldNow, valued) {
      const table = emptyTable(count, valued === 'order')
      for (let n = 0; n < count; n++) {
        const chunk = chunks[Math.floor(n / CHUNK)] as Uint32Array
        const at = (n % CHUNK) * 2
        table.put(chunk[at] as number, chunk[at + 1] as number, n + 1)
        if (n % STRIDE === 0) await yieldNow()
      }
      chunks = []
      count = 0
      return table.finish()
    },
  }
}

/** `put` keeps the first number of a repeated key. */
function emptyTable(count: number, valued: boolean) {
  const capacity = Math.ceil(count / LOAD) + 1
  const keys = new Uint32Array(capacity * 2)
  const values = valued ? new Uint32Array(capacity) : null
  let size = 0
  return {
    put(high: number, low: number, value: number): void {
      let place = Math.floor((high * capacity) / TWO_32)
      while (keys[place * 2] !== 0 || keys[place * 2 + 1] !== 0) {
        if (keys[place * 2] === high && keys[place * 2 + 1] === low) return
        place = place + 1 === capacity ? 0 : place + 1
      }
      keys[place * 2] = high
      keys[place * 2 + 1] = low
      if (values) values[place] = value
      size++
    },
    finish: (): KeyTable => keyTableOf({ size, keys, values }),
  }
}

/**
 * Answers for most names that no feed lists them, with one look instead of one per feed: three bits within one word.
 * Bits are never cleared: a name that feeds have dropped costs a look into them, but never changes an answer.
 */
export interface BloomFilter {
  /** Octets in memory. */
  readonly bytes: number
  /** What a file keeps of it. */
  readonly words: Uint32Array
  /** Makes room for that many further keys, which are added before the returned function is called. */
  reserve(count: number): () => void
  add(high: number, low: number): void
  /** Adds the keys of another filter by its words. Returns false, and adds none, where they are fewer or more. */
  merge(others: Numbers): boolean
  /**
   * False when the key was never added. True when it was, and for about one in eight other keys when the filter is as full as it
   * may be before it grows.
   */
  has(high: number, low: number): boolean
}

const WORD_BITS = 32
const BITS_PER_KEY = 3
/** Share of set bits up to which it does not grow: half of them for each of three bits of another key. */
const FULL = 0.5
/** As powers of two: words of a filter for some ten thousand keys, and eight mebibytes, for ten million and those of earlier months. */
const WORDS_LOG2 = { least: 11, most: 21 }

export function createBloomFilter(): BloomFilter {
  let log2 = WORDS_LOG2.least
  let words = new Uint32Array(2 ** log2)
  let set = 0
  let reserved = 0
  // Of the upper half, which tables of pages keep, too.
  const bits = (low: number) => (1 << ((low >>> 16) & 31)) | (1 << ((low >>> 21) & 31)) | (1 << ((low >>> 26) & 31))
  const place = (high: number) => high >>> (WORD_BITS - log2)
  const setBits = (at: number, more: number) => {
    const known = (words[at] as number) | 0
    const wanted = known | more
    if (wanted === known) return
    set += bitCount(wanted ^ known)
    words[at] = wanted
  }
  return {
    get bytes() {
      return words.byteLength
    },
    get words() {
      return words
    },
    reserve(count) {
      reserved += count * BITS_PER_KEY
      const before = log2
      while (log2 < WORDS_LOG2.most && set + reserved > FULL * WORD_BITS * 2 ** log2) {
        log2 += 1
        set *= 2
      }
      if (log2 > before) words = spread(words, log2 - before)
      return () => {
        reserved -= count * BITS_PER_KEY
      }
    },
    add(high, low) {
      setBits(place(high), bits(low))
    },
    merge(others) {
      if (others.length !== words.length) return false
      for (let at = 0; at < others.length; at++) setBits(at, others[at] as number)
      return true
    },
    has(high, low) {
      const wanted = bits(low)
      return ((words[place(high)] as number) & wanted) === wanted
    },
  }
}

/** Each word 2 to the power of `by` times: its keys are then in one of these, of which each has the bits of all. */
function spread(words: Uint32Array, by: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(words.length << by)
  for (let at = 0; at < more.length; at++) more[at] = words[at >>> by] as number
  return more
}

/** Adds neighbouring bits in pairs, then in groups of four and eight; the product adds the octets. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
