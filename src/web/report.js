// The report of one check: verdict, points, sections, what was not seen, and the result itself.
import { cards } from './cards.js'
import { coverageList } from './coverage.js'
import { element, foreign } from './element.js'
import { gauge } from './gauge.js'
import { signed } from './points.js'
import { copyText, raw } from './raw.js'
import { dateTime } from './times.js'
import { actionFor } from './verdicts.js'
import { waterfall } from './waterfall.js'

/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Scoring} Scoring */
/** @typedef {import('./check.js').Quota} Quota */

/** Reasons named beside the verdict; the table has them all. */
const REASONS = 3

/** @type {(id: string, title: string, ...children: import('./element.js').Child[]) => HTMLElement} */
const part = (id, title, ...children) =>
  element(
    'section',
    { class: id, 'aria-labelledby': `${id}-title` },
    element('h3', { id: `${id}-title` }, title),
    ...children,
  )

/** @type {(result: Result) => HTMLElement} */
function reasons({ signal_details }) {
  const main = signal_details.filter(({ points, floor }) => points > 0 || floor !== null).slice(0, REASONS)
  return main.length === 0
    ? element('p', {}, 'Nothing was found against it.')
    : element(
        'ul',
        { class: 'reasons', 'aria-label': 'Main reasons' },
        ...main.map(({ title, points }) => element('li', {}, foreign(title), ' ', element('b', {}, signed(points)))),
      )
}

/** @type {(result: Result) => HTMLElement} */
function circumstances({ ip, checked_at, cached, stale = false, process_time_ms, coverage, scoring_policy }) {
  const origin = stale ? ', kept since: it cannot be looked at now' : cached ? ', from the cache' : ''
  const facts = [
    ip === null ? null : ['Address', ip],
    ['Checked', `${dateTime(Date.parse(checked_at))}${origin || `, in ${process_time_ms} ms`}`],
    ['Seen', `${Math.round(coverage.ratio * 100)} % of what applies`],
    ['Policy', scoring_policy],
  ].filter(fact => fact !== null)
  return element(
    'dl',
    { class: 'circumstances' },
    ...facts.map(([name = '', value = '']) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, foreign(value))),
    ),
  )
}

/** @type {(link: string, announce: (message: string) => void) => HTMLElement} */
function tools(link, announce) {
  const address = element('span', { class: 'link' }, link)
  const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy link')
  const print = element('button', { type: 'button', class: 'quiet' }, 'Print')
  copy.addEventListener('click', () => copyText(link, address, announce))
  print.addEventListener('click', () => window.print())
  return element('p', { class: 'actions' }, copy, print, address)
}

/** @type {(quota: Quota | null) => HTMLElement | null} */
const account = quota =>
  quota &&
  element(
    'p',
    { class: 'note quota' },
    `${quota.remaining.toLocaleString('en')} of ${quota.limit.toLocaleString('en')} checks left until ${dateTime(quota.reset * 1000)}.`,
  )

/**
 * @typedef {object} Occasion
 * @property {string} link to this page with the target
 * @property {Quota | null} quota
 * @property {Scoring} scoring
 * @property {(message: string) => void} announce
 */

/**
 * Its children. The first heading, `#report-title`, takes the focus.
 * @param {Result} result
 * @param {string} text the same as it came
 * @param {Occasion} occasion
 */
export function report(result, text, { link, quota, scoring, announce }) {
  const { verdict, risk_score, signal_details, coverage } = result
  const target = result.domain ?? result.ip ?? ''
  const head = element(
    'header',
    { class: `verdict ${verdict}` },
    gauge(risk_score, verdict, scoring.verdicts),
    element(
      'div',
      { class: 'words' },
      element('h2', { id: 'report-title', tabindex: -1 }, foreign(target)),
      element('p', { class: 'judgement' }, element('strong', {}, verdict), ` ${actionFor(verdict)}`),
      !coverage.complete &&
        element('p', { class: 'partly' }, 'Part of it could not be seen. Unknown does not mean good.'),
      reasons(result),
      circumstances(result),
      tools(link, announce),
    ),
  )
  return [
    head,
    part('adds-up', 'How the score adds up', ...waterfall(signal_details, risk_score, scoring.ceilings)),
    part('sections', 'What was seen', element('div', { class: 'cards' }, ...cards(result))),
    part('coverage', 'What we could not see', ...coverageList(coverage)),
    raw(text, `assay-${target.replace(/[^\w.-]/g, '_')}.json`, announce),
    account(quota),
  ]
}
