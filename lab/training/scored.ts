// The log-odds that a fitted model assigns to names, before any threshold.
import { createFeatureReader, type FeatureTables, featureNames } from '../../src/evidence/name_score/features.ts'
import { askForest, packForest } from '../../src/evidence/name_score/name_model.ts'
import type { FittedModel } from './fit.ts'
import type { LabelledName } from './lists.ts'

export interface ScoredName extends LabelledName {
  readonly odds: number
  /** Its source was not used for training. */
  readonly held: boolean
}

export const tablesOf = (model: FittedModel): FeatureTables => ({ ...model, brands: new Set(model.brands) })

export function scoreNames(model: FittedModel, names: readonly LabelledName[], isHeld: boolean): ScoredName[] {
  const featuresOf = createFeatureReader(tablesOf(model))
  const forest = packForest(model.forest)
  const shares = new Float64Array(featureNames.length)
  return names.map(name => ({ ...name, odds: askForest(forest, featuresOf(name.parts), shares), held: isHeld }))
}

export const oddsOf = (names: readonly ScoredName[]): Float32Array => Float32Array.from(names, ({ odds }) => odds)
