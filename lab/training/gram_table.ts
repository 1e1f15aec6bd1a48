// The n-grams of all names, computed once because the regressions read them many times.
import { createGrams } from '../../src/evidence/name_score/logits.ts'
import type { LabelledName } from './lists.ts'

export type GramTable = ReturnType<typeof tabulateGrams>

/** `bits`: logarithm of the number of buckets. */
export function tabulateGrams(names: readonly LabelledName[], bits: number) {
  const grams = createGrams(bits)
  /** Where each name's buckets start in `buckets`, and the end of the last. */
  const starts = new Uint32Array(names.length + 1)
  names.forEach(({ parts }, row) => {
    grams.read(parts)
    starts[row + 1] = (starts[row] ?? 0) + (grams.ends.at(-1) ?? 0)
  })
  const buckets = new Uint32Array(starts[names.length] ?? 0)
  names.forEach(({ parts }, row) => {
    grams.read(parts)
    buckets.set(grams.buckets.subarray(0, grams.ends.at(-1)), starts[row])
  })
  return { starts, buckets }
}
