// Made-up generators of names, as malware has: each style draws a family's own rules by chance, then yields its labels.
import type { Random } from './random.ts'

/** Yields the labels of one family, one at a time. */
export type Family = () => string

/** Draws what the labels of a family have in common. `words`: those that labels may be made of. */
type Style = (random: Random, words: readonly string[]) => Family

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const vowels = 'aeiou'
const consonants = 'bcdfghjklmnpqrstvwxyz'

/** All letters, most of them, hexadecimal and base 32: what generators draw from, the usual more often. */
const alphabets = [
  ...[letters, letters, letters, consonants, letters.slice(0, 25), letters.slice(0, 16)],
  ...[`${digits}abcdef`, `${letters}${digits}`, `${letters}234567`, `bcdfghklmnprstvwxz${digits}`],
]

export const pick = <T>(from: ArrayLike<T>, random: Random): T => from[Math.floor(random() * from.length)] as T
export const between = (least: number, most: number, random: Random): number =>
  least + Math.floor(random() * (most - least + 1))
const repeat = (count: number, one: () => string) => Array.from({ length: count }, one).join('')

/** A length of the family's own, or a range of them. */
function lengths(least: number, most: number, random: Random): () => number {
  const shortest = between(least, most, random)
  const longest = random() < 0.4 ? shortest : Math.min(most, shortest + between(1, 10, random))
  return () => between(shortest, longest, random)
}

const characters: Style = random => {
  const alphabet = pick(alphabets, random)
  const length = lengths(6, 28, random)
  return () => repeat(length(), () => pick(alphabet, random))
}

/** Consonants and vowels in turn: names that can be said. */
const syllables: Style = random => {
  const length = lengths(3, 7, random)
  const [doubled, closed] = [random() * 0.3, random() * 0.5]
  const vowel = () => pick(vowels, random) + (random() < doubled ? pick(vowels, random) : '')
  const end = () => (random() < closed ? pick(consonants, random) : '')
  return () => repeat(length(), () => pick(consonants, random) + vowel()) + end()
}

/** Words from a short list of the family's own. */
const chains: Style = (random, words) => {
  const own = Array.from({ length: between(40, 400, random) }, () => pick(words, random))
  const joint = random() < 0.2 ? '-' : ''
  const count = random() < 0.75 ? 2 : 3
  return () => Array.from({ length: count }, () => pick(own, random)).join(joint)
}

const twoWords = (random: Random, words: readonly string[]) => pick(words, random) + pick(words, random)

/** Words with some of their characters changed. */
const mutants: Style = (random, words) => {
  const changes = between(1, 3, random)
  return () => {
    const text = [...twoWords(random, words)]
    for (let change = 0; change < changes; change++) text[between(0, text.length - 1, random)] = pick(letters, random)
    return text.join('')
  }
}

/** A stem that all share, and a few characters at one of its ends. */
const stems: Style = (random, words) => {
  const stem = random() < 0.5 ? repeat(between(3, 16, random), () => pick(letters, random)) : twoWords(random, words)
  const length = between(3, 8, random)
  const isBefore = random() < 0.6
  return () => {
    const changing = repeat(length, () => pick(letters, random))
    return isBefore ? changing + stem : stem + changing
  }
}

/** With how often each is drawn, of ten times. */
const styles: readonly (readonly [Style, number])[] = [
  [characters, 5],
  [syllables, 2],
  [chains, 1],
  [mutants, 1],
  [stems, 1],
]

const drawn = styles.flatMap(([style, times]) => Array.from({ length: times }, () => style))

export const createFamily = (random: Random, words: readonly string[]): Family => pick(drawn, random)(random, words)
