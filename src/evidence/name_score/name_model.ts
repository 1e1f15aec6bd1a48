// The name model: scores a name by its characters alone, with boosted decision trees over its features.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFile, packageRoot } from '../../base/package_root.ts'
import { MAX_SCORE, type NameScore, scoreOf, splitName, suffixClasses, suffixClassOf } from './facts.ts'
import { createFeatureReader, featureNames, traitsOf } from './features.ts'
import { decodeModel, type Forest, type NameModelData } from './model_file.ts'

export interface NameModel {
  /** `host`: lower case, A-labels. Never throws. */
  score(host: string): NameScore
}

export function createNameModel(data: NameModelData): NameModel {
  const featuresOf = createFeatureReader({ ...data, brands: new Set(data.brands) })
  const forest = packForest(data.forest)
  const shares = new Float64Array(featureNames.length)
  const { thresholds, classThresholds, balance } = data
  const ofClass = suffixClasses.map((_, at) => classThresholds.subarray(at * MAX_SCORE, (at + 1) * MAX_SCORE))
  const [slope = 1, intercept = 0] = balance
  return {
    score(host) {
      const parts = splitName(host)
      const suffixClass = suffixClassOf(parts)
      const values = featuresOf(parts)
      const odds = askForest(forest, values, shares)
      const probability = 1 / (1 + Math.exp(-(slope * odds + intercept)))
      return {
        score: scoreOf(odds, thresholds),
        suffix_class: suffixClass,
        class_score: scoreOf(odds, ofClass[suffixClasses.indexOf(suffixClass)] ?? thresholds),
        probability: Math.round(probability * 1_000) / 1_000,
        traits: traitsOf(shares, values),
      }
    },
  }
}

/** Relative to the package's root, because the build copies no binary files. */
export const shippedModelPath = join(packageRoot, 'src/evidence/name_score/weights.bin')

/** The same, expanded by the build, relative to `dist`. */
export const EXPANDED_MODEL = 'name_model.bin'

let model: NameModel | undefined

/** The shipped model, read on first use. Throws `UnusableModel`, or the file system's error. */
export function shippedNameModel(): NameModel {
  model ??= createNameModel(decodeModel(readFileSync(builtFile(EXPANDED_MODEL) ?? shippedModelPath)))
  return model
}

/** The trees of a forest with the fields of a node adjacent, so that a node costs one cache miss. */
type PackedForest = ReturnType<typeof packForest>

const NODE_SIZE = 4

export function packForest({ roots, features, splits, lefts, odds }: Forest) {
  /** Four entries per node: feature, first entry of the left child, and, for `numbers`, split and odds. */
  const places = new Uint32Array(features.length * NODE_SIZE)
  const numbers = new Float32Array(places.buffer)
  for (let node = 0; node < features.length; node++) {
    const at = node * NODE_SIZE
    places[at] = features[node] ?? 0
    places[at + 1] = (lefts[node] ?? 0) * NODE_SIZE
    numbers[at + 2] = splits[node] ?? 0
    numbers[at + 3] = odds[node] ?? 0
  }
  return { roots: roots.map(root => root * NODE_SIZE), places, numbers }
}

/**
 * Returns the log-odds that the values belong to a malicious name. Fills `shares` with what each feature contributed
 * (Saabas' method); the shares and the expectations of the roots add up to the answer.
 */
export function askForest(
  { roots, places, numbers }: PackedForest,
  values: Float32Array,
  shares: Float64Array,
): number {
  shares.fill(0)
  let sum = 0
  for (const root of roots) {
    let at = root
    let odds = numbers[at + 3] ?? 0
    for (let leftNode = places[at + 1] ?? 0; leftNode !== 0; leftNode = places[at + 1] ?? 0) {
      const feature = places[at] ?? 0
      at = (values[feature] ?? 0) <= (numbers[at + 2] ?? 0) ? leftNode : leftNode + NODE_SIZE
      const next = numbers[at + 3] ?? 0
      shares[feature] = (shares[feature] ?? 0) + (next - odds)
      odds = next
    }
    sum += odds
  }
  return sum
}
