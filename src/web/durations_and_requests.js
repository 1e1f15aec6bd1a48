// The course of a check on its time line: when each section was complete, and each request to the site.
import { element, foreign, svg } from './element.js'
import { bar } from './findings.js'

/** @typedef {import('./result.js').Report['durations']} Durations */
/** @typedef {import('./result.js').Report['requests']} Requests */
/** @typedef {Requests[number]} Request */

/** Every section began with the check, so that all bars begin at the left. @type {(durations: Durations) => HTMLElement} */
export function durationTable(durations) {
  const longest = Math.max(1, ...durations.map(({ milliseconds }) => milliseconds))
  const rows = durations.map(({ title, milliseconds }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, foreign(title)),
      element('td', {}, bar({ from: 0, to: milliseconds }, 0, longest, 'held')),
      element('td', { class: 'sum' }, `${milliseconds} ms`),
    ),
  )
  return element(
    'table',
    { class: 'durations' },
    element('caption', { class: 'unseen' }, 'Milliseconds from the start of the check until each section was complete'),
    element('tbody', {}, ...rows),
  )
}

/** @param {Request} request */
const spanOf = ({ phases }) => phases.reduce((sum, { milliseconds }) => sum + milliseconds, 0)

/** @type {(request: Request, end: number) => SVGElement} */
function line({ started_ms, phases }, end) {
  let at = started_ms
  const parts = phases.map(({ phase, milliseconds }) => {
    const x = (at / end) * 100
    at += milliseconds
    const width = Math.max(0.4, (milliseconds / end) * 100)
    return svg('rect', { x: Math.min(x, 99.6), y: 0, width, height: 8, class: `phase-${phase.toLowerCase()}` })
  })
  return svg(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', class: 'bar', 'aria-hidden': 'true', focusable: 'false' },
    svg('rect', { x: 0, width: 100, height: 8, class: 'track' }),
    ...parts,
  )
}

/** @param {Request['phases'][number]} phase */
const phaseItem = ({ phase, milliseconds }) =>
  element('span', { class: `phase-${phase.toLowerCase()}` }, `${phase} ${milliseconds}`)

/** @type {(requests: Requests) => HTMLElement} */
export function requestTable(requests) {
  const end = Math.max(1, ...requests.map(request => request.started_ms + spanOf(request)))
  const names = ['Request', 'Began', 'Took'].map(name => element('th', { scope: 'col' }, name))
  const rows = requests.map(request =>
    element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        request.purpose !== null && element('span', { class: 'purpose' }, request.purpose, ' '),
        element('span', { class: 'url' }, `${request.status} `, foreign(request.url)),
        line(request, end),
        element('span', { class: 'phases' }, ...request.phases.flatMap((one, i) => [i > 0 && ' ', phaseItem(one)])),
      ),
      element('td', {}, `${request.started_ms} ms`),
      element('td', { class: 'sum' }, `${spanOf(request)} ms`),
    ),
  )
  return element(
    'table',
    { class: 'durations requests' },
    element(
      'caption',
      { class: 'unseen' },
      'Purpose of each request, its start from the start of the check, its duration and the phases, in milliseconds',
    ),
    element('thead', {}, element('tr', {}, ...names)),
    element('tbody', {}, ...rows),
  )
}
