// Text put together from pieces: white space folded across them, and no more kept than asked for.
import { truncate } from '../../printable.ts'
import { fold } from './clean.ts'

export interface FoldedText {
  readonly length: number
  text: string
  /** What was added last ends a word. */
  blank: boolean
}

/** `length` in UTF-16 code units. */
export const foldedText = (length: number): FoldedText => ({ length, text: '', blank: true })

export function append(into: FoldedText, piece: string): void {
  if (into.text.length >= into.length) return
  const folded = fold(piece)
  const text = into.blank && folded.startsWith(' ') ? folded.slice(1) : folded
  if (text === '') return
  into.text += text
  into.blank = text.endsWith(' ')
}

/** What follows is another word, as after the end of a block. */
export function gap(into: FoldedText): void {
  if (into.blank || into.text.length >= into.length) return
  into.text += ' '
  into.blank = true
}

export const textOf = ({ text, length }: FoldedText): string => truncate(text, length).trim()

/** Scripts that part no words by blanks, and the characters that a word of theirs has, about. */
const unparted = [
  { characters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, in_word: 2 },
  { characters: /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, in_word: 5 },
]

/** Words have a letter or a digit in them; where nothing parts them, they are reckoned by their usual length. */
export function countWords(text: string): number {
  // Most pages have none of these scripts, and then no word need be looked through for them.
  const present = unparted.filter(({ characters }) => text.search(characters) !== -1)
  if (present.length > 0) return text.split(' ').reduce((sum, piece) => sum + wordsIn(piece, present), 0)
  let count = 0
  for (const word = /[\p{L}\p{N}][^ ]*/gu; word.test(text); ) count += 1
  return count
}

function wordsIn(piece: string, present: typeof unparted): number {
  if (!/[\p{L}\p{N}]/u.test(piece)) return 0
  let reckoned = 0
  for (const { characters, in_word } of present) reckoned += Math.ceil((piece.match(characters)?.length ?? 0) / in_word)
  return Math.max(1, reckoned)
}
