// Trains the whole model: regressions over n-grams, and trees over their outputs and the other features.
import { createFeatureReader } from '../../src/evidence/name_score/features.ts'
import { hashText } from '../../src/evidence/name_score/hash.ts'
import { aims, type Regression, type Regressions } from '../../src/evidence/name_score/logits.ts'
import type { Forest } from '../../src/evidence/name_score/model_file.ts'
import { trainForest } from './boosting.ts'
import { sharesOf, withSubdomains, withTenants } from './corpus.ts'
import { fillExamples, pickExamples, type WeightedNames } from './examples.ts'
import { type GeneratedSet, generatedNames } from './generated.ts'
import { type GramTable, tabulateGrams } from './gram_table.ts'
import type { Kind, LabelledName } from './lists.ts'
import { createRandom } from './random.ts'
import { trainRegressions } from './regression.ts'
import { countLetters, findBrands } from './vocabulary.ts'

export interface FitOptions {
  /** Logarithms of the bucket counts. */
  readonly bits: { readonly whole: number; readonly kinds: number }
  readonly epochs: number
  /** Learning rate of the regressions; `shrink` is their decay. */
  readonly rate: number
  readonly shrink: number
  readonly folds: number
  readonly trees: number
  readonly leaves: number
  /** Shrinkage: the share of each tree's output that is used. */
  readonly treeRate: number
  /** Maximum number of names that the trees are trained on. */
  readonly examples: number
  /** See `quantize`. */
  readonly fineness: { readonly whole: number; readonly kinds: number }
  readonly generated: GeneratedSet
  readonly seed: number
  readonly log: (line: string) => void
}

/** The model before calibration. */
export interface FittedModel extends Regressions {
  readonly letters: Uint8Array
  readonly brands: Uint32Array
  readonly forest: Forest
}

/** Lessons of a name of each kind, by objective. Generated names are few, so they count more. */
const lessons: Readonly<Record<Kind, readonly number[]>> = {
  benign: [-1, -1, -1, -1],
  phishing: [1, 1, 0, 0],
  malware: [1, 0, 1.5, 0],
  scam: [1, 1, 0, 0],
  dga: [1.5, 0, 0, 4],
}

export function fitModel(allNames: readonly LabelledName[], options: FitOptions): FittedModel {
  const { folds, log } = options
  const random = createRandom(options.seed)
  const letters = countLetters(allNames)
  const brands = findBrands(allNames)
  const tenants = withTenants(allNames, random)
  const names = [...withSubdomains(tenants, random), ...generatedNames(allNames, options.generated, random)]
  log(`${names.length} names, ${brands.length} impersonated words`)
  const table = tabulateGrams(names, Math.max(options.bits.whole, options.bits.kinds))
  const corpus = { names, shares: sharesOf(names), random, table }
  // Folds are by label, because generated tenants share labels with other names.
  const foldOf = Uint8Array.from(names, ({ parts }) => hashText(parts.label, options.seed) % folds)
  const examples = pickExamples(corpus, options.examples)
  for (let fold = 0; fold < folds; fold++) {
    log(`regressions without fold ${fold + 1} of ${folds}`)
    const regressions = regress(corpus, row => foldOf[row] !== fold, options)
    const featuresOf = createFeatureReader({ ...regressions, letters, brands: new Set(brands) })
    fillExamples(examples, names, row => foldOf[row] === fold, featuresOf)
  }
  log('regressions')
  const regressions = regress(corpus, () => true, options)
  const forest = trainForest(examples, {
    trees: options.trees,
    leaves: options.leaves,
    rate: options.treeRate,
    lambda: 2,
    leastWeight: 50,
    rowShare: 0.7,
    featureShare: 0.6,
    random,
    log,
  })
  return { ...regressions, letters, brands, forest }
}

function regress(
  { names, shares, random, table }: WeightedNames & { readonly table: GramTable },
  isTaught: (row: number) => boolean,
  { bits, epochs, rate, shrink, fineness, log }: FitOptions,
): Regressions {
  const all = names.map((_, row) => row).filter(isTaught)
  const over = (logarithm: number, fine: number, from: number, to: number): Regression => {
    const count = to - from
    const weights = trainRegressions({
      table,
      bits: logarithm,
      aims: count,
      epochs,
      rate,
      shrink,
      random,
      log,
      lessonOf: row => lessons[names[row]?.kind ?? 'benign'].slice(from, to),
      rows: () => Uint32Array.from(all.filter(row => random() < (shares[row] ?? 0))),
    })
    return { bits: logarithm, ...quantize(weights, count, fine) }
  }
  return { whole: over(bits.whole, fineness.whole, 0, 1), kinds: over(bits.kinds, fineness.kinds, 1, aims.length) }
}

/** Largest value of eight bits; larger weights are clipped. */
const mostSteps = 127

/** `fineness`: number of steps in the root mean square of an objective's weights. Fewer steps compress better. */
export function quantize(weights: Float32Array, aims: number, fineness: number) {
  const squares = new Float64Array(aims)
  const counts = new Float64Array(aims)
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] ?? 0
    if (weight === 0) continue
    squares[at % aims] = (squares[at % aims] ?? 0) + weight * weight
    counts[at % aims] = (counts[at % aims] ?? 0) + 1
  }
  /** Step size of each objective. */
  const steps = Float32Array.from(squares, (sum, aim) => {
    const mean = Math.sqrt(sum / Math.max(1, counts[aim] ?? 0))
    return mean === 0 ? 1 : mean / fineness
  })
  /** In the original order: the weights of a bucket are adjacent. */
  const whole = new Int8Array(weights.length)
  for (let at = 0; at < weights.length; at++) {
    const steep = Math.round((weights[at] ?? 0) / (steps[at % aims] ?? 1))
    whole[at] = Math.max(-mostSteps, Math.min(mostSteps, steep))
  }
  return { weights: whole, steps }
}
