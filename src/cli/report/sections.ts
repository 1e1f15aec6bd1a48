// One block a section, in the words of the web page: what was seen, what to do, and the facts.
import { advice } from '../../web/advice.js'
import { reasonWords, statusWords } from '../../web/reasons.js'
import type { Result, SectionCoverage } from '../../web/result.js'
import { sectionOf, tell } from '../../web/sections/index.js'
import type { Value } from '../../web/sections/section.js'
import { visible } from '../../web/visible.js'
import type { Display } from './display.ts'
import { cutTo, padTo, widthOf, wrap } from './width.ts'

/** Members of a list that are shown; the JSON has them whole. */
const LIST_SHOWN = 4
/** Columns of one value: three lines of a usual terminal. */
const VALUE_WIDTH = 200

export const sectionBlocks = (result: Result, chosen: readonly string[], display: Display): string[] =>
  Object.entries(result.coverage.sections)
    .filter(([name]) => chosen.includes(name))
    .map(([name, coverage]) => block(name, coverage, result, display))

function block(name: string, coverage: SectionCoverage, result: Result, display: Display): string {
  const section = result[name] ?? null
  const heading = headingOf(name, coverage, display)
  const todo = steps(name, result)
  if (section === null) return [heading, ...bullets(todo, display, 'yellow')].join('\n')
  const { summary, facts, remarks = [] } = tell(name, section)
  const words = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
  return [
    heading,
    ...(words === '' ? [] : indented(words, display)),
    ...bullets(todo, display, 'yellow'),
    ...bullets(unsaid(remarks, name, result), display, 'cyan'),
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

/** What to do about the signals of the section, each advice once. */
function steps(name: string, { signal_details }: Result): string[] {
  const own = signal_details.filter(({ section }) => section === name)
  return [...new Set(own.flatMap(({ id }) => (Object.hasOwn(advice, id) ? (advice[id] ?? []) : [])))]
}

/** What the waterfall has not said already. */
function unsaid(remarks: readonly string[], name: string, { signal_details }: Result): string[] {
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
  const told = facts.filter(([, value]) => value !== null)
  const column = Math.min(Math.floor(display.width / 3), Math.max(0, ...told.map(([label]) => widthOf(visible(label)))))
  return told.flatMap(([label, value]) => {
    const name = padTo(cutTo(visible(label), column), column)
    const lines = wrap(cutTo(visible(shown(value)), VALUE_WIDTH), display.width - column - 4)
    return lines.map((line, i) => `  ${i === 0 ? display.paint('dim', name) : ' '.repeat(column)}  ${line}`)
  })
}

function shown(value: Value): string {
  if (value === null) return 'unknown or none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && 'text' in value) return value.text
  if (!Array.isArray(value)) return String(value)
  if (value.length === 0) return 'none'
  const more = value.length - LIST_SHOWN
  return `${value.slice(0, LIST_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}
