// The report as text for people, in the order of its model: recommendation, what to do, why, sections, what is unknown.

import { visible } from '../../base/visible.js'
import type { Report, ReportSection } from '../../engine/report/schema.ts'
import { cutTo, type Display, padTo, type Tone, widthOf, wrap } from './display.ts'
import { requestsBlock } from './requests.ts'
import { waterfall } from './waterfall.ts'

/** Shown members of a list; the JSON contains all. */
const LIST_SHOWN = 4
/** Columns of one value: about three lines of a terminal. */
const VALUE_WIDTH = 200

/** The part of a line that labels may take. */
const LABELS = 0.45

type ReportFact = ReportSection['facts'][number]

/** Only observations have a colour. */
const tones: Readonly<Record<Report['tone'], Tone>> = {
  bad: 'red',
  doubtful: 'yellow',
  good: 'green',
  unknown: 'bold',
}

/**
 * The report with all or the chosen sections, ending in a line feed. The points always belong to the whole score.
 * Untrusted text is escaped, so that it cannot control the terminal.
 */
export function reportText(report: Report, display: Display, sectionNames?: readonly string[]): string {
  const sections = report.sections.filter(({ name }) => sectionNames?.includes(name) ?? true)
  const blocks = [
    heading(report, display),
    beforeBlock(report, display),
    waterfall(report, display),
    ...sections.map(section => sectionBlock(section, display)),
    ...(sectionNames === undefined ? [fixesBlock(report, display)] : []),
    ...(sectionNames === undefined ? [requestsBlock(report, display)] : []),
    unseenBlock(report, display),
  ]
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`
}

/** The recommendation and its reason first, then the numbers behind them. */
function heading(report: Report, { width, paint }: Display): string {
  const { target, recommendation, reason, meaning, verdict, score, confidence, threat_types, about } = report
  const lines = wrap(`${visible(target)}: ${recommendation}`, width)
  const last = lines.pop() ?? ''
  const headline = `${last.slice(0, -recommendation.length)}${paint(tones[report.tone], recommendation)}`
  return [
    ...[...lines, headline].map(line => paint('bold', line)),
    ...wrap(visible(reason), width),
    ...(meaning === null ? [] : wrap(meaning, width)),
    ...wrap(`Verdict ${verdict}, risk ${score} of 100, confidence ${confidence}`, width),
    ...(threat_types.length > 0 ? wrap(`Kind of threat: ${threat_types.join(', ')}`, width) : []),
    ...about.flatMap(([label, value]) => wrap(visible(`${label}: ${valueText(value)}`), width)),
  ].join('\n')
}

/** For who decides, who owns nothing, and has to act first. */
function beforeBlock({ before }: Report, display: Display): string {
  const lines = before.flatMap(({ text }) => bullet(text, '→', 'yellow', display))
  return [display.paint('bold', 'What to do:'), ...lines].join('\n')
}

/** For the owner: last, because few readers are. */
function fixesBlock({ fixes }: Report, display: Display): string {
  if (fixes.length === 0) return ''
  const lines = fixes.flatMap(({ text }) => bullet(text, '→', 'cyan', display))
  return [display.paint('bold', 'If it is yours, largest gain first:'), ...lines].join('\n')
}

function sectionBlock(section: ReportSection, display: Display): string {
  const { name, title, state, summary, remarks, facts } = section
  const words = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
  const [first = '', ...rest] = wrap(visible(`${title} (${name}): ${state}`), display.width)
  const cut = Math.min(first.length, visible(title).length)
  return [
    [`${display.paint('bold', first.slice(0, cut))}${first.slice(cut)}`, ...rest].join('\n'),
    ...(words === '' ? [] : wrap(visible(words), display.width - 2).map(line => `  ${line}`)),
    ...remarks.filter(({ severity }) => severity !== 'info').flatMap(({ text }) => bullet(text, '·', 'cyan', display)),
    ...factLines(facts, display),
  ].join('\n')
}

const bullet = (text: string, mark: string, tone: Tone, { width, paint }: Display): string[] =>
  wrap(visible(text), width - 4).map((line, i) => `  ${i === 0 ? paint(tone, mark) : ' '} ${line}`)

function factLines(facts: readonly ReportFact[], display: Display): string[] {
  const values = facts.filter(([, value]) => value !== null)
  const unknownLabels = facts.filter(([, value]) => value === null).map(([label]) => uncapitalise(label))
  const rows: readonly ReportFact[] =
    unknownLabels.length === 0 ? values : [...values, ['Unknown', unknownLabels.join(', ')]]
  const column = Math.min(
    Math.floor(display.width * LABELS),
    Math.max(0, ...rows.map(([label]) => widthOf(visible(label)))),
  )
  return rows.flatMap(([label, value]) => {
    const name = padTo(cutTo(visible(label), column), column)
    const lines = wrap(cutTo(visible(valueText(value)), VALUE_WIDTH), display.width - column - 4)
    return lines.map((line, i) => `  ${i === 0 ? display.paint('dim', name) : ' '.repeat(column)}  ${line}`)
  })
}

/** `Start of authority` becomes `start of authority`; `IPv6` and `CAA records` stay. */
const uncapitalise = (label: string): string =>
  label.replace(/^\p{Lu}(?=\p{Ll}+(?:\s|$))/u, letter => letter.toLowerCase())

function valueText(value: ReportFact[1]): string {
  if (value === null) return 'unknown'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  if (!Array.isArray(value)) return value.text
  if (value.length === 0) return 'none'
  const more = value.length - LIST_SHOWN
  return `${value.slice(0, LIST_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

type UnseenPart = Report['unseen'][number]

function unseenBlock({ unseen, coverage, checked }: Report, { width, paint }: Display): string {
  const missing = unseen.filter(({ applies }) => applies)
  const meaning = missing.length === 0 ? '' : ': what is unknown does not count as good'
  const words = ({ sections, reason }: UnseenPart, status: string) =>
    `${sections.join(', ')}${status}${reason === null ? '' : ` (${reason})`}`
  const others = unseen.filter(({ applies }) => !applies).map(one => words(one, ''))
  const lines = [
    ...missing.map(one => `? ${words(one, `: ${one.status.toLowerCase()}`)}`),
    ...(others.length === 0 ? [] : [`- not part of this report: ${others.join('; ')}`]),
  ]
  const rest = checked.filter(([label]) => label !== 'Coverage')
  return [
    ...wrap(`coverage ${coverage.percent} %${meaning}`, width),
    ...lines.flatMap(line => wrap(visible(line), width - 2).map(part => `  ${part}`)),
    ...wrap(visible(rest.map(([label, value]) => `${label.toLowerCase()} ${valueText(value)}`).join(', ')), width).map(
      line => paint('dim', line),
    ),
  ].join('\n')
}
