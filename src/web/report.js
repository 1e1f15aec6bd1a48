// The report of one check: recommendation, points, sections, coverage, and the JSON result.
import { cards } from './cards.js'
import { coverageList, seenPercent } from './coverage.js'
import { element, foreign } from './element.js'
import { gauge } from './gauge.js'
import { historyPart } from './history.js'
import { signed } from './points.js'
import { copyText, raw } from './raw.js'
import { bySeverity, toneOf } from './severity.js'
import { dateTime } from './times.js'
import { confidenceWords, recommendationName } from './verdicts.js'
import { severityMark, waterfall } from './waterfall.js'

/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Scoring} Scoring */
/** @typedef {import('./check.js').Quota} Quota */

/** Number of findings beside the recommendation; the table has all. */
const FINDINGS = 3

/** @type {(id: string, title: string, ...children: import('./element.js').Child[]) => HTMLElement} */
const part = (id, title, ...children) =>
  element(
    'section',
    { class: id, 'aria-labelledby': `${id}-title` },
    element('h3', { id: `${id}-title` }, title),
    ...children,
  )

/** @type {(result: Result) => HTMLElement | null} */
function findings({ signal_details }) {
  const main = bySeverity(signal_details.filter(({ severity }) => severity !== 'info')).slice(0, FINDINGS)
  if (main.length === 0) return null
  return element(
    'ul',
    { class: 'findings', 'aria-label': 'Main findings' },
    ...main.map(signal =>
      element(
        'li',
        {},
        element('span', {}, severityMark(signal), foreign(signal.title)),
        element('b', {}, signed(signal.points)),
      ),
    ),
  )
}

/** Notes that readers must see first. @type {(result: Result) => HTMLElement | null} */
function caveat({ stale = false, checked_at, coverage }) {
  const when = dateTime(Date.parse(checked_at))
  if (stale)
    return element(
      'p',
      { class: 'partly' },
      element('strong', {}, 'Old result. '),
      `The check cannot run now, because a part of this service is down. This result is from ${when} and may be outdated.`,
    )
  if (coverage.complete) return null
  return element('p', { class: 'partly' }, 'Some evidence is missing. Unknown does not mean good.')
}

/** @type {(result: Result) => HTMLElement | null} */
const threats = ({ threat_types }) =>
  threat_types.length === 0
    ? null
    : element('p', { class: 'threats' }, 'Kind of threat: ', element('strong', {}, threat_types.join(', ')))

/** @type {(result: Result) => HTMLElement} */
function circumstances(result) {
  const { domain, ip, url, final_url, host_verdict } = result
  const { checked_at, cached, process_time_ms, coverage, scoring_policy } = result
  const facts = [
    url && domain ? ['Host', domain] : null,
    final_url && final_url !== url ? ['Leads to', final_url] : null,
    host_verdict ? ['Front page of the host', host_verdict] : null,
    ip === null ? null : ['Address', ip],
    ['Checked', `${dateTime(Date.parse(checked_at))}${cached ? ', from the cache' : `, in ${process_time_ms} ms`}`],
    ['Coverage', `${seenPercent(coverage)} % of the applicable evidence`],
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

/** @type {(link: string | null, again: (() => void) | null, announce: (message: string) => void) => HTMLElement} */
function tools(link, again, announce) {
  const print = element('button', { type: 'button', class: 'quiet' }, 'Print')
  print.addEventListener('click', () => window.print())
  const rescan = again && element('button', { type: 'button', class: 'quiet' }, 'Check again')
  rescan?.addEventListener('click', () => again?.())
  if (link === null) return element('p', { class: 'actions' }, rescan, print)
  const address = element('span', { class: 'link' }, link)
  const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy link')
  copy.addEventListener('click', () => copyText(link, address, announce))
  return element('p', { class: 'actions' }, copy, rescan, print, address)
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
 * @property {string | null} link to this page with the target; null for a link that was checked, which no URL may hold
 * @property {Quota | null} quota
 * @property {Scoring} scoring
 * @property {(message: string) => void} announce
 * @property {import('./kept.js').Kept | null} kept null when the reader has no key
 * @property {(() => void) | null} again starts a new check; null when the reader has no key
 */

/**
 * The children of the report. The first heading, `#report-title`, takes the focus.
 * @param {Result} result
 * @param {string} text the result as received
 * @param {Occasion} occasion
 */
export function report(result, text, { link, quota, scoring, announce, kept, again }) {
  const { verdict, risk_score, recommendation, signal_details, coverage } = result
  const host = result.domain ?? result.ip ?? ''
  const target = result.url ?? host
  const head = element(
    'header',
    { class: `verdict ${toneOf(result)}` },
    element(
      'div',
      { class: 'words' },
      element(
        'h2',
        { id: 'report-title', tabindex: -1 },
        element('span', { class: 'target' }, foreign(target), ' '),
        element('span', { class: 'recommendation' }, recommendationName[recommendation]),
      ),
      element('p', { class: 'reason' }, foreign(result.recommendation_reason)),
      element(
        'p',
        {},
        'Verdict: ',
        element('strong', {}, verdict),
        `, risk score ${risk_score} of 100. ${confidenceWords[result.confidence]}`,
      ),
      threats(result),
      caveat(result),
      findings(result),
      circumstances(result),
      tools(link, again, announce),
    ),
    gauge(risk_score, verdict, scoring.verdicts),
  )
  return [
    head,
    part('adds-up', 'How the score adds up', ...waterfall(signal_details, risk_score, scoring.ceilings)),
    part('sections', 'Findings by section', element('div', { class: 'cards' }, ...cards(result))),
    part('coverage', 'What is unknown', ...coverageList(coverage)),
    kept && historyPart(result, kept, announce),
    raw(text, `assay-${host.replace(/[^\w.-]/g, '_')}.json`, announce),
    account(quota),
  ]
}
