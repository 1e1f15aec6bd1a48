// What to do, and why: the findings with their points, and the score step by step.
import { element, foreign, svg } from './element.js'
import { plain, signed } from './points.js'

/** @typedef {import('./result.js').Report} Report */
/** @typedef {import('./result.js').Finding} Finding */

/** @type {(count: number, one: string) => string} */
const countText = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`

/** @type {Readonly<Record<Finding['severity'], string>>} */
const severityNames = { critical: 'Critical', high: 'High', medium: 'Medium', low: 'Low', info: 'Info' }

/** @param {Finding['severity']} severity */
const severityMark = severity => element('span', { class: `severity ${severity}` }, severityNames[severity], ' ')

/** Findings before the rest is folded: those that decide; the others are many and small. */
const SHOWN_FINDINGS = 8

/** What to do before the target is accepted or opened, by somebody who does not own it. @param {Report['before']} before */
export const beforePart = before =>
  element(
    'section',
    { class: 'before', 'aria-labelledby': 'before-title' },
    element('h3', { id: 'before-title' }, 'What to do'),
    element(
      'ol',
      {},
      ...before.map(({ text, reason }) =>
        element(
          'li',
          {},
          element(
            'div',
            {},
            foreign(text),
            ' ',
            reason !== null && element('span', { class: 'because' }, foreign(reason)),
          ),
        ),
      ),
    ),
  )

/** @param {Report['fixes'][number]} fix */
const fixItem = ({ severity, text, signals }) =>
  element(
    'li',
    {},
    severityMark(severity),
    element(
      'div',
      {},
      foreign(text),
      ' ',
      element('span', { class: 'because' }, foreign(signals.map(({ title }) => title).join(' · '))),
    ),
  )

/** What its owner can do, folded: few readers are. Null if there is nothing to do. @type {(fixes: Report['fixes']) => HTMLElement | null} */
export function fixesPart(fixes) {
  if (fixes.length === 0) return null
  const changes = countText(fixes.length, 'change')
  return element(
    'section',
    { class: 'owner', 'aria-labelledby': 'fixes-title' },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('h3', { id: 'fixes-title' }, 'If it is yours'),
        ` ${changes}${fixes.length === 1 ? '' : ', largest gain first'}`,
      ),
      element('ol', {}, ...fixes.map(fixItem)),
    ),
  )
}

/** A finding may only hold the score up. @type {(points: number, floor: number | null) => string} */
const pointsText = (points, floor) => (points !== 0 ? signed(points) : floor === null ? '0' : `≥ ${floor}`)

/** @param {Finding} finding */
const findingItem = ({ severity, title, detail, points, floor, section_title }) =>
  element(
    'li',
    {},
    severityMark(severity),
    element(
      'div',
      {},
      element('p', { class: 'title' }, foreign(title)),
      element(
        'p',
        { class: 'detail' },
        detail !== null && foreign(detail),
        ' ',
        element(
          'span',
          { class: 'origin' },
          detail === null ? '' : '· ',
          foreign(section_title),
          floor === null ? '' : `, score at least ${floor}`,
        ),
      ),
    ),
    element('b', { class: 'points' }, pointsText(points, floor)),
  )

/** Minimum number of points across the table's width, so that a single point looks small. */
const LEAST_WIDTH = 20

/** From one value to another, between the lowest and the highest of all. @type {(step: { from: number, to: number }, low: number, high: number, kind: string) => SVGElement} */
export function bar({ from, to }, low, high, kind) {
  const width = high - low
  const [start, end] = [Math.min(from, to), Math.max(from, to)].map(at => ((at - low) / width) * 100)
  const size = { width: Math.max(0.4, (end ?? 0) - (start ?? 0)), height: 8, y: 0 }
  return svg(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', class: 'bar', 'aria-hidden': 'true', focusable: 'false' },
    svg('rect', { x: 0, width: 100, height: 8, class: 'track' }),
    svg('rect', { x: start ?? 0, ...size, class: kind }),
  )
}

/** @param {Report} report */
function steps({ steps: all, findings, score, groups }) {
  const ends = all.flatMap(({ from, to }) => [from, to])
  const [low, high] = [Math.min(0, ...ends), Math.max(LEAST_WIDTH, ...ends)]
  const rows = all.map(step => {
    const severity = findings.find(({ signal }) => signal === step.signal)?.severity ?? 'info'
    const kind = step.signal === null ? 'held' : step.to > step.from ? severity : 'takes'
    const head = element('div', { class: 'row' }, foreign(step.title), bar(step, low, high, kind))
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, head),
      element('td', { class: 'points' }, signed(step.points)),
      element('td', { class: 'sum' }, plain(step.to)),
    )
  })
  const names = ['Signal', 'Points', 'Sum'].map(name => element('th', { scope: 'col' }, name))
  const table = element(
    'table',
    { class: 'waterfall' },
    element('caption', { class: 'unseen' }, 'Every step of the score, and the sum after each'),
    element('thead', {}, element('tr', {}, ...names)),
    element('tbody', {}, ...rows),
    element(
      'tfoot',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'row', colspan: 2 }, 'Risk score'),
        element('td', { class: 'sum' }, `${score}`),
      ),
    ),
  )
  return element(
    'details',
    { class: 'adds-up' },
    element('summary', {}, 'How the score adds up'),
    table,
    groups.length > 0 && groupList(groups),
  )
}

/** @type {(groups: Report['groups']) => HTMLElement} */
function groupList(groups) {
  const items = groups.map(({ group, points, ceiling, reached }) => {
    const most = ceiling === null ? '' : ceiling < 0 ? `, at most ${plain(ceiling)}` : ` of at most ${ceiling}`
    const note = reached ? ': at the ceiling, so more signals of this group change nothing' : ''
    return element('li', {}, element('strong', {}, foreign(group)), ` ${signed(points)}${most}${note}`)
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

/** @param {Report} report */
export function findingsPart(report) {
  const { findings } = report
  const [free, counting] = [true, false].map(isFree =>
    findings.filter(({ severity, points }) => (severity === 'info' && points === 0) === isFree),
  )
  const [first, rest] = [counting?.slice(0, SHOWN_FINDINGS) ?? [], counting?.slice(SHOWN_FINDINGS) ?? []]
  return element(
    'section',
    { class: 'why', 'aria-labelledby': 'why-title' },
    element('h3', { id: 'why-title' }, 'Why'),
    first.length === 0
      ? element('p', {}, 'Nothing was found that changes the score.')
      : element('ul', { class: 'findings' }, ...first.map(findingItem)),
    findingsFold('rest', countText(rest.length, 'more finding'), rest),
    findingsFold('free', `${countText(free?.length ?? 0, 'informational finding')}, without points`, free ?? []),
    steps(report),
  )
}

/** @type {(name: string, title: string, findings: readonly Finding[]) => HTMLElement | false} */
function findingsFold(name, title, findings) {
  return (
    findings.length > 0 &&
    element(
      'details',
      { class: name },
      element('summary', {}, title),
      element('ul', { class: 'findings' }, ...findings.map(findingItem)),
    )
  )
}
