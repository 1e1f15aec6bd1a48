// The regressions' answers for one name: per aim, how far the n-grams of each space lean to malicious.
import { createGrams, gramSpaces } from './grams.ts'
import type { NameParts } from './parts.ts'

/** What each regression tells from benign names. */
export const aims = ['malicious', 'phishing', 'malware', 'generated'] as const

/** Regressions over the same buckets. */
export interface Regression {
  /** The logarithm of the number of buckets. */
  readonly bits: number
  /** The aims of a bucket side by side, in steps. */
  readonly weights: Int8Array
  /** The size of a step, by aim. */
  readonly steps: Float32Array
}

export interface Regressions {
  /** The first aim alone: most depends on it, so that it has most buckets. */
  readonly whole: Regression
  /** The other aims. */
  readonly kinds: Regression
}

/** Long names have many n-grams; their sum must not grow as fast. */
export const scaleOf = (grams: number): number => 1 / Math.sqrt(Math.max(1, grams))

/** Sums of each space, and of all. */
export const sumSpaces = [...gramSpaces, 'name'] as const

const sumCount = aims.length * sumSpaces.length

/** By space of `sumSpaces` and within it by aim. The array is reused. */
export function createLogits({ whole, kinds }: Regressions): (parts: NameParts) => Float32Array {
  const grams = createGrams(Math.max(whole.bits, kinds.bits))
  const { buckets, ends } = grams
  const wholeMask = 2 ** whole.bits - 1
  const kindsMask = 2 ** kinds.bits - 1
  const [phishingStep = 0, malwareStep = 0, generatedStep = 0] = kinds.steps
  const steps = [whole.steps[0] ?? 0, phishingStep, malwareStep, generatedStep]
  const sums = new Float32Array(sumCount)
  const total = gramSpaces.length * aims.length

  function sumSpace(first: number, from: number, to: number, scale: number): void {
    let [all, phishing, malware, generated] = [0, 0, 0, 0]
    for (let at = from; at < to; at++) {
      const bucket = buckets[at] ?? 0
      const place = (bucket & kindsMask) * 3
      all += whole.weights[bucket & wholeMask] ?? 0
      phishing += kinds.weights[place] ?? 0
      malware += kinds.weights[place + 1] ?? 0
      generated += kinds.weights[place + 2] ?? 0
    }
    sums[first] = all
    sums[first + 1] = phishing
    sums[first + 2] = malware
    sums[first + 3] = generated
    for (let aim = 0; aim < aims.length; aim++) {
      const sum = (sums[first + aim] ?? 0) * (steps[aim] ?? 0) * scale
      sums[first + aim] = sum
      sums[total + aim] = (sums[total + aim] ?? 0) + sum
    }
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
