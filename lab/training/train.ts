// Trains a model from lists: measures it on held-back names, then trains it again on all names.
import { encodeModel } from '../../src/evidence/name_score/model_file.ts'
import { type Calibration, calibrate } from './calibrate.ts'
import { corpusOf, divide, isBenign, madeUpTenants, sourcesToHold } from './corpus.ts'
import { evaluate } from './evaluate.ts'
import { type FitOptions, fitModel } from './fit.ts'
import type { LabelledName } from './lists.ts'
import { createRandom } from './random.ts'
import { scoreNames } from './scored.ts'

export interface TrainingOptions extends FitOptions {
  /** Sources used only to measure; null chooses them at random. */
  readonly hold: ReadonlySet<string> | null
}

/** Trains on some of the names and measures on the others. Throws when either part is empty. */
export function tryOut(names: readonly LabelledName[], options: TrainingOptions) {
  const benign = names.filter(isBenign).length
  if (benign === 0 || benign === names.length) throw new Error('both lists must have names')
  const hold = options.hold ?? sourcesToHold(names)
  const { training, reserve, held } = divide(corpusOf(names), hold)
  options.log(
    `${names.length} names, ${training.length} to train on; held back: ${[...hold].sort().join(', ') || 'none'}`,
  )
  const pick = (rows: Uint32Array) => Array.from(rows).flatMap(row => names[row] ?? [])
  const model = fitModel(pick(training), options)
  const unseenNames = { reserve: pick(reserve), held: pick(held) }
  const scoredNames = [...scoreNames(model, unseenNames.reserve, false), ...scoreNames(model, unseenNames.held, true)]
  const tenants = scoreNames(model, tenantsOf([...unseenNames.reserve, ...unseenNames.held], options.seed), false)
  return { evaluation: evaluate(scoredNames, tenants), calibration: calibrate(scoredNames, tenants) }
}

/** Generated from held-back names, as the training's tenants are generated from its names. */
const tenantsOf = (names: readonly LabelledName[], seed: number): LabelledName[] =>
  madeUpTenants(names, names, createRandom(seed), 1)

/**
 * Trains on all names and returns the model file. The calibration comes from a trial, because it needs names that were
 * not used for training.
 */
export function trainOnAll(names: readonly LabelledName[], calibration: Calibration, options: FitOptions): Buffer {
  options.log('once more, on all names')
  return encodeModel({ ...fitModel(names, options), ...calibration })
}
