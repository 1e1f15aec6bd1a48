// Text put together from pieces: white space folded across them, and no more kept than asked for.
import { cut, fold } from './clean.ts'

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

export const textOf = ({ text, length }: FoldedText): string => cut(text, length).trim()

/** Words have a letter or a digit in them. */
export const countWords = (text: string): number =>
  text === '' ? 0 : text.split(' ').filter(word => /[\p{L}\p{N}]/u.test(word)).length
