// How text appears on a terminal: its colour and width, and wrapping by columns (UAX #11). Wide characters take two columns,
// combining marks none.
import { inspect } from 'node:util'
import { readTerminal, type TerminalEnvironment } from '../../config/environment.ts'
import type { Output } from '../output.ts'

let segmenter: Intl.Segmenter | undefined

/** Made for the first text that needs it, because that takes as long as loading all of this command. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** East Asian Wide and Fullwidth characters, and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u
/** Halfwidth forms of those scripts. */
const half = /^[\uff61-\uffdc\uffe8-\uffee]/u
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

/** One column each, without a look-up: nearly all text. */
const plain = /^[\x20-\x7e]*$/

const cellWidth = (cell: string) => (invisible.test(cell) ? 0 : wide.test(cell) && !half.test(cell) ? 2 : 1)

const cells = (text: string) => (plain.test(text) ? [...text] : [...graphemesOf(text)].map(({ segment }) => segment))

/** Columns of the text, which must not contain control characters. */
export const widthOf = (text: string): number =>
  plain.test(text) ? text.length : cells(text).reduce((sum, cell) => sum + cellWidth(cell), 0)

/** Pads with spaces. */
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** The text, cut with an ellipsis when it is wider. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${take(text, width - 1)}…`
}

function take(text: string, width: number): string {
  let start = ''
  let usedColumns = 0
  for (const cell of cells(text)) {
    usedColumns += cellWidth(cell)
    if (usedColumns > width) break
    start += cell
  }
  return start
}

/** Lines of at most that width, broken at spaces; a wider word is broken inside. */
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
      // Takes at least one character, even if it is too wide, so that the loop ends.
      const part = take(line, width) || (cells(line)[0] ?? '')
      lines.push(part)
      line = line.slice(part.length)
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}

/** Prose in lines of at most that width. Lines that begin with a space, as in a list or an example, stay as they are. */
export const wrapProse = (text: string, width: number): string =>
  text.replace(/^\S.*(?:\n\S.*)*/gm, prose => wrap(prose.replaceAll('\n', ' '), width).join('\n'))

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof COLOR_CHOICES)[number]

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface Display {
  /** Columns of a line. */
  readonly width: number
  /** The text in that tone, or unchanged without colour. */
  readonly paint: (tone: Tone, text: string) => string
}

/** The default, as on terminals since the VT100. */
const WIDTH = 80
/** Below this words no longer fit; above MOST lines are hard to follow. */
const LEAST = 40
const MOST = 120

/** The option overrides the environment, which overrides the terminal. */
export function displayOf(
  choice: ColorChoice,
  { columns }: Pick<Output, 'columns'>,
  environment: TerminalEnvironment = readTerminal(),
): Display {
  const isColored = choice === 'auto' ? (environment.color ?? columns !== undefined) : choice === 'always'
  const width = environment.columns ?? columns ?? WIDTH
  return { width: Math.min(MOST, Math.max(LEAST, width)), paint: isColored ? paintAnsi : (_, text) => text }
}

/** Uses SGR sequences (ECMA-48), each ended by its counterpart. */
function paintAnsi(tone: Tone, text: string): string {
  const [on, off] = inspect.colors[tone] ?? [0, 0]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}
