// A brand that attackers imitate: the words in its names and on its pages, what each of them proves, and its own domains.

/**
 * `distinctive`: the word always means the brand. `word`: a word of a language. `name`: the name of people, places or
 * other firms, initials included. The last two mean the brand only beside another sight of it.
 */
export type WordKind = 'distinctive' | 'word' | 'name'

export interface BrandWord {
  /** In lower case and any script, as people write it: `capital one`. */
  readonly text: string
  readonly kind: WordKind
  /** The language of a `word`, ISO 639-1. */
  readonly language?: string
  /** Looked for in host names only, or in the text of pages only; absent for both. */
  readonly in?: 'names' | 'pages'
}

/** What is known of a brand. */
export interface BrandFacts {
  readonly name: string
  /**
   * The brand's own domains, the best known first; all names below them belong to it. Includes top-level domains that
   * only it uses.
   */
  readonly domains: readonly string[]
  /** At or below its domains; files of its users and customers lie there, so that a picture from there does not show it. */
  readonly uploads: readonly string[]
  readonly brandWords: readonly BrandWord[]
  /** Many independent owners share the name, so its use is not an imitation. */
  readonly family: boolean
}

export interface Brand extends BrandFacts {
  /** The words as host names write them, whatever their kind: lower-case ASCII letters and digits, `bankofamerica`. */
  readonly words: readonly string[]
  /** The words that suffice alone on a page: its distinctive ones. */
  readonly phrases: readonly string[]
}

/** Shorter ones are everywhere in names. */
const SHORTEST_WORD = 3

/** A word as the label of a host name writes it: `capitalone`, `credit-agricole`'s `creditagricole`. */
export const inLabel = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '')

export const isInNames = ({ text, in: where }: BrandWord): boolean =>
  where !== 'pages' && inLabel(text).length >= SHORTEST_WORD

/** The sight of this word is enough to mean the brand. */
export const isDistinctive = ({ kind }: BrandWord): boolean => kind === 'distinctive'

export const completeBrand = (facts: BrandFacts): Brand => ({
  ...facts,
  words: [...new Set(facts.brandWords.filter(isInNames).map(({ text }) => inLabel(text)))],
  phrases: facts.brandWords.filter(word => word.in !== 'names' && isDistinctive(word)).map(({ text }) => text),
})
