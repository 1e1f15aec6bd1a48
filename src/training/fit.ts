// Trains the whole model: regressions over n-grams, and trees over their answers and the other features.
import { createFeatureReader, featureNames } from '../evidence/name_model/features.ts'
import type { Forest } from '../evidence/name_model/forest.ts'
import { createGrams } from '../evidence/name_model/grams.ts'
import { hashText } from '../evidence/name_model/hash.ts'
import { ownerOf } from '../evidence/name_model/parts.ts'
import { aims } from '../evidence/name_model/sums.ts'
import { type Examples, trainForest } from './boosting.ts'
import { isBenign, sharesOf, withSubdomains } from './corpus.ts'
import type { Kind, LabelledName } from './lists.ts'
import { type Quantized, quantize } from './quantize.ts'
import { createRandom } from './random.ts'
import { trainRegressions } from './regression.ts'
import { countLetters, findBrands } from './vocabulary.ts'

export interface FitOptions {
  readonly bits: number
  readonly epochs: number
  readonly rate: number
  readonly decay: number
  readonly folds: number
  readonly trees: number
  readonly leaves: number
  /** Names that the trees are trained on, at most. */
  readonly examples: number
  /** As `quantize` takes them, by aim. */
  readonly levels: readonly number[]
  readonly seed: number
  readonly log: (line: string) => void
}

/** The model without its calibration. */
export interface Fitted extends Quantized {
  readonly bits: number
  readonly letters: Uint8Array
  readonly brands: Uint32Array
  readonly forest: Forest
}

/** What a name of each kind teaches each aim; generated names are few and count for more. */
const lessons: Readonly<Record<Kind, readonly number[]>> = {
  benign: [-1, -1, -1, -1],
  phishing: [1, 1, 0, 0],
  malware: [1, 0, 1.5, 0],
  scam: [1, 1, 0, 0],
  dga: [1.5, 0, 0, 4],
}

type Chosen = (share: number) => boolean

export function fitModel(given: readonly LabelledName[], options: FitOptions): Fitted {
  const { log } = options
  const random = createRandom(options.seed)
  const letters = countLetters(given)
  const brands = findBrands(given)
  const names = withSubdomains(given, random)
  log(`${names.length} names, ${brands.length} impersonated words`)
  const shares = sharesOf(names)
  const folds = Uint8Array.from(names, ({ parts }) => hashText(ownerOf(parts), options.seed) % options.folds)
  const chosen: Chosen = share => random() < share
  const examples = emptyExamples(pickExamples(names, shares, options, random))
  for (let fold = 0; fold < options.folds; fold++) {
    log(`regressions without fold ${fold + 1} of ${options.folds}`)
    const table = regress(names, shares, row => folds[row] !== fold, chosen, options)
    fillExamples(examples, names, row => folds[row] === fold, {
      ...table,
      bits: options.bits,
      letters,
      brands: new Set(brands),
    })
  }
  log('regressions')
  const table = regress(names, shares, () => true, chosen, options)
  const forest = trainForest(examples, {
    ...{ trees: options.trees, leaves: options.leaves, rate: 0.1, lambda: 2, leastWeight: 20 },
    ...{ rowShare: 0.7, featureShare: 0.6, random, log },
  })
  return { ...table, bits: options.bits, letters, brands, forest }
}

function regress(
  names: readonly LabelledName[],
  shares: Float32Array,
  isTaught: (row: number) => boolean,
  chosen: Chosen,
  { bits, epochs, rate, decay, levels, seed, log }: FitOptions,
): Quantized {
  const all = names.map((_, row) => row).filter(isTaught)
  const weights = trainRegressions({
    ...{ grams: createGrams(bits), buckets: 2 ** bits, aims: aims.length, epochs, rate, decay, log },
    partsOf: row => names[row]?.parts,
    lessonOf: row => lessons[names[row]?.kind ?? 'benign'],
    rows: () => Uint32Array.from(all.filter(row => chosen(shares[row] ?? 0))),
    random: createRandom(seed),
  })
  return quantize(weights, levels)
}

interface StackExamples extends Examples {
  /** The name of each example. */
  readonly rows: Uint32Array
}

/** Both sides weigh the same. */
function pickExamples(
  names: readonly LabelledName[],
  shares: Float32Array,
  { examples }: FitOptions,
  random: () => number,
): Pick<StackExamples, 'rows' | 'answers' | 'weights'> {
  const total = shares.reduce((sum, share) => sum + share, 0)
  const part = Math.min(1, examples / total)
  const rows = Uint32Array.from(names.keys()).filter(row => random() < part * (shares[row] ?? 0))
  const answers = Uint8Array.from(rows, row => (names[row] && isBenign(names[row]) ? 0 : 1))
  const malicious = answers.reduce((sum, answer) => sum + answer, 0)
  const balance = (rows.length - malicious) / Math.max(1, malicious)
  return { rows, answers, weights: Float32Array.from(answers, answer => (answer === 1 ? balance : 1)) }
}

const emptyExamples = (picked: Pick<StackExamples, 'rows' | 'answers' | 'weights'>): StackExamples => ({
  ...picked,
  width: featureNames.length,
  values: new Float32Array(picked.rows.length * featureNames.length),
})

/** Reads the features of the examples in the fold, with regressions that have not seen it. */
function fillExamples(
  { rows, values, width }: StackExamples,
  names: readonly LabelledName[],
  isHere: (row: number) => boolean,
  tables: Parameters<typeof createFeatureReader>[0],
): void {
  const featuresOf = createFeatureReader(tables)
  rows.forEach((row, example) => {
    const name = names[row]
    if (name !== undefined && isHere(row)) values.set(featuresOf(name.parts), example * width)
  })
}
