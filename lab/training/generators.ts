// Imitations of the name generators of malware: each style draws the rules of a family at random, then yields its
// labels.
import type { Random } from './random.ts'

/** Yields the labels of one family, one at a time. */
export type Family = () => string

/** Draws the properties that the labels of a family share. `words`: words that labels may contain. */
type Style = (random: Random, words: readonly string[]) => Family

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const vowels = 'aeiou'
const consonants = 'bcdfghjklmnpqrstvwxyz'

/** Alphabets: all letters, most letters, hexadecimal and base 32; common ones are drawn more often. */
const alphabets = [
  letters,
  letters,
  letters,
  consonants,
  letters.slice(0, 25),
  letters.slice(0, 16),
  `${digits}abcdef`,
  `${letters}${digits}`,
  `${letters}234567`,
  `bcdfghklmnprstvwxz${digits}`,
]

export const pick = <T>(from: ArrayLike<T>, random: Random): T => from[Math.floor(random() * from.length)] as T
export const between = (least: number, most: number, random: Random): number =>
  least + Math.floor(random() * (most - least + 1))
const repeat = (count: number, one: () => string) => Array.from({ length: count }, one).join('')

/** A fixed length, or a range of lengths, per family. */
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

/** Alternating consonants and vowels: pronounceable names. */
const syllables: Style = random => {
  const length = lengths(3, 7, random)
  const [doubled, closed] = [random() * 0.3, random() * 0.5]
  const vowel = () => pick(vowels, random) + (random() < doubled ? pick(vowels, random) : '')
  const end = () => (random() < closed ? pick(consonants, random) : '')
  return () => repeat(length(), () => pick(consonants, random) + vowel()) + end()
}

/** Words from a short list per family. */
const chains: Style = (random, words) => {
  const own = Array.from({ length: between(40, 400, random) }, () => pick(words, random))
  const joint = random() < 0.2 ? '-' : ''
  const count = random() < 0.75 ? 2 : 3
  return () => Array.from({ length: count }, () => pick(own, random)).join(joint)
}

const twoWords = (random: Random, words: readonly string[]) => pick(words, random) + pick(words, random)

/** Words with some characters replaced. */
const mutants: Style = (random, words) => {
  const changes = between(1, 3, random)
  return () => {
    const text = [...twoWords(random, words)]
    for (let change = 0; change < changes; change++) text[between(0, text.length - 1, random)] = pick(letters, random)
    return text.join('')
  }
}

/** A shared stem with a few characters before or after it. */
const stems: Style = (random, words) => {
  const stem = random() < 0.5 ? repeat(between(3, 16, random), () => pick(letters, random)) : twoWords(random, words)
  const length = between(3, 8, random)
  const isBefore = random() < 0.6
  return () => {
    const changing = repeat(length, () => pick(letters, random))
    return isBefore ? changing + stem : stem + changing
  }
}

/** Styles with their weights out of ten. */
const styles: readonly (readonly [Style, number])[] = [
  [characters, 5],
  [syllables, 2],
  [chains, 1],
  [mutants, 1],
  [stems, 1],
]

const weightedStyles = styles.flatMap(([style, times]) => Array.from({ length: times }, () => style))

export const createFamily = (random: Random, words: readonly string[]): Family =>
  pick(weightedStyles, random)(random, words)
