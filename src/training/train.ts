// One training from lists to model: measured on names held back, then done once more on all of them.
import { encodeModel } from '../evidence/name_model/model_file.ts'
import { calibrate } from './calibrate.ts'
import { corpusOf, divide, isBenign, sourcesToHold } from './corpus.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import { type FitOptions, fitModel } from './fit.ts'
import type { LabelledName } from './lists.ts'
import { oddsOf, scoreNames } from './scored.ts'

export interface Trained {
  readonly evaluation: Evaluation
  /** The model's file; null when it was only to be measured. */
  readonly file: Buffer | null
}

export interface TrainingOptions extends FitOptions {
  /** Sources to measure on and not to train on; null leaves the choice to chance. */
  readonly hold: ReadonlySet<string> | null
  readonly evaluateOnly: boolean
}

/** Throws when a side has no names. */
export function train(names: readonly LabelledName[], options: TrainingOptions): Trained {
  const benign = names.filter(isBenign).length
  if (benign === 0 || benign === names.length) throw new Error('both lists must have names')
  const hold = options.hold ?? sourcesToHold(names)
  const { training, reserve, held } = divide(corpusOf(names), hold)
  options.log(
    `${names.length} names, ${training.length} to train on; held back: ${[...hold].sort().join(', ') || 'none'}`,
  )
  const pick = (rows: Uint32Array) => Array.from(rows).flatMap(row => names[row] ?? [])
  const trial = fitModel(pick(training), options)
  const scored = [...scoreNames(trial, pick(reserve), false), ...scoreNames(trial, pick(held), true)]
  const evaluation = evaluate(scored)
  if (options.evaluateOnly) return { evaluation, file: null }
  const malicious = oddsOf(scored.filter(name => !isBenign(name)))
  const calibration = calibrate(malicious, oddsOf(scored.filter(isBenign)))
  options.log('once more, on all names')
  return { evaluation, file: encodeModel({ ...fitModel(names, options), ...calibration }) }
}
