// Logistic regressions over hashed n-grams, one for each aim, trained in one pass over the same buckets (Adagrad).
import type { Grams } from '../evidence/name_model/grams.ts'
import type { NameParts } from '../evidence/name_model/parts.ts'
import { scaleOf } from '../evidence/name_model/sums.ts'
import { shuffle } from './random.ts'

export interface RegressionTask {
  readonly grams: Grams
  readonly buckets: number
  readonly aims: number
  readonly partsOf: (row: number) => NameParts | undefined
  /** What a row teaches: for each aim more than 0 (malicious), less (benign) or 0 (nothing); its size is its weight. */
  readonly lessonOf: (row: number) => readonly number[]
  /** The rows of one epoch. */
  readonly rows: (epoch: number) => Uint32Array
  readonly epochs: number
  readonly rate: number
  readonly random: () => number
  readonly log?: (line: string) => void
}

/** Weights, the aims of one bucket side by side. */
export function trainRegressions(task: RegressionTask): Float32Array {
  const { grams, aims } = task
  const weights = new Float32Array(task.buckets * aims)
  const squares = new Float32Array(task.buckets * aims).fill(1e-3)
  for (let epoch = 0; epoch < task.epochs; epoch++) {
    const rows = task.rows(epoch)
    shuffle(rows, task.random)
    let loss = 0
    for (const row of rows) {
      const parts = task.partsOf(row)
      if (parts === undefined) continue
      grams.read(parts)
      loss += learn(task, weights, squares, task.lessonOf(row))
    }
    task.log?.(`epoch ${epoch + 1}: ${rows.length} rows, loss ${(loss / rows.length).toFixed(4)}`)
  }
  return weights
}

function learn(
  { grams, aims, rate }: RegressionTask,
  weights: Float32Array,
  squares: Float32Array,
  lesson: readonly number[],
): number {
  const { buckets, ends } = grams
  const count = ends[2] ?? 0
  const scale = scaleOf(count)
  let loss = 0
  for (let aim = 0; aim < aims; aim++) {
    const taught = lesson[aim] ?? 0
    if (taught === 0) continue
    let sum = 0
    for (let at = 0; at < count; at++) sum += weights[(buckets[at] ?? 0) * aims + aim] ?? 0
    const y = taught > 0 ? 1 : 0
    const p = 1 / (1 + Math.exp(-sum * scale))
    const size = Math.abs(taught)
    if (aim === 0) loss -= size * Math.log(Math.max(1e-9, y === 1 ? p : 1 - p))
    const error = (p - y) * size * scale
    const energy = error * error
    for (let at = 0; at < count; at++) {
      const place = (buckets[at] ?? 0) * aims + aim
      const square = (squares[place] ?? 0) + energy
      squares[place] = square
      weights[place] = (weights[place] ?? 0) - (rate * error) / Math.sqrt(square)
    }
  }
  return loss
}
