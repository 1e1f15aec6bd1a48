// A brand that attackers imitate: the words in its names, the phrases on its pages, and its own domains.

export interface Brand {
  readonly name: string
  /** Lower-case ASCII letters and digits, without hyphens: `bankofamerica`. */
  readonly words: readonly string[]
  /**
   * The brand's own domains, the best known first; all names below them belong to it. Includes top-level domains that
   * only it uses.
   */
  readonly domains: readonly string[]
  /** The words are also everyday words, surnames or names of other companies, so a single one proves nothing. */
  readonly everyday: boolean
  /** Names of the brand in text, in lower case and in any script. Everyday words are combined with a second word. */
  readonly phrases: readonly string[]
  /** Many independent owners share the name, so its use is not an imitation. */
  readonly family: boolean
}

/** An entry of a sector's table, before phrases and families are added. */
export type BrandEntry = Omit<Brand, 'phrases' | 'family'>

const split = (list: string): string[] => list.split(/\s+/).filter(entry => entry !== '')

export const brand = (name: string, words: string, domains: string): BrandEntry => ({
  name,
  words: split(words),
  domains: split(domains),
  everyday: false,
})

/** A brand with words that also have other meanings. */
export const everyday = (name: string, words: string, domains: string): BrandEntry => ({
  ...brand(name, words, domains),
  everyday: true,
})
