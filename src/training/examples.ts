// What the trees are trained on: features of some of the names, read with regressions that have not seen them.
import { featureNames } from '../evidence/name_model/features.ts'
import type { NameParts } from '../evidence/name_model/parts.ts'
import type { Examples } from './boosting.ts'
import { isBenign } from './corpus.ts'
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

/** At most about `most`, without their features yet. Both sides weigh the same. */
export function pickExamples({ names, shares, random }: Weighed, most: number): StackExamples {
  const total = shares.reduce((sum, share) => sum + share, 0)
  const part = Math.min(1, most / total)
  const rows = Uint32Array.from(names.keys()).filter(row => random() < part * (shares[row] ?? 0))
  const answers = Uint8Array.from(rows, row => (names[row] && isBenign(names[row]) ? 0 : 1))
  const malicious = answers.reduce((sum, answer) => sum + answer, 0)
  const balance = (rows.length - malicious) / Math.max(1, malicious)
  const weights = Float32Array.from(answers, answer => (answer === 1 ? balance : 1))
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
