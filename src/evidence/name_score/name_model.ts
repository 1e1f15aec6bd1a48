// The name model: scores a name by its characters alone.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../package_root.ts'
import { highestScore, type NameScore, scoreOf, splitName, suffixClasses, suffixClassOf } from './facts.ts'
import { createFeatureReader, featureNames, traitsOf } from './features.ts'
import { askForest, packForest } from './forest.ts'
import { decodeModel, type NameModelData } from './model_file.ts'

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

/** Relative to the package's root, because the build copies no binary files. */
export const shippedModelPath = join(packageRoot, 'src/evidence/name_score/weights.bin')

let model: NameModel | undefined

/** The shipped model, read on first use. Throws `UnusableModel`, or the file system's error. */
export function shippedNameModel(): NameModel {
  model ??= createNameModel(decodeModel(readFileSync(shippedModelPath)))
  return model
}
