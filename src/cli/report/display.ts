// How text may look where it goes: colour or none, and how wide.
import { inspect } from 'node:util'
import { readTerminal, type TerminalEnvironment } from '../../config/terminal.ts'
import type { Output } from '../output.ts'

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof COLOR_CHOICES)[number]

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface Display {
  /** Columns that a line may take. */
  readonly width: number
  /** The text in that tone, or as it is where there is no colour. */
  readonly paint: (tone: Tone, text: string) => string
}

/** Where nothing is said, as terminals have been since the VT100. */
const WIDTH = 80
/** Narrower, words no longer fit; wider, lines are hard to follow. */
const LEAST = 40
const MOST = 120

/** The option beats the environment, which beats what `out` is. */
export function displayOf(
  choice: ColorChoice,
  { columns }: Pick<Output, 'columns'>,
  environment: TerminalEnvironment = readTerminal(),
): Display {
  const isColored = choice === 'auto' ? (environment.color ?? columns !== undefined) : choice === 'always'
  const width = environment.columns ?? columns ?? WIDTH
  return { width: Math.min(MOST, Math.max(LEAST, width)), paint: isColored ? painted : (_, text) => text }
}

/** By SGR sequences (ECMA-48), each ended by its own counterpart. */
function painted(tone: Tone, text: string): string {
  const [on, off] = inspect.colors[tone] ?? [0, 0]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}
