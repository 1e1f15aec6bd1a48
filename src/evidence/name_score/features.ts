// The features the trees read, each with the trait that a person is told.
import { type LetterCost, letterCost } from './letters.ts'
import { aims, createLogits, type Regressions, sumSpaces } from './logits.ts'
import type { NameParts } from './parts.ts'
import { measureText, type TextFacts } from './text_facts.ts'
import { createWordFinder, type WordsFound, withoutDigits } from './words.ts'

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
  /** An impersonated word that stands there once digits are read as letters. */
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

/** What the sums of `createLogits` tell, in their order. */
const sumFeatures = sumSpaces.flatMap(space =>
  aims.map((aim): readonly [string, string] => [
    `${aim} ${space}`,
    space === 'subdomain' || space === 'suffix' ? traits[space] : traits[aim],
  ]),
)

const labelFeatures: readonly Feature[] = [
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

const subdomainFeatures: readonly Feature[] = [
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

const wordFeatures: readonly Feature[] = [
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

const suffixFeatures: readonly Feature[] = [
  ['suffix length', traits.suffix, ({ parts }) => parts.suffix.length],
  ['suffix labels', traits.suffix, ({ parts }) => parts.suffix.split('.').length],
  ['tenant', traits.suffix, ({ parts }) => (parts.tenant ? 1 : 0)],
  ['punycode', traits.random, ({ parts }) => (parts.label.startsWith('xn--') ? 1 : 0)],
]

const countFeatures = [...labelFeatures, ...subdomainFeatures, ...wordFeatures, ...suffixFeatures]

export const featureNames: readonly string[] = [...sumFeatures, ...countFeatures].map(([name]) => name)
/** By feature. */
export const featureTraits: readonly string[] = [...sumFeatures, ...countFeatures].map(([, trait]) => trait)

/** By aim: what to say of a label that is like such names'. */
export const labelTraits: readonly string[] = aims.map(aim => traits[aim])

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
    for (const [, , read] of countFeatures) values[at++] = read(facts)
    return values
  }
}
