// A brand that others pretend to be: the words names are made of, and where it is at home.

export interface Brand {
  readonly name: string
  /** Lower-case ASCII letters and digits, without hyphens: `bankofamerica`. */
  readonly words: readonly string[]
  /** Its own domains, the best known first; all names below them are its own. */
  readonly domains: readonly string[]
  /** Its words are also everyday words, surnames or other firms': one of them alone accuses nobody. */
  readonly everyday: boolean
}

const split = (list: string): string[] => list.split(/\s+/).filter(entry => entry !== '')

export const brand = (name: string, words: string, domains: string): Brand => ({
  name,
  words: split(words),
  domains: split(domains),
  everyday: false,
})

/** One whose words mean something else as well. */
export const everyday = (name: string, words: string, domains: string): Brand => ({
  ...brand(name, words, domains),
  everyday: true,
})
