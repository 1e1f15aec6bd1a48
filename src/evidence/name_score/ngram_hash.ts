// Runs of characters in a text, each as an unfinished hash: n-grams, words, and the text as a whole. Those that find
// many write them into a list, from `count` on, and return how many it has then; what exceeds the list is lost.
import { step } from './hash.ts'

/** A text as codes of its characters, for texts are read many times over. */
export interface Codes {
  readonly codes: Uint8Array
  length: number
}

const caret = 94
const dollar = 36
const hyphen = 45
const dot = 46

/** A name's octets, and both ends. */
const mostCodes = 255

export const createCodes = (): Codes => ({ codes: new Uint8Array(mostCodes), length: 0 })

/** `^text$`, each character looked up in `table` when there is one. */
export function writeCodes(text: string, to: Codes, table?: Uint8Array): void {
  const { codes } = to
  const length = Math.min(text.length, mostCodes - 2)
  codes[0] = caret
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    codes[at + 1] = table === undefined ? code : (table[code & 127] ?? 0)
  }
  codes[length + 1] = dollar
  to.length = length + 2
}

/** Every n-gram with `least` to `most` characters. */
export function addGrams(
  { codes, length }: Codes,
  seed: number,
  [least, most]: readonly [number, number],
  list: Uint32Array,
  count: number,
): number {
  let filled = count
  for (let from = 0; from + least <= length; from++) {
    let hash = seed
    const first = from + least - 1
    const to = Math.min(length, from + most)
    for (let at = from; at < first; at++) hash = step(hash, codes[at] ?? 0)
    for (let at = first; at < to; at++) {
      hash = step(hash, codes[at] ?? 0)
      list[filled++] = hash
    }
  }
  return filled
}

const isBetween = (code: number) => code === hyphen || code === dot || (code >= 48 && code <= 57)

/** Words of at least two characters between hyphens, dots and digits. */
export function addParts(text: string, seed: number, list: Uint32Array, count: number): number {
  let filled = count
  let hash = seed
  let length = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : hyphen
    if (!isBetween(code)) {
      hash = step(hash, code)
      length++
      continue
    }
    if (length > 1) list[filled++] = hash
    hash = seed
    length = 0
  }
  return filled
}

export function wholeOf(text: string, seed: number, from = 0, to = text.length): number {
  let hash = seed
  for (let at = from; at < to; at++) hash = step(hash, text.charCodeAt(at))
  return hash
}
