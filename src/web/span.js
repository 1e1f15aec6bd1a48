// A time with a beginning and an end as a bar, with the time of the check on it.
import { dateTime, day, span } from './dates.js'
import { element, foreign, svg } from './element.js'

/** @typedef {NonNullable<import('./result.js').ReportSection['spans']>[number]} Span */

/** Widths in the unit of the picture. */
const WIDTH = 200
const HEIGHT = 8

const DAY_MS = 86_400_000
/** Below it, days are counted as results count them: whole ones, rounded down. */
const YEARS_FROM_MS = 2 * 365.25 * DAY_MS

/** @param {number} milliseconds */
function inWords(milliseconds) {
  if (milliseconds < DAY_MS || milliseconds >= YEARS_FROM_MS) return span(milliseconds)
  const days = Math.floor(milliseconds / DAY_MS)
  return days === 1 ? '1 day' : `${days} days`
}

/** What is left of it, in words. @type {(from: number, to: number, at: number) => string} */
function rest(from, to, at) {
  if (at < from) return `begins in ${inWords(from - at)}`
  return at <= to ? `${inWords(to - at)} left` : `ended ${inWords(at - to)} ago`
}

/** The days of both ends, or their times where those are of one day. @type {(from: string, to: string) => (string | null)[]} */
function ends(from, to) {
  const [first, last] = [day(from), day(to)]
  return first === last ? [from, to].map(text => dateTime(Date.parse(text))) : [first, last]
}

/** @param {Span} one */
export function spanBar({ label, from, to, at }) {
  const [start, end, now] = /** @type {[number, number, number]} */ ([from, to, at].map(text => Date.parse(text)))
  const elapsedWidth = Math.min(1, Math.max(0, (now - start) / Math.max(1, end - start))) * WIDTH
  const words = rest(start, end, now)
  return element(
    'figure',
    { class: now > end ? 'span over' : 'span' },
    element('figcaption', {}, foreign(label), ': ', element('strong', {}, words)),
    svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `${label}: ${words}`,
      },
      svg('rect', { width: WIDTH, height: HEIGHT, class: 'track' }),
      svg('rect', { width: elapsedWidth, height: HEIGHT, class: 'passed' }),
    ),
    element('div', { class: 'ends' }, ...ends(from, to).map(text => element('span', {}, text))),
  )
}
