// Indexes brands for fast look-ups: by word, by appearance, by prefix, and with one letter missing.
import { type Brand, indexOwners, inLabel, isInNames, type OwnersOf } from '../../../src/engine/plugin.ts'
import { skeleton } from './confusables.ts'
import { famous, ownLetters } from './words.ts'

/** A word of a brand, and how surely it means the brand. */
export interface IndexedWord {
  readonly word: string
  readonly brand: Brand
  /** The word alone means the brand: it is no word of a language and no other name. */
  readonly distinctive: boolean
  /** Written with one typo it is no other word: distinctive, or a long name. */
  readonly rare: boolean
  /** Long enough for all typos; otherwise only two swapped letters make no other word. */
  readonly slippery: boolean
}

/** Brands by their words and domains, for look-ups in constant time. */
export interface BrandIndex {
  readonly byWord: ReadonlyMap<string, IndexedWord>
  readonly bySkeleton: ReadonlyMap<string, IndexedWord>
  /** Words by each variant with one letter removed, and by themselves. */
  readonly byLoss: ReadonlyMap<string, readonly IndexedWord[]>
  /** Words, and skeletons of words, by their first letters. */
  readonly byHead: ReadonlyMap<string, readonly IndexedWord[]>
  readonly bySkeletonHead: ReadonlyMap<string, readonly IndexedWord[]>
  /** Finds the brands that own the domain at or above a name. */
  readonly ownersOf: OwnersOf
  /** The brand of each domain. */
  readonly byDomain: ReadonlyMap<string, Brand>
  /** First labels of those domains: `coca-cola`. */
  readonly ownLabels: ReadonlySet<string>
}

/** Number of first letters in the prefix index; no word is shorter. */
export const HEAD = 3
/** Shorter words have too many innocent neighbours, also if only the part without generic parts is shorter. */
const TYPO_LENGTH = 7
const TYPO_OWN = 5
const SWAP_OWN = 5
const LOOKALIKE_OWN = 3
/** Shorter names of people and places have neighbours that are names too. */
const RARE_LENGTH = 8
/** Shorter pieces are not compared with words for typos. */
export const SHORTEST_SLIP = 5

/** Indexes brands by all their words and domains. */
export function indexBrands(brands: readonly Brand[]): BrandIndex {
  const words = brands.flatMap(wordsOf)
  // If two brands share a word, the brand whose word has no other meaning wins.
  const orderedWords = [...words].sort((one, other) => Number(other.distinctive) - Number(one.distinctive))
  const typoWords = words.filter(({ word, rare, slippery }) => rare && (slippery || ownLetters(word) >= SWAP_OWN))
  const shapedWords = orderedWords.filter(({ word }) => ownLetters(word) >= LOOKALIKE_OWN)
  const byDomain = brands.flatMap(brand => brand.domains.map((domain, at) => ({ domain, brand, at })))
  return {
    byWord: firstOf(orderedWords.map(one => [one.word, one])),
    bySkeleton: firstOf(shapedWords.map(one => [skeleton(one.word), one])),
    byLoss: groupByKey(typoWords.flatMap(one => losses(one.word).map(rest => [rest, one] as const))),
    byHead: groupByKey(orderedWords.map(one => [one.word.slice(0, HEAD), one])),
    bySkeletonHead: groupByKey(shapedWords.map(one => [skeleton(one.word).slice(0, HEAD), one])),
    ownersOf: indexOwners(brands),
    byDomain: new Map(
      byDomain
        .toReversed()
        .sort((one, other) => other.at - one.at)
        .map(({ domain, brand }) => [domain, brand]),
    ),
    ownLabels: new Set(byDomain.map(({ domain }) => domain.slice(0, `${domain}.`.indexOf('.')))),
  }
}

const wordsOf = (brand: Brand): IndexedWord[] =>
  brand.brandWords.filter(isInNames).map(({ text, kind }) => {
    const word = inLabel(text)
    const distinctive = kind === 'distinctive'
    const rare = distinctive || (kind === 'name' && word.length >= RARE_LENGTH)
    return { word, brand, distinctive, rare, slippery: isSlippery(word) }
  })

const isSlippery = (word: string): boolean =>
  famous.has(word) || (word.length >= TYPO_LENGTH && ownLetters(word) >= TYPO_OWN)

/** The word, and the word without each of its letters in turn. */
export const losses = (word: string): string[] => [
  ...new Set([word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))]),
]

function firstOf(entries: readonly (readonly [string, IndexedWord])[]): Map<string, IndexedWord> {
  return new Map([...entries].reverse())
}

function groupByKey(entries: readonly (readonly [string, IndexedWord])[]): Map<string, IndexedWord[]> {
  const groups = new Map<string, IndexedWord[]>()
  for (const [key, word] of entries) {
    const group = groups.get(key)
    if (group) group.push(word)
    else groups.set(key, [word])
  }
  return groups
}
