// Which names no feed has: one look instead of one into every feed (a Bloom filter of three bits within a word).
// Bits are never taken back: a name that feeds have dropped costs a look into them, and never an answer.

export interface Sieve {
  /** Octets held. */
  readonly bytes: number
  add(high: number, low: number): void
  /** False when the key was never added; true when it was, and for one of some ten others with ten million added. */
  has(high: number, low: number): boolean
}

/** Words of 32 bits: eight mebibytes, for ten million names and those of months before. */
const WORDS_LOG2 = 21

export function createSieve(): Sieve {
  const words = new Uint32Array(2 ** WORDS_LOG2)
  const bits = (low: number) => (1 << (low & 31)) | (1 << ((low >>> 5) & 31)) | (1 << ((low >>> 10) & 31))
  const place = (high: number) => high >>> (32 - WORDS_LOG2)
  return {
    bytes: words.byteLength,
    add(high, low) {
      const at = place(high)
      words[at] = (words[at] as number) | bits(low)
    },
    has(high, low) {
      const wanted = bits(low)
      return ((words[place(high)] as number) & wanted) === wanted
    },
  }
}
