// The signals, most serious first. Each bar begins where the one above it ended, and the last sum is the score.

import { visible } from '../../base/visible.js'
import type { Report } from '../../engine/report/schema.ts'
import type { Severity } from '../../engine/scoring/severity.ts'
import { signed } from '../../web/points.js'
import { cutTo, type Display, padTo, type Tone, widthOf, wrap } from './display.ts'

/** Columns of points: `−100.5`. */
const POINTS = 7
/** Columns of the longest severity. */
const SEVERITY = 8
/** Keeps the bar of a single point short. */
const LEAST_SCALE = 20
/** Narrower terminals have no room for bars. */
const LEAST_WIDTH_FOR_BARS = 72
const BAR = 24

type ReportFinding = Report['findings'][number]
type ReportStep = Report['steps'][number]

const tones: Readonly<Record<Severity, Tone>> = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'cyan',
  info: 'dim',
}

/** A signal with negative points speaks for the target. */
const toneOf = ({ severity, points }: ReportFinding): Tone => (points < 0 ? 'green' : tones[severity])

export function waterfall({ findings, steps: all, score }: Report, display: Display): string {
  if (findings.length === 0) return 'No signals found.'
  const reach = Math.max(LEAST_SCALE, ...all.map(({ from, to }) => Math.max(from, to)))
  const limits = all.filter(({ signal }) => signal === null)
  const hasBars = display.width >= LEAST_WIDTH_FOR_BARS
  const room = display.width - POINTS - SEVERITY - 4 - (hasBars ? BAR + 2 : 0)
  const widths = [
    ...findings.map(({ signal }) => widthOf(visible(signal))),
    ...limits.map(({ title }) => widthOf(title) - SEVERITY - 2),
  ]
  const column = Math.min(room, Math.max(0, ...widths))
  const layout = { reach, column, hasBars, display }
  const stepOf = (finding: ReportFinding) => all.find(({ signal }) => signal === finding.signal) ?? null
  return [
    display.paint('bold', 'Why:'),
    ...findings.flatMap(finding => signalLines(finding, stepOf(finding), layout)),
    ...limits.map(step => row({ points: step.points, name: step.title, tone: 'dim', step }, layout)),
    `${display.paint('bold', String(score).padStart(POINTS))}  ${display.paint('bold', 'risk score')}`,
  ].join('\n')
}

interface WaterfallLayout {
  readonly reach: number
  readonly column: number
  readonly hasBars: boolean
  readonly display: Display
}

interface WaterfallRow {
  readonly points: number
  /** Absent where the sum itself is limited; the name takes that room then. */
  readonly severity?: Severity
  readonly name: string
  readonly tone: Tone
  /** Null when the sum does not change. */
  readonly step: ReportStep | null
}

const signalLines = (finding: ReportFinding, step: ReportStep | null, layout: WaterfallLayout): string[] => [
  row(
    { points: finding.points, severity: finding.severity, name: finding.signal, tone: toneOf(finding), step },
    layout,
  ),
  ...explainFinding(finding, layout.display),
]

function row(
  { points, severity, name, tone, step }: WaterfallRow,
  { reach, column, hasBars, display }: WaterfallLayout,
): string {
  const picture = hasBars && step !== null ? `  ${display.paint(tone, bar(step, reach))}` : ''
  const rating = severity === undefined ? '' : `  ${padTo(cutTo(visible(severity), SEVERITY), SEVERITY)}`
  const room = severity === undefined ? column + SEVERITY + 2 : column
  const pointsText = display.paint(tone, `${signed(points).padStart(POINTS)}${rating}`)
  return `${pointsText}  ${padTo(cutTo(visible(name), room), room)}${picture}`.trimEnd()
}

function bar({ from, to }: ReportStep, reach: number): string {
  const at = (points: number) => Math.round((Math.min(Math.max(points, 0), reach) / reach) * BAR)
  const [start, end] = [at(Math.min(from, to)), at(Math.max(from, to))]
  return `${' '.repeat(Math.min(start, BAR - 1))}${'█'.repeat(end - start) || '▏'}`
}

/** The observation, below the name of the signal. */
function explainFinding({ detail, title, group, floor }: ReportFinding, { width, paint }: Display): string[] {
  const least = floor === null ? '' : `, at least ${floor}`
  const indent = ' '.repeat(POINTS + 2)
  const text = visible(`${detail ?? title} [${group}${least}]`)
  return wrap(text, width - indent.length).map(line => `${indent}${paint('dim', line)}`)
}
