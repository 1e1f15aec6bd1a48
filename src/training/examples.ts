// What the trees are trained on: features of some of the names, read with regressions that have not seen them.

import type { NameParts } from '../evidence/name_score/facts.ts'
import { featureNames } from '../evidence/name_score/features.ts'
import type { Examples } from './boosting.ts'
import { isBenign, listOf } from './corpus.ts'
import type { LabelledName } from './lists.ts'

export interface Weighed {
  readonly names: readonly LabelledName[]
  /** By name: the share of times that it is looked at. */
  readonly shares: Float32Array
  readonly random: () => number
}

export interface StackExamples extends Examples {
  /** The name of each example. */
  readonly rows: Uint32Array
}

/** Of all examples, what a list must be of for its names to weigh less than those of a list half as long. */
const leastPart = 1 / 400

/**
 * Trees that mind only long lists trust what those alone have in common. So a name weighs the less the more of its list
 * there are, by the fourth root; generators are as one list. Both sides weigh the same.
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

/** At most about `most`, without their features yet. */
export function pickExamples({ names, shares, random }: Weighed, most: number): StackExamples {
  const total = shares.reduce((sum, share) => sum + share, 0)
  const part = Math.min(1, most / total)
  const rows = Uint32Array.from(names.keys()).filter(row => random() < part * (shares[row] ?? 0))
  const answers = Uint8Array.from(rows, row => (names[row] && isBenign(names[row]) ? 0 : 1))
  const weights = weigh(Array.from(rows).flatMap(row => names[row] ?? []))
  const width = featureNames.length
  return { rows, answers, weights, width, values: new Float32Array(rows.length * width) }
}

/** Reads the features of the examples that are here. */
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
