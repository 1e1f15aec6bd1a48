// Text by the columns it takes on a terminal (UAX #11): wide characters take two, marks that combine take none.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** East Asian Wide and Fullwidth, and what is shown as an emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u
/** Halfwidth forms of those scripts. */
const half = /^[\uff61-\uffdc\uffe8-\uffee]/u
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

/** A column each, which needs no looking up: nearly all text is like this. */
const plain = /^[\x20-\x7e]*$/

const cellWidth = (cell: string) => (invisible.test(cell) ? 0 : wide.test(cell) && !half.test(cell) ? 2 : 1)

const cells = (text: string) =>
  plain.test(text) ? [...text] : [...graphemes.segment(text)].map(({ segment }) => segment)

/** Columns that the text takes; it must hold no control characters. */
export const widthOf = (text: string): number =>
  plain.test(text) ? text.length : cells(text).reduce((sum, cell) => sum + cellWidth(cell), 0)

/** Fills up with spaces. */
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** The text, or its beginning with an ellipsis when it is wider. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${take(text, width - 1)}…`
}

function take(text: string, width: number): string {
  let taken = ''
  let used = 0
  for (const cell of cells(text)) {
    used += cellWidth(cell)
    if (used > width) break
    taken += cell
  }
  return taken
}

/** Lines of at most that width, broken at spaces where there are any; a word that is wider is broken within. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (widthOf(line) > width) {
      // A single character may be wider than there is room: it is taken all the same, so that this ends.
      const part = take(line, width) || (cells(line)[0] ?? '')
      lines.push(part)
      line = line.slice(part.length)
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}
