// The points, signal by signal: each bar begins where the one above it ended, and the last sum is the score.
import { type Step, signed, steps } from '../../web/points.js'
import type { Detail, Result } from '../../web/result.js'
import { visible } from '../../web/visible.js'
import type { Display } from './display.ts'
import { cutTo, padTo, widthOf, wrap } from './width.ts'

/** Columns of points: `−100.5`. */
const POINTS = 7
/** A single point should look small. */
const LEAST_SCALE = 20
/** Narrower displays have no room for bars. */
const LEAST_WIDTH_FOR_BARS = 64
const BAR = 24

export function waterfall(result: Result, display: Display): string {
  const { signal_details, risk_score } = result
  if (signal_details.length === 0) return 'No signal was found.'
  const all = steps(signal_details, risk_score)
  const reach = Math.max(LEAST_SCALE, ...all.map(({ from, to }) => Math.max(from, to)))
  const names = all.map(({ signal, title }) => (signal === null ? title : signal.id))
  const hasBars = display.width >= LEAST_WIDTH_FOR_BARS
  const room = display.width - POINTS - 2 - (hasBars ? BAR + 2 : 0)
  const column = Math.min(room, Math.max(0, ...names.map(name => widthOf(visible(name)))))
  const rows = all.flatMap(step => stepLines(step, { reach, column, hasBars, display }))
  const free = signal_details.filter(({ points }) => points === 0)
  return [
    display.paint('bold', 'Why:'),
    ...rows,
    `${display.paint('bold', String(risk_score).padStart(POINTS))}  ${display.paint('bold', 'risk score')}`,
    ...free.flatMap(detail => freeLines(detail, display)),
  ].join('\n')
}

interface Layout {
  readonly reach: number
  readonly column: number
  readonly hasBars: boolean
  readonly display: Display
}

function stepLines(step: Step, { reach, column, hasBars, display }: Layout): string[] {
  const { signal, title, points } = step
  const tone = signal === null ? 'dim' : points > 0 ? 'red' : 'green'
  const name = cutTo(visible(signal === null ? title : signal.id), column)
  const picture = hasBars ? `  ${display.paint(tone, bar(step, reach))}` : ''
  const first = `${display.paint(tone, signed(points).padStart(POINTS))}  ${padTo(name, column)}${picture}`
  return [first.trimEnd(), ...(signal === null ? [] : explained(signal, display))]
}

function bar({ from, to }: Step, reach: number): string {
  const at = (points: number) => Math.round((Math.min(Math.max(points, 0), reach) / reach) * BAR)
  const [start, end] = [at(Math.min(from, to)), at(Math.max(from, to))]
  return `${' '.repeat(Math.min(start, BAR - 1))}${'█'.repeat(end - start) || '▏'}`
}

/** What was noticed, under the name of the signal. */
function explained({ detail, title, group, floor }: Detail, { width, paint }: Display): string[] {
  const least = floor === null ? '' : `, at least ${floor}`
  const indent = ' '.repeat(POINTS + 2)
  const text = visible(`${detail ?? title} [${group}${least}]`)
  return wrap(text, width - indent.length).map(line => `${indent}${paint('dim', line)}`)
}

const freeLines = (detail: Detail, display: Display): string[] => [
  `${'0'.padStart(POINTS)}  ${cutTo(visible(detail.id), display.width - POINTS - 2)}`,
  ...explained(detail, display),
]
