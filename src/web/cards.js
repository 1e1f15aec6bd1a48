// One card a section: what was seen, in plain words, and what to do about it.
import { advice } from './advice.js'
import { element, foreign } from './element.js'
import { signed } from './points.js'
import { reasonWords, statusWords } from './reasons.js'
import { sectionOf, tell } from './sections/index.js'

/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').SectionCoverage} SectionCoverage */
/** @typedef {import('./sections/section.js').Value} Value */

/** Members of a list that a card shows; the JSON has them all. */
const SHOWN = 8

/** @type {(value: Value) => import('./element.js').Child} */
function shown(value) {
  if (value === null) return element('span', { class: 'none' }, 'unknown or none')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return foreign(value)
  if ('text' in value) return foreign(value.text)
  if (value.length === 0) return element('span', { class: 'none' }, 'none')
  const more = value.length - SHOWN
  return element(
    'ul',
    {},
    ...value.slice(0, SHOWN).map(one => element('li', {}, foreign(one))),
    more > 0 && element('li', { class: 'none' }, `and ${more} more`),
  )
}

/** @type {(title: string, items: readonly string[], className: string) => HTMLElement | null} */
const list = (title, items, className) =>
  items.length === 0
    ? null
    : element(
        'div',
        { class: className },
        element('h5', {}, title),
        element('ul', {}, ...items.map(item => element('li', {}, foreign(item)))),
      )

/** @type {(points: number, coverage: SectionCoverage) => { text: string, tone: string }} */
function standing(points, coverage) {
  if (points > 0) return { text: `${signed(points)} ${points === 1 ? 'point' : 'points'}`, tone: 'costs' }
  const tone = coverage.status === 'completed' && coverage.reason === null ? 'good' : 'unknown'
  if (points < 0 && coverage.status === 'completed') return { text: `${signed(points)} points`, tone }
  return { text: tone === 'good' ? 'No points' : statusWords(coverage), tone }
}

/** @type {(name: string, section: unknown, steps: readonly string[]) => import('./element.js').Child[]} */
function told(name, section, steps) {
  const { summary, facts, remarks = [] } = tell(name, /** @type {object} */ (section))
  const terms = facts.flatMap(([label, value]) => [element('dt', {}, foreign(label)), element('dd', {}, shown(value))])
  const words = summary.map(part => (typeof part === 'string' ? part : foreign(part.text)))
  return [
    words.length > 0 && element('p', { class: 'summary' }, ...words),
    list('What to do', steps, 'todo'),
    (terms.length > 0 || remarks.length > 0) &&
      element(
        'details',
        {},
        element('summary', {}, 'Details', element('span', { class: 'unseen' }, ` of ${sectionOf(name).title}`)),
        terms.length > 0 && element('dl', {}, ...terms),
        list('Remarks', remarks, 'remarks'),
      ),
  ]
}

/** @type {(coverage: SectionCoverage) => HTMLElement} */
function notSeen(coverage) {
  const why = reasonWords(coverage)
  return element(
    'p',
    { class: 'summary' },
    `${statusWords(coverage)}${why === null ? '' : ': '}`,
    why === null ? null : foreign(why),
    '.',
  )
}

/** @type {(name: string, coverage: SectionCoverage, result: Result) => HTMLElement} */
function card(name, coverage, result) {
  const { title, looks } = sectionOf(name)
  const own = result.signal_details.filter(({ section }) => section === name)
  const { text, tone } = standing(pointsOf(name, result), coverage)
  const todo = own.flatMap(({ id }) => (Object.hasOwn(advice, id) ? (advice[id] ?? []) : []))
  const steps = [...new Set(todo)]
  const section = result[name] ?? null
  const partly = coverage.status === 'completed' ? reasonWords(coverage) : null
  const id = `card-${name}`
  return element(
    'section',
    { class: `card ${tone}`, 'aria-labelledby': id },
    element('header', {}, element('h4', { id }, foreign(title)), element('p', { class: 'standing' }, text)),
    element('p', { class: 'looks' }, `We look at ${looks}.`),
    ...(section === null ? [notSeen(coverage)] : []),
    partly === null ? null : element('p', { class: 'partly' }, 'Part of it could not be seen: ', foreign(partly), '.'),
    ...(section === null ? [list('What to do', steps, 'todo')] : told(name, section, steps)),
  )
}

/** @type {(name: string, result: Result) => number} */
const pointsOf = (name, { signal_details }) =>
  Math.round(signal_details.reduce((sum, { section, points }) => sum + (section === name ? points : 0), 0) * 10) / 10

/**
 * A card for every section there is, those that cost most first.
 * @param {Result} result
 */
export const cards = result =>
  Object.entries(result.coverage.sections)
    .sort(([a], [b]) => pointsOf(b, result) - pointsOf(a, result))
    .map(([name, coverage]) => card(name, coverage, result))
