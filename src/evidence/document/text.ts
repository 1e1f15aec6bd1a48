// Text of a page as it is kept: printable, well-formed, white space folded, cut; and text that arrives in pieces.
import { truncate } from '../../base/printable.ts'

/** Control characters except white space, and characters that change the text direction. */
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
const BLANKS = /[\s\u00a0]+/g
/** Testing is cheaper than replacing, and most text needs no change. */
const FOLDABLE_TEXT = /[\u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028-\u202f\u205f\u2066-\u2069\u3000\ufeff]| {2}/

export const fold = (text: string): string =>
  FOLDABLE_TEXT.test(text) ? text.replace(UNPRINTABLE, '').replace(BLANKS, ' ') : text

/** One trimmed line. Reads at most four times as much as it keeps. */
export const clean = (text: string, length: number): string => truncate(fold(text.slice(0, length * 4)).trim(), length)

export interface FoldedText {
  readonly length: number
  text: string
  /** The text is empty or ends with a blank. */
  blank: boolean
}

/** `length` is the maximum in UTF-16 code units. */
export const foldedText = (length: number): FoldedText => ({ length, text: '', blank: true })

export function append(into: FoldedText, piece: string): void {
  if (into.text.length >= into.length) return
  const foldedPiece = fold(piece)
  const text = into.blank && foldedPiece.startsWith(' ') ? foldedPiece.slice(1) : foldedPiece
  if (text === '') return
  into.text += text
  into.blank = text.endsWith(' ')
}

/** Separates words, as at the end of a block. */
export function gap(into: FoldedText): void {
  if (into.blank || into.text.length >= into.length) return
  into.text += ' '
  into.blank = true
}

export const textOf = ({ text, length }: FoldedText): string => truncate(text, length).trim()

/** Scripts without blanks between words, and the usual number of characters in a word. */
const UNSEPARATED_SCRIPTS = [
  { characters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, in_word: 2 },
  { characters: /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, in_word: 5 },
]

/** A word contains a letter or a digit. In scripts without blanks the number is estimated from the usual length. */
export function countWords(text: string): number {
  // Most pages have none of these scripts, so their words need not be searched for them.
  const present = UNSEPARATED_SCRIPTS.filter(({ characters }) => text.search(characters) !== -1)
  if (present.length > 0) return text.split(' ').reduce((sum, piece) => sum + wordsIn(piece, present), 0)
  let count = 0
  for (const word = /[\p{L}\p{N}][^ ]*/gu; word.test(text); ) count += 1
  return count
}

function wordsIn(piece: string, present: typeof UNSEPARATED_SCRIPTS): number {
  if (!/[\p{L}\p{N}]/u.test(piece)) return 0
  let estimate = 0
  for (const { characters, in_word } of present) estimate += Math.ceil((piece.match(characters)?.length ?? 0) / in_word)
  return Math.max(1, estimate)
}
