// A set of 64-bit hashes in one typed array (open addressing, linear probing), with a number for each where wanted.
// Hashes stand for keys: of n keys in memory one look-up hits by chance with odds of n in 2^64.
import type { Breathe } from './breath.ts'

export interface KeyTable {
  /** Distinct keys. */
  readonly size: number
  /** Octets held. */
  readonly bytes: number
  has(high: number, low: number): boolean
  /** The number that was first put with the key; null when it is not there or nothing was put. */
  valueOf(high: number, low: number): number | null
}

/** Hashes as they come, before their number is known. */
export interface KeyCollection {
  readonly count: number
  add(high: number, low: number): void
  /** Builds the table and empties the collection. */
  toTable(breathe: Breathe, valued?: 'order'): Promise<KeyTable>
}

/** Part of the places that is taken: a miss looks at six places on average, and those mostly share a cache line. */
const LOAD = 0.7
const CHUNK = 65_536
const TWO_32 = 2 ** 32
/** Keys between looks at the clock. */
const STRIDE = 2_048

export function collectKeys(): KeyCollection {
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
    async toTable(breathe, valued) {
      const table = emptyTable(count, valued === 'order')
      for (let n = 0; n < count; n++) {
        const chunk = chunks[Math.floor(n / CHUNK)] as Uint32Array
        const at = (n % CHUNK) * 2
        table.put(chunk[at] as number, chunk[at + 1] as number, n + 1)
        if (n % STRIDE === 0) await breathe()
      }
      chunks = []
      count = 0
      return table
    },
  }
}

/** `put` keeps the first number of a key that comes twice. */
function emptyTable(
  count: number,
  valued: boolean,
): KeyTable & { put(high: number, low: number, value: number): void } {
  const capacity = Math.ceil(count / LOAD) + 1
  const keys = new Uint32Array(capacity * 2)
  const values = valued ? new Uint32Array(capacity) : null
  let size = 0
  /** Where the key is, or the empty place where it would be. */
  const placeOf = (high: number, low: number): number => {
    let place = Math.floor((high * capacity) / TWO_32)
    for (;;) {
      const h = keys[place * 2]
      const l = keys[place * 2 + 1]
      if ((h === high && l === low) || (h === 0 && l === 0)) return place
      place = place + 1 === capacity ? 0 : place + 1
    }
  }
  const holds = (place: number) => keys[place * 2] !== 0 || keys[place * 2 + 1] !== 0
  return {
    get size() {
      return size
    },
    bytes: keys.byteLength + (values?.byteLength ?? 0),
    has: (high, low) => holds(placeOf(high, low)),
    valueOf(high, low) {
      const place = placeOf(high, low)
      return holds(place) && values ? (values[place] as number) : null
    },
    put(high, low, value) {
      const place = placeOf(high, low)
      if (holds(place)) return
      keys[place * 2] = high
      keys[place * 2 + 1] = low
      if (values) values[place] = value
      size++
    },
  }
}
