// A result as text for people: the verdict, how the points come to the score, then what was seen and what to do about it.
import type { Result } from '../../web/result.js'
import { visible } from '../../web/visible.js'
import { coverageBlock } from './coverage.ts'
import type { Display, Tone } from './display.ts'
import { sectionBlocks } from './sections.ts'
import { waterfall } from './waterfall.ts'
import { wrap } from './width.ts'

const tones: Readonly<Record<string, Tone>> = { safe: 'green', suspicious: 'yellow', malicious: 'red' }

/** What the interface recommends for each verdict. */
const actions: Readonly<Record<string, string>> = {
  safe: 'Allow it.',
  suspicious: 'Have a person look at it, or ask for more proof.',
  malicious: 'Block it.',
}

/**
 * The report, ending in a line feed: all sections, or the chosen ones; the points are always the whole score's. Text of
 * strangers is shown as text: nothing in it steers a terminal.
 */
export function report(
  given: Readonly<Record<string, unknown>>,
  display: Display,
  chosen: readonly string[] = Object.keys((given as unknown as Result).coverage.sections),
): string {
  const result = given as unknown as Result
  const blocks = [
    heading(result, display),
    waterfall(result, display),
    ...sectionBlocks(result, chosen, display),
    coverageBlock(result, display),
  ]
  return `${blocks.join('\n\n')}\n`
}

function heading({ domain, ip, verdict, risk_score }: Result, { width, paint }: Display): string {
  const target = visible([domain, ip].filter(one => one !== null).join(' at '))
  const [first = '', ...rest] = wrap(`${target}: ${verdict}, risk ${risk_score} of 100`, width)
  const tone = tones[verdict] ?? 'bold'
  const lines = [first, ...rest].map(line => paint('bold', line.replace(verdict, paint(tone, verdict))))
  return [...lines, ...wrap(actions[verdict] ?? '', width)].join('\n')
}
