// What changed, for people.
import type { Change } from '../diff/change.ts'
import type { Difference } from '../diff/diff.ts'
import type { Severity } from '../diff/rules.ts'
import { reasonWords } from '../web/reasons.js'
import { visible } from '../web/visible.js'
import type { Display, Tone } from './report/display.ts'
import { wrap } from './report/width.ts'

const marks: Readonly<Record<Severity, readonly [mark: string, tone: Tone]>> = {
  weakened: ['-', 'red'],
  strengthened: ['+', 'green'],
  changed: ['~', 'yellow'],
}

const LABEL = Math.max(...Object.keys(marks).map(name => name.length))

/** A line a change, the sections that could not be compared after them; without a final line feed. */
export function changesText({ changes, not_compared }: Difference, display: Display): string {
  const lines = changes.flatMap(change => changeLines(change, display))
  // What this installation never sees is no news.
  const news = not_compared.filter(({ unknown }) => unknown !== 'both')
  const blind = news.map(({ section, unknown, reason }) => {
    const why = reason === null ? '' : `: ${reasonWords({ status: 'unavailable', reason, duration_ms: 0 })}`
    return `? ${section} not compared, unknown ${unknown === 'before' ? 'then' : 'now'}${why}`
  })
  return [
    ...lines,
    ...blind.flatMap(text => indented(visible(text), display, 2).map(line => display.paint('dim', line))),
  ].join('\n')
}

function changeLines({ severity, message }: Change, display: Display): string[] {
  const [mark, tone] = marks[severity]
  const [first = '', ...rest] = wrap(visible(message), display.width - LABEL - 6)
  const label = display.paint(tone, `${mark} ${severity.padEnd(LABEL)}`)
  return [`  ${label}  ${first}`, ...rest.map(line => `${' '.repeat(LABEL + 6)}${line}`)]
}

const indented = (text: string, { width }: Display, columns: number) =>
  wrap(text, width - columns).map(line => `${' '.repeat(columns)}${line}`)

/** `3 changes: 1 weakened, 2 changed`. */
export function changesCount(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no change'
  const parts = (['weakened', 'strengthened', 'changed'] as const).flatMap(severity => {
    const found = changes.filter(change => change.severity === severity).length
    return found === 0 ? [] : [`${found} ${severity}`]
  })
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${parts.join(', ')}`
}
