// Words that are one typo apart, for typos that people actually make.
import { distance } from 'fastest-levenshtein'

const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const
/** Consonants that sound alike; all vowels count as alike too. */
const sounds = ['aeiouy', 'ck', 'ckq', 'sz', 'fv', 'mn', 'vw', 'bp', 'dt', 'gj', 'sc']

/** Adjacent keys in the same row or in neighbouring rows. */
function touching(): Set<string> {
  const pairs = new Set<string>()
  const add = (one: string | undefined, other: string | undefined) => {
    if (one && other) pairs.add(one + other).add(other + one)
  }
  rows.forEach((row, depth) => {
    const below = rows[depth + 1]
    for (let at = 0; at < row.length; at++) {
      add(row[at], row[at + 1])
      add(row[at], below?.[at])
      add(row[at], below?.[at - 1])
    }
  })
  return pairs
}
const keys = touching()

/** In shorter words another first letter makes another word: `binance`, `finance`. */
const BIT_FLIP_LENGTH = 8

export type Slip = 'swapped' | 'replaced' | 'missing' | 'added'

/**
 * The typo that turns `word` into `written` (Damerau distance 1), or null if there is none or it is unlikely. The first
 * letter only differs by a flipped bit, because people notice it, and a different ending makes a different word.
 */
export function slipFrom(word: string, text: string): Slip | null {
  const difference = text.length - word.length
  if (Math.abs(difference) > 1 || text === word) return null
  const at = firstDifference(word, text)
  if (difference === 0 && isSwap(word, text, at)) return 'swapped'
  if (distance(word, text) !== 1) return null
  if (at === 0)
    return difference === 0 && word.length >= BIT_FLIP_LENGTH && isBitFlip(word.charAt(0), text.charAt(0))
      ? 'replaced'
      : null
  if (difference === 0) return isLikely(word.charAt(at), text.charAt(at)) ? 'replaced' : null
  const end = at >= Math.min(word.length, text.length)
  if (difference < 0) return end && word.endsWith('s') ? null : 'missing'
  return end && word.at(-1) !== text.at(-1) ? null : 'added'
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

const isSwap = (word: string, text: string, at: number): boolean =>
  word[at] === text[at + 1] && word[at + 1] === text[at] && word.slice(at + 2) === text.slice(at + 2)

const isLikely = (word: string, text: string): boolean =>
  keys.has(word + text) || isBitFlip(word, text) || sounds.some(group => group.includes(word) && group.includes(text))

/** One flipped bit in memory makes one of the other: names that wait for such errors are called bitsquats. */
function isBitFlip(word: string, text: string): boolean {
  const flippedBits = word.charCodeAt(0) ^ text.charCodeAt(0)
  return flippedBits !== 0 && (flippedBits & (flippedBits - 1)) === 0
}
