// Calibrates a model's scores on names that it was not trained on.
import { benignShareAt, MAX_SCORE, suffixClasses, suffixClassOf } from '../../src/evidence/name_score/facts.ts'
import { isBenign } from './corpus.ts'
import { thresholdAt } from './metrics.ts'
import { oddsOf, type ScoredName } from './scored.ts'

export type Calibration = ReturnType<typeof calibrate>

const rounds = 30

/** From held-back names and from tenants generated from them. */
export function calibrate(scoredNames: readonly ScoredName[], tenants: readonly ScoredName[]) {
  const benign = scoredNames.filter(isBenign)
  const malicious = scoredNames.filter(name => !isBenign(name))
  const classes = suffixClasses.map(one => {
    const own = oddsOf(benign.filter(({ parts }) => suffixClassOf(parts) === one))
    return one === 'tenant' ? highest(thresholdsBy(own), thresholdsBy(oddsOf(tenants))) : thresholdsBy(own)
  })
  return {
    thresholds: thresholdsBy(oddsOf(benign)),
    classThresholds: Float32Array.from(classes.flatMap(thresholds => [...thresholds])),
    balance: Float32Array.from(fitBalance(oddsOf(malicious), oddsOf(benign))),
  }
}

function thresholdsBy(benign: Float32Array): Float32Array {
  return Float32Array.from({ length: MAX_SCORE }, (_, index) => thresholdAt(benign, benignShareAt(index + 1)))
}

/**
 * Lists are not representative of all tenants, so a score is rare only if both the listed and the generated ones rarely
 * reach it.
 */
const highest = (one: Float32Array, other: Float32Array): Float32Array =>
  one.map((threshold, at) => Math.max(threshold, other[at] ?? threshold))

/** Platt's slope and intercept by Newton's method; both classes have the same total weight. */
function fitBalance(malicious: Float32Array, benign: Float32Array): [number, number] {
  // Starts at flat odds, where Newton's method converges.
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
