// One slip of a finger from another word, and such a slip as fingers make.
import { distance } from 'fastest-levenshtein'

const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const
/** Letters that sound alike, beside vowels, which all do. */
const sounds = ['aeiouy', 'ck', 'ckq', 'sz', 'fv', 'mn', 'vw', 'bp', 'dt', 'gj', 'sc']

/** Keys that touch: beside each other, or above and below with the rows' offset. */
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

export type Slip = 'swapped' | 'replaced' | 'missing' | 'added'

/**
 * The slip by which `written` became something else than `word` (distance 1 by Damerau), or null when it is none or no
 * likely one. The first letter is never mistaken: people see that; and another ending makes another word.
 */
export function slipFrom(word: string, written: string): Slip | null {
  const difference = written.length - word.length
  if (Math.abs(difference) > 1 || written === word) return null
  const at = firstDifference(word, written)
  if (difference === 0 && isSwap(word, written, at)) return 'swapped'
  if (at === 0 || distance(word, written) !== 1) return null
  if (difference === 0) return isLikely(word.charAt(at), written.charAt(at)) ? 'replaced' : null
  const end = at >= Math.min(word.length, written.length)
  if (difference < 0) return end && word.endsWith('s') ? null : 'missing'
  return end && word.at(-1) !== written.at(-1) ? null : 'added'
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

const isSwap = (word: string, written: string, at: number): boolean =>
  word[at] === written[at + 1] && word[at + 1] === written[at] && word.slice(at + 2) === written.slice(at + 2)

const isLikely = (meant: string, written: string): boolean =>
  keys.has(meant + written) || sounds.some(group => group.includes(meant) && group.includes(written))
