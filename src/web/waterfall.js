// The points, signal by signal, as a table with bars: each bar starts where the one above ended.
import { drawn, element, foreign } from './element.js'
import { groupSums, plain, signed, steps } from './points.js'
import { sectionOf } from './sections/index.js'
import { bySeverity, severityName } from './severity.js'

/** @typedef {import('./result.js').Detail} Detail */
/** @typedef {import('./points.js').Step} Step */

/** Minimum number of points across the table's width, so that a single point looks small. */
const LEAST_WIDTH = 20

/** @type {(step: Step, low: number, high: number) => SVGElement} */
function bar({ from, to, signal }, low, high) {
  const width = high - low
  const [start, end] = [Math.min(from, to), Math.max(from, to)].map(at => ((at - low) / width) * 100)
  const kind = signal === null ? 'held' : to > from ? signal.severity : 'takes'
  const size = { width: Math.max(0.4, (end ?? 0) - (start ?? 0)), height: 8, y: 0 }
  return drawn(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', class: 'bar', 'aria-hidden': 'true', focusable: 'false' },
    drawn('rect', { x: 0, width: 100, height: 8, class: 'track' }),
    drawn('rect', { x: start ?? 0, ...size, class: kind }),
  )
}

/** @type {(detail: Pick<Detail, 'severity'>) => HTMLElement} */
export const severityMark = ({ severity }) =>
  element('span', { class: `severity ${severity}` }, severityName(severity), ' ')

/** @type {(detail: Detail) => HTMLElement} */
const origin = ({ section, group, floor }) =>
  element(
    'span',
    { class: 'origin' },
    `${sectionOf(section).title} · ${group}${floor === null ? '' : ` · at least ${floor}`}`,
  )

/** @type {(title: string, signal: Detail | null, picture: Node | null) => HTMLElement} */
const named = (title, signal, picture) =>
  element(
    'th',
    { scope: 'row' },
    element(
      'div',
      { class: 'row' },
      element(
        'div',
        {},
        element('span', { class: 'title' }, signal && severityMark(signal), signal === null ? title : foreign(title)),
        signal !== null && signal.detail !== null && element('span', { class: 'detail' }, foreign(signal.detail)),
        signal !== null && origin(signal),
      ),
      picture,
    ),
  )

/** @type {(head: Node, points: string, sum: string) => HTMLElement} */
const row = (head, points, sum) =>
  element('tr', {}, head, element('td', { class: 'points' }, points), element('td', { class: 'sum' }, sum))

/**
 * Every signal that counts, most serious first, including those without points because of a ceiling; then the adjustments
 * of the sum.
 * @type {(details: readonly Detail[], moves: readonly Step[], low: number, high: number) => HTMLElement[]}
 */
function stepRows(details, moves, low, high) {
  const bySignal = new Map(moves.map(step => [step.signal, step]))
  let sum = 0
  const signals = details.map(signal => {
    const step = bySignal.get(signal)
    sum = step?.to ?? sum
    return row(named(signal.title, signal, step ? bar(step, low, high) : null), signed(signal.points), plain(sum))
  })
  const corrections = moves.filter(({ signal }) => signal === null)
  return [
    ...signals,
    ...corrections.map(step => row(named(step.title, null, bar(step, low, high)), signed(step.points), plain(step.to))),
  ]
}

/** @type {(text: string) => HTMLElement} */
const divider = text => element('tr', { class: 'divider' }, element('th', { scope: 'rowgroup', colspan: 3 }, text))

/** @type {(details: readonly Detail[], ceilings: Readonly<Record<string, number>>) => HTMLElement} */
function groupList(details, ceilings) {
  const items = groupSums(details, ceilings).map(({ group, points, ceiling, reached }) => {
    const most = ceiling === null ? '' : ceiling < 0 ? `, at most −${-ceiling}` : ` of at most ${ceiling}`
    const note = reached ? ': at the ceiling, so more signals of this group change nothing' : ''
    return element(
      'li',
      { class: reached ? 'reached' : '' },
      element('strong', {}, group),
      ` ${signed(points)}${most}${note}`,
    )
  })
  return element(
    'div',
    { class: 'groups' },
    element('h4', {}, 'By group'),
    element(
      'p',
      { class: 'note' },
      'The points of each group are capped, so that many small faults cannot make a target malicious.',
    ),
    element('ul', {}, ...items),
  )
}

/**
 * @param {readonly Detail[]} details
 * @param {number} risk_score
 * @param {Readonly<Record<string, number>>} ceilings
 */
export function waterfall(details, risk_score, ceilings) {
  const ordered = bySeverity(details)
  const moves = steps(ordered, risk_score)
  const ends = moves.flatMap(({ from, to }) => [from, to])
  const [low, high] = [Math.min(0, ...ends), Math.max(LEAST_WIDTH, ...ends)]
  const isFree = (/** @type {Detail} */ { severity, points }) => severity === 'info' && points === 0
  const [free, counting] = [ordered.filter(isFree), ordered.filter(detail => !isFree(detail))]
  const head = ['Signal', 'Points', 'Sum'].map(name => element('th', { scope: 'col' }, name))
  const table = element(
    'table',
    { class: 'waterfall' },
    element('caption', { class: 'unseen' }, 'Every signal with its points, and the sum after each'),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...stepRows(counting, moves, low, high)),
    free.length > 0 &&
      element(
        'tbody',
        { class: 'free' },
        divider('Informational, without points'),
        ...free.map(signal => row(named(signal.title, signal, null), '0', '')),
      ),
    element(
      'tfoot',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'row', colspan: 2 }, 'Risk score'),
        element('td', { class: 'sum' }, `${risk_score}`),
      ),
    ),
  )
  return [table, details.length > 0 && groupList(details, ceilings)]
}
