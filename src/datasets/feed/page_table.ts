// The pages that a feed lists, each as 88 bits: 48 of its host's hash and 40 of its path's. Sorted, so that the pages of one
// host lie together: one table answers whether a page is listed and how many of its host are.
// With n pages in memory, a host without any is taken for one that has some with odds of n in 2^48. An unlisted page of a
// host with m listed ones is taken for one of them with odds of m in 2^40, for each of its expressions.
import { type Column, fixSecret } from './key_table.ts'
import type { Yield } from './yield_to_event_loop.ts'

export interface PageTable {
  /** Distinct pages. */
  readonly size: number
  /** Octets in memory. */
  readonly bytes: number
  /** The pages of the host with this hash; null when there are none. */
  of(high: number, low: number): HostPages | null
  /** What a file keeps of it. */
  readonly columns: PageColumns
}

export interface HostPages {
  readonly count: number
  /** Whether the path with this hash is among them. */
  has(high: number, low: number): boolean
}

interface PageCollection {
  add(hostHigh: number, hostLow: number, pathHigh: number, pathLow: number): void
  /** Builds the table and empties the collection. */
  toTable(yieldNow: Yield): Promise<PageTable>
}

/** The most pages of a feed, so that none takes more than 200 MB. Later ones are dropped. */
export const MOST_PAGES = 2 ** 24
/** Keys are collected by their first octet, and sorted by the others. */
const PARTS = 256
/** A key has three words of 32 bits; the last octet of the third is empty. */
const WORDS = 3
/** Keys in one allocation of a part. */
const CHUNK = 1_024
/** Word and shift of each octet to sort by, the least significant first. */
const OCTETS: readonly (readonly [word: number, shift: number])[] = [
  ...[8, 16, 24].map(shift => [2, shift] as const),
  ...[0, 8, 16, 24].map(shift => [1, shift] as const),
  ...[0, 8, 16].map(shift => [0, shift] as const),
]
/** Keys between two looks at the clock. */
const STRIDE = 2_048

interface Part {
  chunks: Uint32Array[]
  count: number
}

export function collectPages(): PageCollection {
  fixSecret()
  const empty = (): Part[] => Array.from({ length: PARTS }, () => ({ chunks: [], count: 0 }))
  let parts = empty()
  let count = 0
  return {
    add(hostHigh, hostLow, pathHigh, pathLow) {
      if (count === MOST_PAGES) return
      const part = parts[hostHigh >>> 24] as Part
      const at = (part.count % CHUNK) * WORDS
      if (at === 0) part.chunks.push(new Uint32Array(CHUNK * WORDS))
      const chunk = part.chunks[part.chunks.length - 1] as Uint32Array
      chunk[at] = hostHigh
      chunk[at + 1] = (hostLow & 0xffff0000) | (pathHigh >>> 16)
      chunk[at + 2] = (pathHigh << 16) | ((pathLow >>> 16) & 0xff00)
      part.count++
      count++
    },
    async toTable(yieldNow) {
      const builder = buildTable(count)
      // Each part is freed before the next is sorted, so that the collection and the table are never in memory together.
      for (const part of parts) await builder.append(await sorted(part, yieldNow), yieldNow)
      parts = empty()
      count = 0
      return builder.finish()
    },
  }
}

/** Empties the part. A radix sort takes the same time for any content, and can pause anywhere. */
async function sorted(part: Part, yieldNow: Yield): Promise<Uint32Array> {
  const { count } = part
  let from = new Uint32Array(count * WORDS)
  part.chunks.forEach((chunk, n) => {
    const start = n * CHUNK * WORDS
    from.set(chunk.subarray(0, from.length - start), start)
  })
  part.chunks = []
  part.count = 0
  let to = new Uint32Array(count * WORDS)
  for (const [word, shift] of OCTETS) {
    const places = placesBy(from, word, shift)
    for (let n = 0; n < count; n++) {
      const at = n * WORDS
      const octet = ((from[at + word] as number) >>> shift) & 0xff
      const place = (places[octet] as number) * WORDS
      places[octet] = (places[octet] as number) + 1
      to[place] = from[at] as number
      to[place + 1] = from[at + 1] as number
      to[place + 2] = from[at + 2] as number
      if (n % STRIDE === 0) await yieldNow()
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** The position of the first key with each value of the octet. */
function placesBy(keys: Uint32Array, word: number, shift: number): Uint32Array {
  const places = new Uint32Array(257)
  for (let at = word; at < keys.length; at += WORDS) {
    const next = (((keys[at] as number) >>> shift) & 0xff) + 1
    places[next] = (places[next] as number) + 1
  }
  for (let octet = 1; octet < 256; octet++) places[octet] = (places[octet] as number) + (places[octet - 1] as number)
  return places
}

/** Keys per entry of the directory: a search takes six steps. */
const PER_ENTRY = 64

/** Takes `most` keys in ascending order. 11 octets a key, and a directory of where keys with the same first bits begin. */
function buildTable(most: number) {
  const first = new Uint32Array(most)
  const second = new Uint32Array(most)
  const third = new Uint16Array(most)
  const fourth = new Uint8Array(most)
  const shift = 32 - Math.max(1, Math.ceil(Math.log2(most / PER_ENTRY + 1)))
  const directory = new Uint32Array(2 ** (32 - shift) + 1)
  let size = 0
  const isLast = (a: number, b: number, c: number): boolean =>
    first[size - 1] === a &&
    second[size - 1] === b &&
    third[size - 1] === c >>> 16 &&
    fourth[size - 1] === ((c >>> 8) & 0xff)
  return {
    async append(keys: Uint32Array, yieldNow: Yield): Promise<void> {
      for (let at = 0, n = 0; at < keys.length; at += WORDS, n++) {
        if (n % STRIDE === 0) await yieldNow()
        const [a, b, c] = [keys[at] as number, keys[at + 1] as number, keys[at + 2] as number]
        if (isLast(a, b, c)) continue
        first[size] = a
        second[size] = b
        third[size] = c >>> 16
        fourth[size] = (c >>> 8) & 0xff
        size++
        directory[(a >>> shift) + 1] = size
      }
    },
    finish: () => fitted({ first, second, third, fourth, directory, shift, size }),
  }
}

/** The 88 bits of each page in four columns, in ascending order. */
export interface PageColumns<Numbers extends Column = Column> {
  readonly first: Numbers
  readonly second: Numbers
  readonly third: Numbers
  readonly fourth: Numbers
  /** The start of the keys with each value of the first bits. */
  readonly directory: Numbers
  readonly shift: number
  readonly size: number
}

/** Copies the columns only when repeated keys left much of them empty. */
function fitted({
  directory,
  shift,
  size,
  ...columns
}: PageColumns<Uint8Array | Uint16Array | Uint32Array>): PageTable {
  for (let entry = 1; entry < directory.length; entry++) {
    directory[entry] = Math.max(directory[entry] as number, directory[entry - 1] as number)
  }
  const isFull = size > columns.first.length * 0.9
  const fit = (column: Uint8Array | Uint16Array | Uint32Array) =>
    isFull ? column.subarray(0, size) : column.slice(0, size)
  return pageTableOf({
    ...{
      first: fit(columns.first),
      second: fit(columns.second),
      third: fit(columns.third),
      fourth: fit(columns.fourth),
    },
    ...{ directory, shift, size },
  })
}

/** Reads a table. */
export function pageTableOf(columns: PageColumns): PageTable {
  const { first, second, third, fourth, directory, shift, size } = columns
  const arrays = [first, second, third, fourth, directory]
  return {
    size,
    columns,
    bytes: arrays.reduce((sum, { byteLength }) => sum + byteLength, 0),
    of(high, low) {
      const from = directory.at(high >>> shift) as number
      const to = directory.at((high >>> shift) + 1) as number
      const host = low >>> 16
      const start = firstNot(from, to, n =>
        first.at(n) === high ? (second.at(n) as number) >>> 16 < host : (first.at(n) as number) < high,
      )
      const end = firstNot(start, to, n => first.at(n) === high && (second.at(n) as number) >>> 16 === host)
      if (start === end) return null
      return {
        count: end - start,
        has(pathHigh, pathLow) {
          const [b, c, d] = [pathHigh >>> 16, pathHigh & 0xffff, pathLow >>> 24]
          const place = firstNot(start, end, n => {
            const above = (second.at(n) as number) & 0xffff
            return above !== b
              ? above < b
              : third.at(n) !== c
                ? (third.at(n) as number) < c
                : (fourth.at(n) as number) < d
          })
          return (
            place < end &&
            ((second.at(place) as number) & 0xffff) === b &&
            third.at(place) === c &&
            fourth.at(place) === d
          )
        },
      }
    },
  }
}

/** The first number from `from` on for which `holds` is false; it is true for all before it. */
function firstNot(from: number, to: number, holds: (n: number) => boolean): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
