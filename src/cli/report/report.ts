// A result as text for people: the recommendation and its reason, the points, the sections, and the coverage.
import { stepsFor } from '../../web/advice.js'
import { reasonWords, statusWords, unseen } from '../../web/reasons.js'
import type { Result, SectionCoverage } from '../../web/result.js'
import { describeSection, sectionOf } from '../../web/sections/index.js'
import type { Value } from '../../web/sections/section.js'
import { toneOf } from '../../web/severity.js'
import { visible } from '../../web/visible.js'
import { cutTo, type Display, padTo, type Tone, widthOf, wrap } from './display.ts'
import { waterfall } from './waterfall.ts'

/** Shown members of a list; the JSON contains all. */
const LIST_SHOWN = 4
/** Columns of one value: about three lines of a terminal. */
const VALUE_WIDTH = 200

const sectionBlocks = (result: Result, chosen: readonly string[], display: Display): string[] =>
  Object.entries(result.coverage.sections)
    .filter(([name]) => chosen.includes(name))
    .map(([name, coverage]) => block(name, coverage, result, display))

function block(name: string, coverage: SectionCoverage, result: Result, display: Display): string {
  const section = result[name] ?? null
  const heading = headingOf(name, coverage, display)
  const todo = stepsFor(name, result)
  if (section === null) return [heading, ...bullets(todo, display, 'yellow')].join('\n')
  const { summary, facts, remarks = [] } = describeSection(name, section, coverage)
  const words = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
  return [
    heading,
    ...(words === '' ? [] : indented(words, display)),
    ...bullets(todo, display, 'yellow'),
    ...bullets(newRemarks(remarks, name, result), display, 'cyan'),
    ...factLines(facts, display),
  ].join('\n')
}

function headingOf(name: string, coverage: SectionCoverage, { paint, width }: Display): string {
  const { title } = sectionOf(name)
  const why = reasonWords(coverage)
  const isWhole = coverage.status === 'completed' && why === null
  const state = isWhole ? '' : `: ${statusWords(coverage).toLowerCase()}${why === null ? '' : ` (${why})`}`
  const [first = '', ...rest] = wrap(visible(`${name}, ${title}${state}`), width)
  const [head, ...tail] = first.split(',')
  return [`${paint('bold', head ?? '')},${tail.join(',')}`, ...rest].join('\n')
}

/** The remarks that the waterfall has not shown yet. */
function newRemarks(remarks: readonly string[], name: string, { signal_details }: Result): string[] {
  const said = signal_details.flatMap(({ section, detail }) => (section === name ? (detail ?? []) : []))
  return [...new Set(remarks)].filter(remark => !said.includes(remark))
}

const indented = (text: string, { width }: Display) => wrap(visible(text), width - 2).map(line => `  ${line}`)

function bullets(texts: readonly string[], { width, paint }: Display, tone: 'yellow' | 'cyan'): string[] {
  return texts.flatMap(text =>
    wrap(visible(text), width - 4).map(
      (line, i) => `  ${i === 0 ? paint(tone, tone === 'yellow' ? '→' : '·') : ' '} ${line}`,
    ),
  )
}

function factLines(facts: readonly (readonly [label: string, value: Value])[], display: Display): string[] {
  const known = facts.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]))
  const unknown = facts.flatMap(([label, value]) => (value === null ? [label.toLowerCase()] : []))
  const rows = unknown.length === 0 ? known : [...known, ['Unknown', { text: unknown.join(', ') }] as const]
  const column = Math.min(Math.floor(display.width / 3), Math.max(0, ...rows.map(([label]) => widthOf(visible(label)))))
  return rows.flatMap(([label, value]) => {
    const name = padTo(cutTo(visible(label), column), column)
    const lines = wrap(cutTo(visible(valueText(value)), VALUE_WIDTH), display.width - column - 4)
    return lines.map((line, i) => `  ${i === 0 ? display.paint('dim', name) : ' '.repeat(column)}  ${line}`)
  })
}

function valueText(value: NonNullable<Value>): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && 'text' in value) return value.text
  if (!Array.isArray(value)) return String(value)
  if (value.length === 0) return 'none'
  const more = value.length - LIST_SHOWN
  return `${value.slice(0, LIST_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

function coverageBlock(result: Result, { width, paint }: Display): string {
  const { coverage, scoring_policy, process_time_ms } = result
  const missing = unseen(coverage.sections).filter(([, { status }]) => status !== 'not_applicable')
  const share = `coverage ${Math.round(coverage.ratio * 100)} %`
  const lines = missing.map(([name, one]) => {
    const why = reasonWords(one)
    return `? ${name}: ${statusWords(one).toLowerCase()}${why === null ? '' : `, ${why}`}`
  })
  const meaning = missing.length === 0 ? '' : ': unknown sections do not count as good'
  return [
    ...wrap(`${share}${meaning}`, width),
    ...lines.flatMap(line => wrap(visible(line), width - 2).map(part => `  ${part}`)),
    ...wrap(`policy ${scoring_policy}, ${process_time_ms} ms`, width).map(line => paint('dim', line)),
  ].join('\n')
}

/** Only observations have a colour. */
const tones: Readonly<Record<ReturnType<typeof toneOf>, Tone>> = {
  bad: 'red',
  doubtful: 'yellow',
  good: 'green',
  unknown: 'bold',
}

/** What a review means; allowing and blocking need no explanation. */
const REVIEW = 'Have a person look at it, or ask for more proof.'

/**
 * The report with all or the chosen sections, ending in a line feed. The points are always those of the whole score.
 * Untrusted text is escaped, so that it cannot control the terminal.
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

/** The recommendation and its reason first, then the numbers behind them. */
function heading(result: Result, { width, paint }: Display): string {
  const {
    domain,
    ip,
    url = null,
    final_url = null,
    host_verdict = null,
    recommendation,
    recommendation_reason,
    verdict,
    risk_score,
    confidence,
    threat_types = [],
  } = result
  const target = visible(url ?? [domain, ip].filter(one => one !== null).join(' at '))
  const lines = wrap(`${target}: ${recommendation}`, width)
  const last = lines.pop() ?? ''
  const headline = `${last.slice(0, -recommendation.length)}${paint(tones[toneOf(result)], recommendation)}`
  return [
    ...[...lines, headline].map(line => paint('bold', line)),
    ...wrap(visible(recommendation_reason), width),
    ...(recommendation === 'review' ? wrap(REVIEW, width) : []),
    ...wrap(`Verdict ${verdict}, risk ${risk_score} of 100, confidence ${confidence}`, width),
    ...(final_url === null || final_url === url ? [] : wrap(visible(`Leads to ${final_url}`), width)),
    ...(host_verdict === null
      ? []
      : wrap(`Verdict on the front page of ${visible(domain ?? ip ?? '')}: ${host_verdict}`, width)),
    ...(threat_types.length > 0 ? wrap(`Kind of threat: ${threat_types.join(', ')}`, width) : []),
  ].join('\n')
}
