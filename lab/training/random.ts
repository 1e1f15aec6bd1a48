// A reproducible random number generator: the same seed gives the same training.

/** Yields numbers in [0, 1). */
export type Random = () => number

/** Marsaglia's xorshift of 32 bits. */
export function createRandom(seed: number): Random {
  let state = (seed | 0) === 0 ? 0x9e3779b9 : seed | 0
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Shuffles in place (Fisher–Yates). */
export function shuffle(values: Uint32Array, random: Random): void {
  for (let index = values.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const value = values[index] ?? 0
    values[index] = values[other] ?? 0
    values[other] = value
  }
}
