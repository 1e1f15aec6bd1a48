// The regressions' answers for one name: per aim, how far the n-grams of each space lean to malicious.
import { createGrams, gramSpaces } from './grams.ts'
import type { NameParts } from './parts.ts'

/** What each regression tells from benign names. */
export const aims = ['malicious', 'phishing', 'malware', 'generated'] as const

export interface RegressionTable {
  /** The logarithm of the number of buckets. */
  readonly bits: number
  /** The aims of a bucket side by side, in steps. */
  readonly weights: Int8Array
  /** The size of a step, by aim. */
  readonly steps: Float32Array
}

/** Long names have many n-grams; their sum must not grow as fast. */
export const scaleOf = (grams: number): number => 1 / Math.sqrt(Math.max(1, grams))

/** Sums of each space, and of all. */
export const sumSpaces = [...gramSpaces, 'name'] as const

const sumCount = aims.length * sumSpaces.length

/** By space of `sumSpaces` and within it by aim. The array is reused. */
export function createSums({ bits, weights, steps }: RegressionTable): (parts: NameParts) => Float32Array {
  const grams = createGrams(bits)
  const { buckets, ends } = grams
  const [stepOfAll = 0, stepOfPhishing = 0, stepOfMalware = 0, stepOfGenerated = 0] = steps
  const sums = new Float32Array(sumCount)
  const total = gramSpaces.length * aims.length

  function sumSpace(first: number, from: number, to: number, scale: number): void {
    let [all, phishing, malware, generated] = [0, 0, 0, 0]
    for (let at = from; at < to; at++) {
      const place = (buckets[at] ?? 0) * 4
      all += weights[place] ?? 0
      phishing += weights[place + 1] ?? 0
      malware += weights[place + 2] ?? 0
      generated += weights[place + 3] ?? 0
    }
    sums[first] = all * scale * stepOfAll
    sums[first + 1] = phishing * scale * stepOfPhishing
    sums[first + 2] = malware * scale * stepOfMalware
    sums[first + 3] = generated * scale * stepOfGenerated
    for (let aim = 0; aim < aims.length; aim++) sums[total + aim] = (sums[total + aim] ?? 0) + (sums[first + aim] ?? 0)
  }

  return parts => {
    grams.read(parts)
    const scale = scaleOf(ends[gramSpaces.length - 1] ?? 0)
    sums.fill(0, total)
    for (let space = 0, from = 0; space < gramSpaces.length; space++) {
      const to = ends[space] ?? 0
      sumSpace(space * aims.length, from, to, scale)
      from = to
    }
    return sums
  }
}
