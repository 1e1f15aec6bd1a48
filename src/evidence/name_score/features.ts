// The features that the trees use, and the traits that a result names for them.
import type { NameParts, NameTrait } from './facts.ts'
import { aims, createLogits, type Regressions, sumSpaces } from './logits.ts'
import {
  createWordFinder,
  type LetterCost,
  letterCost,
  measureText,
  type TextFacts,
  type WordsFound,
  withoutDigits,
} from './text_facts.ts'

export interface FeatureTables extends Regressions {
  /** Costs of letters, as `letterTable` makes them. */
  readonly letters: Uint8Array
  /** Hashes of impersonated words. */
  readonly brands: ReadonlySet<number>
}

interface Facts {
  readonly parts: NameParts
  readonly label: TextFacts
  readonly subdomain: TextFacts
  readonly labelCost: LetterCost
  readonly subdomainCost: LetterCost
  readonly labelWords: WordsFound
  readonly subdomainWords: WordsFound
  /** Length of the longest impersonated word once digits are read as letters. */
  readonly disguised: number
}

type Feature = readonly [name: string, trait: string, read: (facts: Facts) => number]

const traits = {
  malicious: 'n-grams common in malicious names',
  phishing: 'n-grams common in phishing names',
  malware: 'n-grams common in malware names',
  generated: 'n-grams common in generated names',
  subdomain: 'unusual subdomain',
  suffix: 'suffix often abused',
  random: 'random-looking label',
  length: 'unusual length',
  digits: 'digits in unusual places',
  hyphens: 'many hyphens',
  lure: 'login or payment word',
  brand: 'often impersonated word',
  brandWithLure: 'brand word with a login word',
} as const

const share = (count: number, { length }: TextFacts) => (length === 0 ? 0 : count / length)

/** Names and traits of the sums of `createLogits`, in their order. */
const sumFeatures = sumSpaces.flatMap(space =>
  aims.map((aim): readonly [string, string] => [
    `${aim} ${space}`,
    space === 'subdomain' || space === 'suffix' ? traits[space] : traits[aim],
  ]),
)

const LABEL_FEATURES: readonly Feature[] = [
  ['label length', traits.length, ({ label }) => label.length],
  ['label digits', traits.digits, ({ label }) => share(label.digits, label)],
  ['label digit run', traits.digits, ({ label }) => label.longestDigits],
  ['label changes', traits.digits, ({ label }) => label.changes],
  ['label hyphens', traits.hyphens, ({ label }) => label.hyphens],
  ['label vowels', traits.random, ({ label }) => share(label.vowels, label)],
  ['label consonant run', traits.random, ({ label }) => label.longestConsonants],
  ['label entropy', traits.random, ({ label }) => label.entropy],
  ['label distinct', traits.random, ({ label }) => share(label.distinct, label)],
  ['label hexadecimal', traits.random, ({ label }) => share(label.hexadecimal, label)],
  ['label letters', traits.random, ({ labelCost }) => labelCost.mean],
  ['label worst letters', traits.random, ({ labelCost }) => labelCost.worst],
  ['label words', traits.length, ({ label }) => label.words],
  ['label longest word', traits.length, ({ label }) => label.longestWord],
]

const SUBDOMAIN_FEATURES: readonly Feature[] = [
  ['subdomain length', traits.subdomain, ({ subdomain }) => subdomain.length],
  ['subdomain labels', traits.subdomain, ({ subdomain }) => subdomain.labels],
  ['subdomain longest label', traits.subdomain, ({ subdomain }) => subdomain.longestLabel],
  ['subdomain digits', traits.subdomain, ({ subdomain }) => share(subdomain.digits, subdomain)],
  ['subdomain hyphens', traits.subdomain, ({ subdomain }) => subdomain.hyphens],
  ['subdomain entropy', traits.subdomain, ({ subdomain }) => subdomain.entropy],
  ['subdomain letters', traits.subdomain, ({ subdomainCost }) => subdomainCost.mean],
  ['subdomain worst letters', traits.subdomain, ({ subdomainCost }) => subdomainCost.worst],
]

const hasBrand = ({ labelWords, subdomainWords, disguised }: Facts) =>
  Math.max(labelWords.brand, subdomainWords.brand, disguised)

const WORD_FEATURES: readonly Feature[] = [
  ['label lures', traits.lure, ({ labelWords }) => labelWords.lures],
  ['subdomain lures', traits.lure, ({ subdomainWords }) => subdomainWords.lures],
  ['label brand', traits.brand, ({ labelWords }) => labelWords.brand],
  [
    'label beside brand',
    traits.brand,
    ({ label, labelWords }) => (labelWords.brand ? label.length - labelWords.brand : -1),
  ],
  ['subdomain brand', traits.brand, ({ subdomainWords }) => subdomainWords.brand],
  ['disguised brand', traits.brand, ({ disguised, labelWords }) => Math.max(0, disguised - labelWords.brand)],
  [
    'brand with lure',
    traits.brandWithLure,
    facts => (hasBrand(facts) > 0 ? facts.labelWords.lures + facts.subdomainWords.lures : -1),
  ],
]

const SUFFIX_FEATURES: readonly Feature[] = [
  ['suffix length', traits.suffix, ({ parts }) => parts.suffix.length],
  ['suffix labels', traits.suffix, ({ parts }) => parts.suffix.split('.').length],
  ['tenant', traits.suffix, ({ parts }) => (parts.tenant ? 1 : 0)],
  ['punycode', traits.random, ({ parts }) => (parts.label.startsWith('xn--') ? 1 : 0)],
]

const COUNT_FEATURES = [...LABEL_FEATURES, ...SUBDOMAIN_FEATURES, ...WORD_FEATURES, ...SUFFIX_FEATURES]

export const featureNames: readonly string[] = [...sumFeatures, ...COUNT_FEATURES].map(([name]) => name)
/** By feature. */
const featureTraits: readonly string[] = [...sumFeatures, ...COUNT_FEATURES].map(([, trait]) => trait)

/** By objective: the trait of a label that resembles such names. */
const labelTraits: readonly string[] = aims.map(aim => traits[aim])

/** Reads the features of a name, in the order of `featureNames`. The array is reused. */
export function createFeatureReader(tables: FeatureTables): (parts: NameParts) => Float32Array {
  const { letters, brands } = tables
  const sumsOf = createLogits(tables)
  const wordsOf = createWordFinder(brands)
  const values = new Float32Array(featureNames.length)
  return parts => {
    const { label, subdomain } = parts
    const plain = withoutDigits(label)
    const facts: Facts = {
      parts,
      label: measureText(label),
      subdomain: measureText(subdomain),
      labelCost: letterCost(label, letters),
      subdomainCost: letterCost(subdomain, letters),
      labelWords: wordsOf(label),
      subdomainWords: wordsOf(subdomain),
      disguised: plain === label ? 0 : wordsOf(plain).brand,
    }
    values.set(sumsOf(parts))
    let at = sumFeatures.length
    for (const [, , read] of COUNT_FEATURES) values[at++] = read(facts)
    return values
  }
}

// Traits: the shares of the features, summed by trait.

const MAX_TRAITS = 3
/** Traits of less log-odds are not reported. */
const MIN_WEIGHT = 0.1

const TRAIT_NAMES = [...new Set(featureTraits)]
const placeOf = (trait: string) => TRAIT_NAMES.indexOf(trait)
const placeOfFeature = featureTraits.map(placeOf)
const placeOfAim = labelTraits.map(placeOf)

const sums = aims.length * sumSpaces.length
const spaces = sumSpaces.length - 1
const sumAt = (space: number, aim: number) => space * aims.length + aim

/** `shares` and `values` by feature, as the forest read them. Heaviest trait first. */
export function traitsOf(shares: Float64Array, values: Float32Array): NameTrait[] {
  const weights = new Float64Array(TRAIT_NAMES.length)
  for (let feature = sums; feature < shares.length; feature++) {
    give(weights, placeOfFeature[feature], shares[feature] ?? 0)
  }
  const kind = leadingAim(values)
  for (let aim = 0; aim < aims.length; aim++) {
    const whole = shares[sumAt(spaces, aim)] ?? 0
    const lean = wholeLean(values, aim)
    for (let space = 0; space < spaces; space++) {
      // Divides a sum over the whole name among its spaces in proportion to their sums; if all are zero, the label gets
      // it all.
      const part = lean === 0 ? (space === 0 ? 1 : 0) : leanOf(values, space, aim) / lean
      const traitPlace = space === 0 ? placeOfAim[aim === 0 ? kind : aim] : placeOfFeature[sumAt(space, aim)]
      give(weights, traitPlace, (shares[sumAt(space, aim)] ?? 0) + whole * part)
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

/** The kind of malicious name that the label resembles most, which is more specific than `malicious`. */
function leadingAim(values: Float32Array): number {
  let best = 1
  for (let aim = 2; aim < aims.length; aim++) if ((values[aim] ?? 0) > (values[best] ?? 0)) best = aim
  return best
}

function heaviest(weights: Float64Array): NameTrait[] {
  const heaviestTraits: NameTrait[] = []
  for (let place = 0; place < weights.length; place++) {
    const weight = weights[place] ?? 0
    if (weight >= MIN_WEIGHT)
      heaviestTraits.push({ trait: TRAIT_NAMES[place] ?? '', weight: Math.round(weight * 100) / 100 })
  }
  return heaviestTraits.sort((a, b) => b.weight - a.weight).slice(0, MAX_TRAITS)
}
