// The log-odds that a fitted model gives to names, however they are cut afterwards.
import { createFeatureReader, type FeatureTables, featureNames } from '../evidence/name_score/features.ts'
import { askForest, packForest } from '../evidence/name_score/name_model.ts'
import type { Fitted } from './fit.ts'
import type { LabelledName } from './lists.ts'

export interface ScoredName extends LabelledName {
  readonly odds: number
  /** Of a source that was not trained on. */
  readonly held: boolean
}

export const tablesOf = (fitted: Fitted): FeatureTables => ({ ...fitted, brands: new Set(fitted.brands) })

export function scoreNames(fitted: Fitted, names: readonly LabelledName[], held: boolean): ScoredName[] {
  const featuresOf = createFeatureReader(tablesOf(fitted))
  const forest = packForest(fitted.forest)
  const shares = new Float64Array(featureNames.length)
  return names.map(name => ({ ...name, odds: askForest(forest, featuresOf(name.parts), shares), held }))
}

export const oddsOf = (names: readonly ScoredName[]): Float32Array => Float32Array.from(names, ({ odds }) => odds)
