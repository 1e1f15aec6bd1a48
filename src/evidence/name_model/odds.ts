// The log-odds of a name: what the trees answer, and a part of what the regression over all malicious names does.
import { featureNames } from './features.ts'
import { askForest, type PackedForest } from './forest.ts'

/**
 * Trees know the lists they were trained on better than others; a plain sum of n-grams falls off less on names of lists
 * that neither has seen.
 */
const regressionPart = 0.25

const regressionSum = featureNames.indexOf('malicious name')

/** Answers as `askForest` does, for the values of a name's features; `shares` gets the regression's part too. */
export function askModel(forest: PackedForest, values: Float32Array, shares: Float64Array): number {
  const odds = askForest(forest, values, shares)
  const part = regressionPart * (values[regressionSum] ?? 0)
  shares[regressionSum] = (shares[regressionSum] ?? 0) + part
  return odds + part
}
