// Logistic regressions over hashed n-grams, one per objective, trained together in one pass over the buckets (Adagrad).
import { scaleOf } from '../../src/evidence/name_score/logits.ts'
import type { GramTable } from './gram_table.ts'
import { shuffle } from './random.ts'

export interface RegressionTask {
  readonly table: GramTable
  /** Logarithm of the number of buckets; at most that of the table. */
  readonly bits: number
  readonly aims: number
  /**
   * The lesson of a row, for each objective: positive for malicious, negative for benign, 0 to ignore the row. Its size
   * is its weight.
   */
  readonly lessonOf: (row: number) => readonly number[]
  /** Rows of one epoch. */
  readonly rows: (epoch: number) => Uint32Array
  readonly epochs: number
  readonly rate: number
  /** L2 decay of each weight that a row uses, as a share of the learning rate. */
  readonly shrink: number
  readonly random: () => number
  readonly log?: (line: string) => void
}

/** Initial value of Adagrad's sums of squares. */
const firstSquare = 1e-3

/** Weights; those of one bucket, one per objective, are adjacent. */
export function trainRegressions(task: RegressionTask): Float32Array {
  const { bits, aims } = task
  // Each weight is next to its sum of squares, so that both are in one cache line.
  const weights = new Float32Array(2 ** bits * aims * 2)
  for (let at = 1; at < weights.length; at += 2) weights[at] = firstSquare
  for (let epoch = 0; epoch < task.epochs; epoch++) {
    const rows = task.rows(epoch)
    shuffle(rows, task.random)
    let loss = 0
    for (const row of rows) loss += learn(task, weights, row)
    task.log?.(`epoch ${epoch + 1}: ${rows.length} rows, loss ${(loss / rows.length).toFixed(4)}`)
  }
  return weights.filter((_, at) => at % 2 === 0)
}

/** One gradient step for a row; returns its loss before the step, for the first objective. */
function learn(task: RegressionTask, weights: Float32Array, row: number): number {
  const { table, bits, aims, rate, shrink, lessonOf } = task
  const { buckets } = table
  const lesson = lessonOf(row)
  const mask = 2 ** bits - 1
  const from = table.starts[row] ?? 0
  const to = table.starts[row + 1] ?? 0
  const scale = scaleOf(to - from)
  let loss = 0
  for (let aim = 0; aim < aims; aim++) {
    const lessonValue = lesson[aim] ?? 0
    if (lessonValue === 0) continue
    let sum = 0
    for (let at = from; at < to; at++) sum += weights[2 * (((buckets[at] ?? 0) & mask) * aims + aim)] ?? 0
    const y = lessonValue > 0 ? 1 : 0
    const p = 1 / (1 + Math.exp(-sum * scale))
    const size = Math.abs(lessonValue)
    if (aim === 0) loss -= size * Math.log(Math.max(1e-9, y === 1 ? p : 1 - p))
    const error = (p - y) * size * scale
    const energy = error * error
    for (let at = from; at < to; at++) {
      const place = 2 * (((buckets[at] ?? 0) & mask) * aims + aim)
      const square = (weights[place + 1] ?? 0) + energy
      weights[place + 1] = square
      const weight = weights[place] ?? 0
      weights[place] = weight - (rate * (error + shrink * weight)) / Math.sqrt(square)
    }
  }
  return loss
}
