// One card per section: the findings in plain words, and what to do.
import { stepsFor } from './advice.js'
import { element, foreign } from './element.js'
import { signed } from './points.js'
import { reasonWords, statusWords } from './reasons.js'
import { describeSection, sectionOf } from './sections/index.js'
import { severityName, worstSeverity } from './severity.js'

/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').SectionCoverage} SectionCoverage */
/** @typedef {import('./sections/section.js').Value} Value */
/** @typedef {import('./sections/section.js').Description} Description */
/** @typedef {import('./severity.js').Severity | 'good' | 'unknown'} Tone `info` is neutral: seen, and nothing to judge */

/** Maximum list members on a card; the JSON has all. */
const SHOWN = 8

/** The minimum score that counts as good: grade A of the security headers. */
const GOOD_FROM = 85

/** @type {(value: Value) => import('./element.js').Child} */
function valueContent(value) {
  if (value === null) return element('span', { class: 'none' }, 'unknown')
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

/**
 * The tone of a section and the words beside its title. Severity decides, not points; a section that is unknown or partly
 * unknown is never good.
 * @param {string} name
 * @param {SectionCoverage} coverage
 * @param {Result['signal_details']} details
 * @param {Description | null} description null when there is no section
 * @returns {{ text: string, tone: Tone }}
 */
export function standing(name, coverage, details, description) {
  const own = details.filter(({ section }) => section === name)
  const points = Math.round(own.reduce((sum, one) => sum + one.points, 0) * 10) / 10
  const worst = worstSeverity(own)
  const sum = points === 0 ? '' : `${signed(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`
  if (worst !== null) return { text: [severityName(worst), sum].filter(Boolean).join(', '), tone: worst }
  if (description === null || coverage.status !== 'completed' || coverage.reason !== null)
    return { text: statusWords(coverage), tone: 'unknown' }
  if (description.score === null) return { text: 'Not scored', tone: 'unknown' }
  if (description.score !== undefined)
    return { text: `${description.score} of 100`, tone: description.score < GOOD_FROM ? 'low' : 'good' }
  if (sectionOf(name).informs) return { text: 'Informational', tone: 'info' }
  return { text: sum || 'Nothing found', tone: 'good' }
}

/** @type {(name: string, description: Description, steps: readonly string[]) => import('./element.js').Child[]} */
function body(name, { summary, facts, remarks = [] }, steps) {
  const terms = facts.flatMap(([label, value]) => [
    element('dt', {}, foreign(label)),
    element('dd', {}, valueContent(value)),
  ])
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

/** @type {(name: string, coverage: SectionCoverage, result: Result) => { element: HTMLElement, tone: Tone }} */
function card(name, coverage, result) {
  const { title, looks } = sectionOf(name)
  const section = result[name] ?? null
  const description = section === null ? null : describeSection(name, /** @type {object} */ (section), coverage)
  const { text, tone } = standing(name, coverage, result.signal_details, description)
  const steps = stepsFor(name, result)
  const partly = coverage.status === 'completed' ? reasonWords(coverage) : null
  const id = `card-${name}`
  const made = element(
    'section',
    { class: `card ${tone}`, 'aria-labelledby': id },
    element('header', {}, element('h4', { id }, foreign(title)), element('p', { class: 'standing' }, text)),
    element('p', { class: 'looks' }, `We check ${looks}.`),
    description === null ? notSeen(coverage) : null,
    partly === null ? null : element('p', { class: 'partly' }, 'Partly unknown: ', foreign(partly), '.'),
    ...(description === null ? [list('What to do', steps, 'todo')] : body(name, description, steps)),
  )
  return { element: made, tone }
}

/** Unknown sections come after findings and before good sections. @type {readonly Tone[]} */
const tones = ['critical', 'high', 'medium', 'low', 'unknown', 'info', 'good']

/**
 * A card for every section, the most serious first; sections that do not apply come last.
 * @param {Result} result
 */
export function cards(result) {
  const made = Object.entries(result.coverage.sections).map(([name, coverage]) => {
    const { element, tone } = card(name, coverage, result)
    const isIdle = coverage.status === 'not_applicable' && tone === 'unknown'
    return { element, place: isIdle ? tones.length : tones.indexOf(tone) }
  })
  return made.sort((a, b) => a.place - b.place).map(({ element }) => element)
}
