// How malicious a name looks, from its characters alone.
import { createFeatureReader, featureTraits } from './features.ts'
import { askForest } from './forest.ts'
import type { NameModelData } from './model_file.ts'
import { splitName } from './parts.ts'
import { scoreOf } from './score.ts'

export interface NameScore {
  /** 0 to 100: how rare a name that looks so malicious is among benign ones; 90 is reached by 1 in 100 of them. */
  readonly score: number
  /** That the name is malicious, were as many names malicious as benign. */
  readonly probability: number
  /** What spoke most for malicious, most first; the weight is in log-odds. */
  readonly traits: readonly { readonly trait: string; readonly weight: number }[]
}

export interface NameModel {
  /** `host`: lower case, A-labels. Never throws. */
  score(host: string): NameScore
}

const mostTraits = 3
/** Log-odds below which a trait is not worth a word. */
const leastWeight = 0.1

const traitNames = [...new Set(featureTraits)]
const traitOfFeature = featureTraits.map(trait => traitNames.indexOf(trait))

const rounded = (value: number, unit: number) => Math.round(value * unit) / unit

export function createNameModel(data: NameModelData): NameModel {
  const featuresOf = createFeatureReader({ ...data, brands: new Set(data.brands) })
  const shares = new Float32Array(featureTraits.length)
  const [slope = 1, intercept = 0] = data.balance
  return {
    score(host) {
      const odds = askForest(data.forest, featuresOf(splitName(host)), shares)
      const probability = 1 / (1 + Math.exp(-(slope * odds + intercept)))
      return {
        score: scoreOf(odds, data.thresholds),
        probability: rounded(probability, 1_000),
        traits: heaviest(shares),
      }
    },
  }
}

function heaviest(shares: Float32Array): NameScore['traits'] {
  const weights = new Float64Array(traitNames.length)
  for (let feature = 0; feature < shares.length; feature++) {
    const trait = traitOfFeature[feature] ?? 0
    weights[trait] = (weights[trait] ?? 0) + (shares[feature] ?? 0)
  }
  const found: { trait: string; weight: number }[] = []
  traitNames.forEach((trait, index) => {
    const weight = weights[index] ?? 0
    if (weight >= leastWeight) found.push({ trait, weight: rounded(weight, 100) })
  })
  return found.sort((a, b) => b.weight - a.weight).slice(0, mostTraits)
}
