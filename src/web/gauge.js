// The score on a half circle with the ranges of the verdicts.
import { element, svg } from './element.js'
import { ranges } from './points.js'

const RADIUS = 80
const CENTRE = { x: 100, y: 96 }
/** Degrees between two ranges. */
const GAP = 1.6

/** The position of a score on the arc; 0 is left, 100 is right. @type {(score: number, radius?: number, turn?: number) => string} */
function point(score, radius = RADIUS, turn = 0) {
  const angle = Math.PI * (1 - score / 100) - (turn * Math.PI) / 180
  return `${(CENTRE.x + radius * Math.cos(angle)).toFixed(2)} ${(CENTRE.y - radius * Math.sin(angle)).toFixed(2)}`
}

/** @type {(least: number, end: number) => string} */
const arc = (least, end) =>
  `M ${point(least, RADIUS, least === 0 ? 0 : GAP / 2)} A ${RADIUS} ${RADIUS} 0 0 1 ${point(end, RADIUS, end === 100 ? 0 : -GAP / 2)}`

/** @type {(score: number, text: string) => SVGElement} */
function tick(score, text) {
  const [x = '', y = ''] = point(score, RADIUS + 14).split(' ')
  return svg('text', { x, y, class: 'tick' }, text)
}

/**
 * @param {number} score
 * @param {string} verdict
 * @param {readonly (readonly [number, string])[]} verdicts
 */
export function gauge(score, verdict, verdicts) {
  const all = ranges(verdicts)
  const [x = '', y = ''] = point(score).split(' ')
  const picture = svg(
    'svg',
    { viewBox: '0 0 200 112', 'aria-hidden': 'true', focusable: 'false' },
    ...all.map(({ verdict: name, least, most }) =>
      svg('path', {
        d: arc(least, most === 100 ? 100 : most + 1),
        class: `range ${name}${name === verdict ? ' here' : ''}`,
      }),
    ),
    svg('circle', { cx: x, cy: y, r: 8, class: 'marker' }),
    ...all.filter(({ least }) => least > 0).map(({ least }) => tick(least, `${least}`)),
    svg('text', { x: CENTRE.x, y: CENTRE.y - 6, class: 'number' }, `${score}`),
    svg('text', { x: CENTRE.x, y: CENTRE.y + 11, class: 'of' }, 'of 100'),
  )
  const meter = {
    class: 'gauge',
    role: 'meter',
    'aria-label': 'Risk score',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': score,
    'aria-valuetext': `${score} of 100: ${verdict}`,
  }
  return element('div', { class: 'score' }, element('div', meter, picture))
}
