// A result as text for people: the score explained first, then every section.
import type { SignalDetail } from '../engine/analysis.ts'

type Result = Readonly<Record<string, unknown>>

interface Coverage {
  readonly complete: boolean
  readonly ratio: number
  readonly sections: Readonly<Record<string, { readonly status: string; readonly reason: string | null }>>
}

/** Characters of one value; longer ones are cut, the JSON has them whole. */
const VALUE_WIDTH = 96
/** Members of a list that are shown. */
const LIST_SHOWN = 4

/** The whole report, ending in a line feed. Values come from strangers: what could steer a terminal is gone already. */
export function report(result: Result): string {
  const coverage = result['coverage'] as Coverage
  const blocks = [
    heading(result),
    explanation(result['signal_details'] as readonly SignalDetail[], result['risk_score'] as number),
    ...Object.entries(coverage.sections).map(([name, { status, reason }]) =>
      sectionBlock(name, result[name], status, reason),
    ),
    `coverage ${Math.round(coverage.ratio * 100)} %, policy ${result['scoring_policy']}, ${result['process_time_ms']} ms`,
  ]
  return `${blocks.join('\n\n')}\n`
}

function heading(result: Result): string {
  const target = [result['domain'], result['ip']].filter(one => one !== null).join(' at ')
  return `${target}: ${result['verdict']}, risk ${result['risk_score']} of 100`
}

function explanation(details: readonly SignalDetail[], risk: number): string {
  if (details.length === 0) return 'No signal was found.'
  const width = Math.max(...details.map(({ id }) => id.length))
  const lines = details.map(({ id, points, floor, title, detail, group }) => {
    const least = floor === null ? '' : ` (at least ${floor})`
    return `${signed(points).padStart(7)}  ${id.padEnd(width)}  ${detail ?? title} [${group}]${least}`
  })
  const sum = Math.round(details.reduce((total, { points }) => total + points, 0) * 10) / 10
  const held = sum > risk ? ` (the points come to ${sum}; a score is at most 100)` : ''
  return ['Why:', ...lines, `${String(risk).padStart(7)}  risk score${held}`].join('\n')
}

const signed = (points: number) => (points > 0 ? `+${points}` : String(points))

function sectionBlock(name: string, section: unknown, status: string, reason: string | null): string {
  if (section === null || section === undefined)
    return `${name}: ${status.replace('_', ' ')} (${reason ?? 'no reason'})`
  const lines = Object.entries(section).map(([key, value]) => `  ${key}: ${shown(value)}`)
  const partly = reason === null ? '' : ` (part of it unknown: ${reason})`
  return [`${name}${partly}`, ...lines].join('\n')
}

function shown(value: unknown): string {
  if (value === null) return 'unknown or none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return shownList(value)
  return cut(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function shownList(list: readonly unknown[]): string {
  if (list.length === 0) return 'none'
  const first = list.slice(0, LIST_SHOWN).map(one => (typeof one === 'string' ? one : messageOf(one)))
  const more = list.length > LIST_SHOWN ? `, and ${list.length - LIST_SHOWN} more` : ''
  return cut(first.join(', ')) + more
}

/** Issues and findings have a message; anything else is shown as JSON. */
function messageOf(one: unknown): string {
  const message = (one as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : JSON.stringify(one)
}

const cut = (text: string) => (text.length > VALUE_WIDTH ? `${text.slice(0, VALUE_WIDTH - 1)}…` : text)
