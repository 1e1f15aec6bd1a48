// What in a name spoke for malicious, in words: the trees' shares by feature, gathered by trait.
import type { NameTrait } from './facts.ts'
import { featureTraits, labelTraits } from './features.ts'
import { aims, sumSpaces } from './logits.ts'

const mostTraits = 3
/** Log-odds below which a trait is not worth a word. */
const leastWeight = 0.1

const names = [...new Set(featureTraits)]
const placeOf = (trait: string) => names.indexOf(trait)
const placeOfFeature = featureTraits.map(placeOf)
const placeOfAim = labelTraits.map(placeOf)

const sums = aims.length * sumSpaces.length
const spaces = sumSpaces.length - 1
const sumAt = (space: number, aim: number) => space * aims.length + aim

/** `values`: the features that the trees were asked for. Most first. */
export function traitsOf(shares: Float64Array, values: Float32Array): NameTrait[] {
  const weights = new Float64Array(names.length)
  for (let feature = sums; feature < shares.length; feature++) {
    give(weights, placeOfFeature[feature], shares[feature] ?? 0)
  }
  const kind = leadingAim(values)
  for (let aim = 0; aim < aims.length; aim++) {
    const whole = shares[sumAt(spaces, aim)] ?? 0
    const lean = wholeLean(values, aim)
    for (let space = 0; space < spaces; space++) {
      // Of a sum over the whole name, each part weighed as it leans; where none leans to malicious, the label did.
      const part = lean === 0 ? (space === 0 ? 1 : 0) : leanOf(values, space, aim) / lean
      const named = space === 0 ? placeOfAim[aim === 0 ? kind : aim] : placeOfFeature[sumAt(space, aim)]
      give(weights, named, (shares[sumAt(space, aim)] ?? 0) + whole * part)
    }
  }
  return heaviest(weights)
}

function give(weights: Float64Array, place: number | undefined, share: number): void {
  if (place !== undefined) weights[place] = (weights[place] ?? 0) + share
}

const leanOf = (values: Float32Array, space: number, aim: number) => Math.max(0, values[sumAt(space, aim)] ?? 0)

function wholeLean(values: Float32Array, aim: number): number {
  let lean = 0
  for (let space = 0; space < spaces; space++) lean += leanOf(values, space, aim)
  return lean
}

/** The kind of malicious names that the label is most like: it says more than that it is like some. */
function leadingAim(values: Float32Array): number {
  let best = 1
  for (let aim = 2; aim < aims.length; aim++) if ((values[aim] ?? 0) > (values[best] ?? 0)) best = aim
  return best
}

function heaviest(weights: Float64Array): NameTrait[] {
  const found: NameTrait[] = []
  for (let place = 0; place < weights.length; place++) {
    const weight = weights[place] ?? 0
    if (weight >= leastWeight) found.push({ trait: names[place] ?? '', weight: Math.round(weight * 100) / 100 })
  }
  return found.sort((a, b) => b.weight - a.weight).slice(0, mostTraits)
}
