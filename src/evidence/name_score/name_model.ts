// How malicious a name looks, from its characters alone.
import type { NameScore } from './facts.ts'
import { createFeatureReader, featureNames } from './features.ts'
import { askForest, packForest } from './forest.ts'
import type { NameModelData } from './model_file.ts'
import { splitName } from './parts.ts'
import { highestScore, scoreOf } from './score.ts'
import { suffixClasses, suffixClassOf } from './suffix_class.ts'
import { traitsOf } from './traits.ts'

export interface NameModel {
  /** `host`: lower case, A-labels. Never throws. */
  score(host: string): NameScore
}

export function createNameModel(data: NameModelData): NameModel {
  const featuresOf = createFeatureReader({ ...data, brands: new Set(data.brands) })
  const forest = packForest(data.forest)
  const shares = new Float64Array(featureNames.length)
  const { thresholds, classThresholds, balance } = data
  const ofClass = suffixClasses.map((_, at) => classThresholds.subarray(at * highestScore, (at + 1) * highestScore))
  const [slope = 1, intercept = 0] = balance
  return {
    score(host) {
      const parts = splitName(host)
      const suffix_class = suffixClassOf(parts)
      const values = featuresOf(parts)
      const odds = askForest(forest, values, shares)
      const probability = 1 / (1 + Math.exp(-(slope * odds + intercept)))
      return {
        score: scoreOf(odds, thresholds),
        suffix_class,
        class_score: scoreOf(odds, ofClass[suffixClasses.indexOf(suffix_class)] ?? thresholds),
        probability: Math.round(probability * 1_000) / 1_000,
        traits: traitsOf(shares, values),
      }
    },
  }
}
