// A brand that others pretend to be: the words names are made of, what pages call it, and which domains are its own.

export interface Brand {
  readonly name: string
  /** Lower-case ASCII letters and digits, without hyphens: `bankofamerica`. */
  readonly words: readonly string[]
  /** Its own domains, the best known first; all names below them are its own. Also top-level domains it alone uses. */
  readonly domains: readonly string[]
  /** Its words are also everyday words, surnames or names of other companies, so one of them alone is no evidence. */
  readonly everyday: boolean
  /** What text calls it, in lower case and in any script; names that are everyday words stand with a second word. */
  readonly phrases: readonly string[]
  /** Many independent owners share the name: it accuses nobody. */
  readonly family: boolean
}

/** As a table of one sector has it; phrases and families are added for all sectors together. */
export type BrandEntry = Omit<Brand, 'phrases' | 'family'>

const split = (list: string): string[] => list.split(/\s+/).filter(entry => entry !== '')

export const brand = (name: string, words: string, domains: string): BrandEntry => ({
  name,
  words: split(words),
  domains: split(domains),
  everyday: false,
})

/** One whose words mean something else as well. */
export const everyday = (name: string, words: string, domains: string): BrandEntry => ({
  ...brand(name, words, domains),
  everyday: true,
})
