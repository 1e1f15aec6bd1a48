// A picture of those whom the target depends on: who hosts it, names it, receives its mail and certifies it. The list beside
// it says the same in words.

import { visible } from '../base/visible.js'
import { element, foreign, svg } from './element.js'

/** @typedef {import('./result.js').Report['dependencies']} Dependencies */

/** Pixels. */
const SIZE = { width: 640, row: 34, target: 190, party: 400, box: 26, pad: 8 }
/** Characters that fit into a box. */
const LONGEST = { target: 21, party: 28 }

/** @type {(text: string, most: number) => string} */
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** @type {(text: string, x: number, y: number, width: number, name: string) => SVGElement} */
const box = (text, x, y, width, name) =>
  svg(
    'g',
    { class: name },
    svg('rect', { x, y: y - SIZE.box / 2, width, height: SIZE.box, rx: 6 }),
    svg('text', { x: x + SIZE.pad, y: y + 4 }, text),
  )

/** @type {(host: string, dependencies: Dependencies) => SVGElement} */
function picture(host, dependencies) {
  const parties = [...new Set(dependencies.flatMap(({ parties }) => parties))]
  const height = Math.max(2, parties.length) * SIZE.row
  const middle = height / 2
  const rows = parties.map((party, at) => {
    const y = (at + 0.5) * (height / parties.length)
    const roles = dependencies.filter(one => one.parties.includes(party)).map(({ role }) => role)
    const [from, to] = [SIZE.target, SIZE.party]
    return svg(
      'g',
      {},
      svg('path', { d: `M${from} ${middle}C${from + 40} ${middle} ${from + 20} ${y} ${from + 60} ${y}H${to}` }),
      svg('text', { x: to - SIZE.pad, y: y - 5, class: 'role' }, roles.join(', ').toLowerCase()),
      box(short(visible(party), LONGEST.party), to, y, SIZE.width - to, 'party'),
    )
  })
  return svg(
    'svg',
    { viewBox: `0 0 ${SIZE.width} ${height}`, 'aria-hidden': 'true', focusable: 'false' },
    ...rows,
    box(short(visible(host), LONGEST.target), 0, middle, SIZE.target, 'centre'),
  )
}

/** Null if no party is known. @type {(host: string, dependencies: Dependencies) => HTMLElement | null} */
export function dependencyPart(host, dependencies) {
  if (dependencies.length === 0) return null
  const words = dependencies.flatMap(({ role, parties }) => [
    element('dt', {}, foreign(role)),
    ...parties.map(party => element('dd', {}, foreign(party))),
  ])
  return element(
    'section',
    { class: 'dependencies', 'aria-labelledby': 'dependencies-title' },
    element('h3', { id: 'dependencies-title' }, 'Who it depends on'),
    picture(host, dependencies),
    element('dl', { class: 'unseen' }, ...words),
  )
}
