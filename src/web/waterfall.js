// The points, signal by signal, as a table whose rows draw themselves: each bar begins where the one above it ended.
import { drawn, element, foreign } from './element.js'
import { groupSums, plain, signed, steps } from './points.js'
import { sectionOf } from './sections/index.js'

/** @typedef {import('./result.js').Detail} Detail */
/** @typedef {import('./points.js').Step} Step */

/** The least number of points that the width of the table stands for: a single point should look small. */
const LEAST_WIDTH = 20

/** @type {(step: Step, low: number, high: number) => SVGElement} */
function bar({ from, to, signal }, low, high) {
  const width = high - low
  const [start, end] = [Math.min(from, to), Math.max(from, to)].map(at => ((at - low) / width) * 100)
  const kind = signal === null ? 'held' : to > from ? 'adds' : 'takes'
  const size = { width: Math.max(0.4, (end ?? 0) - (start ?? 0)), height: 8, y: 0 }
  return drawn(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', class: 'bar', 'aria-hidden': 'true', focusable: 'false' },
    drawn('rect', { x: 0, width: 100, height: 8, class: 'track' }),
    drawn('rect', { x: start ?? 0, ...size, class: kind }),
  )
}

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
        element('span', { class: 'title' }, signal === null ? title : foreign(title)),
        signal !== null && signal.detail !== null && element('span', { class: 'detail' }, foreign(signal.detail)),
        signal !== null && origin(signal),
      ),
      picture,
    ),
  )

/** @type {(head: Node, points: string, sum: string) => HTMLElement} */
const row = (head, points, sum) =>
  element('tr', {}, head, element('td', { class: 'points' }, points), element('td', { class: 'sum' }, sum))

/** @type {(text: string) => HTMLElement} */
const divider = text => element('tr', { class: 'divider' }, element('th', { scope: 'rowgroup', colspan: 3 }, text))

/** @type {(details: readonly Detail[], ceilings: Readonly<Record<string, number>>) => HTMLElement} */
function groupList(details, ceilings) {
  const items = groupSums(details, ceilings).map(({ group, points, ceiling, reached }) => {
    const most = ceiling === null ? '' : ceiling < 0 ? `, takes off at most ${-ceiling}` : ` of at most ${ceiling}`
    const note = reached ? ': the ceiling is reached, so more of this kind changes nothing' : ''
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
    element('h4', {}, 'By kind'),
    element(
      'p',
      { class: 'note' },
      'Points of one kind are held at a ceiling, so that many small faults cannot condemn.',
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
  const moves = steps(details, risk_score)
  const ends = moves.flatMap(({ from, to }) => [from, to])
  const [low, high] = [Math.min(0, ...ends), Math.max(LEAST_WIDTH, ...ends)]
  const free = details.filter(({ points }) => points === 0)
  const head = ['Signal', 'Points', 'Sum'].map(name => element('th', { scope: 'col' }, name))
  const table = element(
    'table',
    { class: 'waterfall' },
    element('caption', { class: 'unseen' }, 'Every signal with its points, and the sum after each'),
    element('thead', {}, element('tr', {}, ...head)),
    element(
      'tbody',
      {},
      ...moves.map(step =>
        row(named(step.title, step.signal, bar(step, low, high)), signed(step.points), plain(step.to)),
      ),
    ),
    free.length > 0 &&
      element(
        'tbody',
        { class: 'free' },
        divider('Noticed as well; adds nothing here'),
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
