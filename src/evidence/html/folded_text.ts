// Text put together from pieces: white space folded across them, and no more kept than asked for.
import { cut, fold } from './clean.ts'

export interface FoldedText {
  add(piece: string): void
  /** What follows is another word, as after the end of a block. */
  gap(): void
  value(): string
}

export function createFoldedText(length: number): FoldedText {
  const pieces: string[] = []
  let size = 0
  let blank = true
  const push = (text: string) => {
    pieces.push(text)
    size += text.length
    blank = text.endsWith(' ')
  }
  return {
    add(piece) {
      if (size >= length) return
      const folded = fold(piece)
      const text = blank && folded.startsWith(' ') ? folded.slice(1) : folded
      if (text !== '') push(text)
    },
    gap() {
      if (!blank && size < length) push(' ')
    },
    value: () => cut(pieces.join(''), length).trim(),
  }
}

/** Words have a letter or a digit in them. */
export const countWords = (text: string): number =>
  text === '' ? 0 : text.split(' ').filter(word => /[\p{L}\p{N}]/u.test(word)).length
