// The risk score of a target over time: a small line for a card, or a chart with a pin wherever something changed. Loaded when
// there is something to draw.
import { inShort, worst } from './changes.js'
import { dateTime, day } from './dates.js'
import { element, foreign, svg } from './element.js'

/** @typedef {import('./kept_results.js').Entry} Entry */
/** @typedef {import('./changes.js').Change} Change */

/**
 * @typedef {object} Annotation What changed between two neighbours of the history.
 * @property {string} since when the earlier one was checked
 * @property {string} at when the later one was checked
 * @property {readonly Change[]} changes at least one
 */

/** @typedef {{ readonly checked_at: string, readonly risk_score: number }} Scored */

/**
 * @typedef {object} Box Where a line is drawn, in pixels.
 * @property {number} left
 * @property {number} right
 * @property {number} top the height of score 100
 * @property {number} bottom the height of score 0
 */

/** Lowest and highest score, and where the verdicts begin between them. */
const LIMITS = [0, 31, 71, 100]

/**
 * Scales of time and score. Results of one moment are in the middle.
 * @type {(results: readonly Scored[], box: Box) => { x: (at: string) => number, y: (score: number) => number }}
 */
export function scales(results, { left, right, top, bottom }) {
  const times = results.map(({ checked_at }) => Date.parse(checked_at))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return {
    x: at =>
      first === last ? (left + right) / 2 : left + ((Date.parse(at) - first) / (last - first)) * (right - left),
    y: score => bottom - (score / 100) * (bottom - top),
  }
}

/**
 * Annotations in groups, latest first, so that no two pins are nearer than `gap`. A pin is where its latest annotation is.
 * @type {(annotations: readonly Annotation[], x: (at: string) => number, gap: number) => { x: number, annotations: Annotation[] }[]}
 */
export function pinsOf(annotations, x, gap) {
  /** @type {{ x: number, annotations: Annotation[] }[]} */
  const pins = []
  for (const one of [...annotations].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
    const [last, at] = [pins.at(-1), x(one.at)]
    if (last !== undefined && last.x - at < gap) last.annotations.push(one)
    else pins.push({ x: at, annotations: [one] })
  }
  return pins
}

/** @type {(results: readonly Scored[], scale: ReturnType<typeof scales>, radius: number) => SVGElement[]} */
function lineOf(results, { x, y }, radius) {
  const points = results.map(({ checked_at, risk_score }) => [x(checked_at).toFixed(1), y(risk_score).toFixed(1)])
  return [
    svg('polyline', { points: points.map(point => point.join()).join(' ') }),
    ...points.map(([cx = '', cy = '']) => svg('circle', { cx, cy, r: radius })),
  ]
}

const SPARK = { width: 200, height: 44 }

/** The line of a card; its words say the same. @param {readonly Scored[]} results latest first, at least one */
export function sparkline(results) {
  const { width, height } = SPARK
  const scale = scales(results, { left: 4, right: width - 5, top: 4, bottom: height - 4 })
  const scores = results.map(({ risk_score }) => risk_score).reverse()
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      class: 'scores spark',
      role: 'img',
      focusable: 'false',
      'aria-label': `Risk scores, oldest first: ${scores.join(', ')}`,
    },
    ...LIMITS.map(limit => svg('path', { d: `M0 ${scale.y(limit)}H${width}`, class: 'limit' })),
    ...lineOf(results, scale, 1.5),
    svg('circle', {
      cx: scale.x(results[0]?.checked_at ?? ''),
      cy: scale.y(results[0]?.risk_score ?? 0),
      r: 3.5,
      class: 'latest',
    }),
  )
}

/** Pixels. Above the plot are the pins, below it the days, left of it the scores. */
const CHART = { height: 170, left: 30, edge: 14, head: 38, foot: 20, pins: 14, gap: 26 }

/** What each kind of change looks like; colour is not the only difference. */
const KINDS = /** @type {const} */ ({
  weakened: { mark: '−', tone: 'bad' },
  strengthened: { mark: '+', tone: 'good' },
  changed: { mark: '•', tone: 'info' },
})

/**
 * Scores over time with pins that say what changed. The pins are one stop of the Tab key; the arrow keys lead from one to the
 * next. Null when there are fewer than two results.
 * @param {readonly Entry[]} results latest first
 * @param {readonly Annotation[]} annotations
 * @param {number} width pixels
 */
export function scoreChart(results, annotations, width) {
  const [latest, oldest] = [results[0], results.at(-1)]
  if (latest === undefined || oldest === undefined || latest === oldest) return null
  const { height, left, edge, head, foot, gap } = CHART
  const box = { left, right: width - edge, top: head, bottom: height - foot }
  const scale = scales(results, box)
  const { x, y } = scale
  const [from, to] = [day(oldest.checked_at), day(latest.checked_at)]
  const ends =
    from === to
      ? [[`${to}`, 'end']]
      : [
          [`${from}`, 'start'],
          [`${to}`, 'end'],
        ]
  const note = element('div', { class: 'pinned' })
  const pins = pinsOf(annotations, x, gap)
  return element(
    'figure',
    { class: 'score-chart' },
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        class: 'scores',
        role: 'group',
        focusable: 'false',
        'aria-label': 'Scores over time; the table has the same numbers and changes',
      },
      svg(
        'g',
        { 'aria-hidden': 'true' },
        ...LIMITS.flatMap(limit => [
          svg('path', { d: `M${left} ${y(limit)}H${box.right}`, class: 'limit' }),
          svg('text', { x: left - 6, y: y(limit) + 4, 'text-anchor': 'end' }, `${limit}`),
        ]),
        ...ends.map(([text = '', anchor = '']) =>
          svg('text', { x: anchor === 'start' ? left : box.right, y: height - 4, 'text-anchor': anchor }, text),
        ),
        ...lineOf(results, scale, 3),
      ),
      pins.length > 0 && svg('g', { role: 'radiogroup', 'aria-label': 'Changes' }, ...pinLayer(pins, box.bottom, note)),
    ),
    pins.length > 0 && note,
    pins.length > 0 &&
      element(
        'figcaption',
        { class: 'note' },
        'Pins: − weakened, + strengthened, • changed. Select one to see what changed.',
      ),
  )
}

/** @type {(annotations: readonly Annotation[]) => string} */
const nameOf = annotations =>
  annotations.map(({ at, changes }) => `${dateTime(Date.parse(at))}: ${inShort(changes)}`).join('. ')

/**
 * Fills the note with the changes of the selected pin, at first the latest.
 * @type {(pins: ReturnType<typeof pinsOf>, bottom: number, note: HTMLElement) => SVGElement[]}
 */
function pinLayer(pins, bottom, note) {
  const pinNodes = pins.map(({ x, annotations }) => {
    const { mark, tone } = KINDS[worst(annotations.flatMap(({ changes }) => changes))]
    const at = CHART.pins
    return svg(
      'g',
      { class: `pin ${tone}`, role: 'radio', 'aria-label': nameOf(annotations) },
      svg('path', { d: `M${x} ${at + 10}V${bottom}`, class: 'stem' }),
      svg('circle', { cx: x, cy: at, r: 12, class: 'reach' }),
      svg('circle', { cx: x, cy: at, r: 9, class: 'head' }),
      svg('text', { x, y: at + 4, 'text-anchor': 'middle' }, mark),
    )
  })
  /** @param {number} index */
  const select = index => {
    for (const [i, pin] of pinNodes.entries()) {
      pin.setAttribute('aria-checked', String(i === index))
      pin.setAttribute('tabindex', i === index ? '0' : '-1')
    }
    note.replaceChildren(...(pins[index]?.annotations ?? []).flatMap(changesOf))
  }
  for (const [i, pin] of pinNodes.entries()) {
    pin.addEventListener('click', () => {
      select(i)
      pin.focus()
    })
    pin.addEventListener('keydown', event => {
      // The latest is the first, and on the right.
      const step = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key]
      const next = step === undefined ? (event.key === ' ' ? i : null) : (i + step + pinNodes.length) % pinNodes.length
      if (next === null) return
      event.preventDefault()
      select(next)
      pinNodes[next]?.focus()
    })
  }
  select(0)
  // In the order of time, as they are seen.
  return pinNodes.toReversed()
}

/** Changes of one annotation before the rest is folded. */
const MAX_CHANGES = 4

/** @type {(annotation: Annotation) => HTMLElement[]} */
const changesOf = ({ since, at, changes }) => [
  element('p', { class: 'when' }, `${dateTime(Date.parse(at))}, since ${dateTime(Date.parse(since))}:`),
  changeList(changes, MAX_CHANGES),
]

/** @type {(changes: readonly Change[]) => HTMLElement} */
const items = changes =>
  element(
    'ul',
    { class: 'changed-items' },
    ...changes.map(({ severity, message }) =>
      element(
        'li',
        { class: KINDS[severity].tone },
        element('span', { class: 'standing' }, severity),
        ' ',
        foreign(message),
      ),
    ),
  )

/** Changes as a list; all but the first `limit` are folded. @type {(changes: readonly Change[], limit: number) => HTMLElement} */
export function changeList(changes, limit) {
  const rest = changes.slice(limit)
  return element(
    'div',
    { class: 'change-list' },
    items(changes.slice(0, limit)),
    rest.length > 0 && element('details', {}, element('summary', {}, `${rest.length} more`), items(rest)),
  )
}
