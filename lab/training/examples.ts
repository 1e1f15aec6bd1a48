// The training examples of the trees: features of some names, computed with regressions that were not trained on them.

import type { NameParts } from '../../src/evidence/name_score/facts.ts'
import { featureNames } from '../../src/evidence/name_score/features.ts'
import type { Examples } from './boosting.ts'
import { isBenign, listOf } from './corpus.ts'
import type { LabelledName } from './lists.ts'

export interface WeightedNames {
  readonly names: readonly LabelledName[]
  /** Sampling rate of each name. */
  readonly shares: Float32Array
  readonly random: () => number
}

export interface StackExamples extends Examples {
  /** Index of the name of each example. */
  readonly rows: Uint32Array
}

/** A list with more than this share of all examples has its names weighted down. */
const leastPart = 1 / 400

/**
 * Trees trained mostly on long lists learn what is common to those lists only. So the weight of a name falls with the
 * fourth root of the size of its list; all generators together count as one list. Both classes have the same total
 * weight.
 */
function weigh(names: readonly LabelledName[]): Float32Array {
  const lists = names.map(name => (name.kind === 'dga' ? name.kind : listOf(name)))
  const sizes = new Map<string, number>()
  for (const list of lists) sizes.set(list, (sizes.get(list) ?? 0) + 1)
  const weights = Float32Array.from(lists, list => Math.max(names.length * leastPart, sizes.get(list) ?? 0) ** -0.25)
  const sums = { benign: 0, malicious: 0 }
  const sideOf = (at: number) => (names[at] && isBenign(names[at]) ? 'benign' : 'malicious')
  weights.forEach((weight, at) => {
    sums[sideOf(at)] += weight
  })
  return weights.map((weight, at) => (weight * names.length) / 2 / sums[sideOf(at)])
}

/** At most about `most` examples, whose features are still to be filled in. */
export function pickExamples({ names, shares, random }: WeightedNames, most: number): StackExamples {
  const total = shares.reduce((sum, share) => sum + share, 0)
  const part = Math.min(1, most / total)
  const rows = Uint32Array.from(names.keys()).filter(row => random() < part * (shares[row] ?? 0))
  const answers = Uint8Array.from(rows, row => (names[row] && isBenign(names[row]) ? 0 : 1))
  const weights = weigh(Array.from(rows).flatMap(row => names[row] ?? []))
  const width = featureNames.length
  return { rows, answers, weights, width, values: new Float32Array(rows.length * width) }
}

/** Fills in the features of the chosen examples. */
export function fillExamples(
  { rows, values, width }: StackExamples,
  names: readonly LabelledName[],
  isHere: (row: number) => boolean,
  featuresOf: (parts: NameParts) => Float32Array,
): void {
  rows.forEach((row, example) => {
    const name = names[row]
    if (name !== undefined && isHere(row)) values.set(featuresOf(name.parts), example * width)
  })
}
