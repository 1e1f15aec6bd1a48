// Sets the scale of a model's scores by names it has not seen.
import { benignShareAt, highestScore } from '../evidence/name_score/score.ts'
import { thresholdAt } from './metrics.ts'

export interface Calibration {
  readonly thresholds: Float32Array
  readonly balance: Float32Array
}

const rounds = 30

/** From the log-odds that the trees gave to held-back names. */
export function calibrate(malicious: Float32Array, benign: Float32Array): Calibration {
  const thresholds = Float32Array.from({ length: highestScore }, (_, index) => {
    return thresholdAt(benign, benignShareAt(index + 1))
  })
  return { thresholds, balance: Float32Array.from(fitBalance(malicious, benign)) }
}

/** Platt's slope and intercept by Newton's method, both sides weighing the same. */
function fitBalance(malicious: Float32Array, benign: Float32Array): [number, number] {
  // From flat odds, where Newton's steps are sure not to leave the valley.
  let [slope, intercept] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const sums = { slope: 0, intercept: 0, ss: 1e-9, si: 0, ii: 1e-9 }
    for (const [scores, answer] of [
      [malicious, 1],
      [benign, 0],
    ] as const) {
      for (const odds of scores) {
        const p = 1 / (1 + Math.exp(-(slope * odds + intercept)))
        const error = (p - answer) / scores.length
        const curve = (p * (1 - p)) / scores.length
        sums.slope += error * odds
        sums.intercept += error
        sums.ss += curve * odds * odds
        sums.si += curve * odds
        sums.ii += curve
      }
    }
    const determinant = sums.ss * sums.ii - sums.si * sums.si
    slope -= (sums.ii * sums.slope - sums.si * sums.intercept) / determinant
    intercept -= (sums.ss * sums.intercept - sums.si * sums.slope) / determinant
  }
  return [slope, intercept]
}
