// A time with a beginning and an end as a bar, with the time of the check on it.
import { day, span } from './dates.js'
import { drawn, element, foreign } from './element.js'

/** @typedef {NonNullable<import('./result.js').ReportSection['spans']>[number]} Span */

/** Widths in the unit of the picture. */
const WIDTH = 200
const HEIGHT = 8

/** What is left of it, in words. @type {(from: number, to: number, at: number) => string} */
function rest(from, to, at) {
  if (at < from) return `begins in ${span(from - at)}`
  return at <= to ? `${span(to - at)} left` : `ended ${span(at - to)} ago`
}

/** @param {Span} one */
export function spanBar({ label, from, to, at }) {
  const [start, end, now] = /** @type {[number, number, number]} */ ([from, to, at].map(text => Date.parse(text)))
  const length = Math.max(1, end - start)
  const passed = Math.min(1, Math.max(0, (now - start) / length)) * WIDTH
  const words = rest(start, end, now)
  return element(
    'figure',
    { class: now > end ? 'span over' : 'span' },
    element('figcaption', {}, foreign(label), ': ', element('strong', {}, words)),
    drawn(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `${label}: ${words}`,
      },
      drawn('rect', { width: WIDTH, height: HEIGHT, class: 'track' }),
      drawn('rect', { width: passed, height: HEIGHT, class: 'passed' }),
    ),
    element('div', { class: 'ends' }, element('span', {}, day(from)), element('span', {}, day(to))),
  )
}
