// The report of one check, in the order of the model: recommendation, what to do, why, sections, what is unknown, JSON.
import { copyText, raw } from './copy_and_download.js'
import { dateTime } from './dates.js'
import { dependencyPart } from './dependencies.js'
import { element, foreign } from './element.js'
import { beforePart, findingsPart, fixesPart } from './findings.js'
import { gauge } from './gauge.js'
import { cards } from './sections.js'
import { valueContent } from './values.js'
import { confidenceWords, recommendationName } from './verdicts.js'

/** @typedef {import('./result.js').Report} Report */
/** @typedef {import('./check.js').Quota} Quota */

/** @type {(id: string, title: string, ...children: import('./element.js').Child[]) => HTMLElement} */
const part = (id, title, ...children) =>
  element(
    'section',
    { class: id, 'aria-labelledby': `${id}-title` },
    element('h3', { id: `${id}-title` }, title),
    ...children,
  )

/** Notes that readers must see first. @type {(report: Report) => HTMLElement | null} */
function caveat({ stale_since, coverage }) {
  if (stale_since !== null)
    return element(
      'p',
      { class: 'partly' },
      element('strong', {}, 'Old result. '),
      `The check cannot run now, because a part of this service is down. This result is from ${dateTime(Date.parse(stale_since))} and may be outdated.`,
    )
  if (coverage.complete) return null
  return element('p', { class: 'partly' }, 'Some evidence is missing. Unknown does not mean good.')
}

/** @type {(facts: readonly (readonly [label: string, value: import('./element.js').Child])[]) => HTMLElement} */
const circumstances = facts =>
  element(
    'dl',
    { class: 'circumstances' },
    ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )

/** @type {(facts: Report['about']) => (readonly [label: string, value: import('./element.js').Child])[]} */
const factRows = facts => facts.map(([name, value]) => [name, valueContent(value)])

/** The verdict, how sure it is, and what the target is. @param {Report} report */
const headline = ({ verdict, confidence, threat_types, about }) =>
  circumstances([
    ['Verdict', element('strong', {}, verdict)],
    ['Confidence', confidenceWords[confidence]],
    ...(threat_types.length > 0 ? [/** @type {const} */ (['Kind of threat', threat_types.join(', ')])] : []),
    ...factRows(about),
  ])

/** What the site says of itself, and how long it is known. @type {(card: Report['card']) => HTMLElement | null} */
const siteCard = card =>
  card.length === 0
    ? null
    : element(
        'dl',
        { class: 'site' },
        ...card.map(([label, value]) =>
          element('div', {}, element('dt', {}, label), element('dd', {}, valueContent(value))),
        ),
      )

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

/** @type {(sections: string[], status: string, reason: string | null) => import('./element.js').Child[]} */
const unseenWords = (sections, status, reason) => [
  element('strong', {}, foreign(sections.join(', '))),
  status,
  ...(reason === null ? [] : [' (', foreign(reason), ')']),
]

/** The reason of each in one line, for none of them can be seen another time. @type {(entries: Report['unseen']) => HTMLElement} */
const inapplicable = entries =>
  element(
    'p',
    { class: 'inapplicable' },
    'Not part of this report: ',
    ...entries.flatMap(({ sections, reason }, at) => [at > 0 && '; ', ...unseenWords(sections, '', reason)]),
    '.',
  )

/** Null if everything was seen. @type {(report: Report) => HTMLElement | null} */
function unseenPart({ unseen, coverage }) {
  if (unseen.length === 0) return null
  const [missing, others] = [true, false].map(applies => unseen.filter(one => one.applies === applies))
  const items = (missing ?? []).map(({ sections, status, reason }) =>
    element('li', {}, ...unseenWords(sections, `: ${status.toLowerCase()}`, reason), '.'),
  )
  const title = coverage.complete ? 'What was not seen in full' : 'What could not be seen'
  return part(
    'coverage',
    items.length === 0 ? 'What does not apply' : title,
    element('p', {}, coverage.text),
    items.length > 0 && element('ul', {}, ...items),
    others !== undefined && others.length > 0 && inapplicable(others),
  )
}

/**
 * Unfolds to content that is loaded only then.
 * @type {(name: string, title: string, load: () => Promise<readonly Node[]>) => HTMLElement}
 */
function unfolding(name, title, load) {
  const place = element('div')
  const fold = element('details', { class: name }, element('summary', {}, title), place)
  fold.addEventListener('toggle', async () => place.replaceChildren(...(await load())), { once: true })
  return fold
}

/** Pictures of the page, which few results have. @type {(result: import('./result.js').Result, load: (kind: string) => Promise<Blob>) => HTMLElement | null} */
function picturesPlace(result, load) {
  if (!result.rendered?.screenshots.length || result.result_id == null) return null
  const place = element('section', { class: 'pictures', 'aria-labelledby': 'pictures-title' })
  void import('./pictures.js').then(({ pictures }) => place.replaceChildren(...pictures(result, load)))
  return place
}

/**
 * Comes when its module is loaded; null for a result that is not kept. The report does not need it.
 * @type {(result: import('./result.js').Result, report: Report, kept: import('./kept_results.js').Kept, announce: (message: string) => void) => HTMLElement | null}
 */
function historyPlace({ result_id, ...result }, report, store, announce) {
  if (result_id == null) return null
  const place = element('div')
  void import('./history.js').then(
    ({ historyPart }) => place.replaceWith(historyPart({ ...result, result_id }, report, store, announce)),
    () => place.remove(),
  )
  return place
}

/**
 * Comes when it is known what other targets show the same.
 * @type {(id: string | null | undefined, kept: import('./kept_results.js').Kept, announce: (message: string) => void) => HTMLElement | null}
 */
function othersPlace(id, store, announce) {
  if (id == null) return null
  const place = element('div')
  void import('./others.js')
    .then(({ othersPart }) => othersPart(id, store, announce))
    .then(
      part => (part === null ? place.remove() : place.replaceWith(part)),
      () => place.remove(),
    )
  return place
}

/** @type {(report: Report, result: import('./result.js').Result, keyOf: () => string, occasion: Occasion) => HTMLElement} */
const comparePart = (report, result, keyOf, { picture, announce }) =>
  unfolding('compare', 'Compare with another name', async () =>
    (await import('./compare.js')).compareForm(report, result, keyOf, picture, announce),
  )

/** @typedef {typeof import('./durations_and_requests.js')} Tables */

/**
 * `tables` is null where the module is loaded when its content is unfolded.
 * @type {(report: Report, tables: Tables | null) => (HTMLElement | false)[]}
 */
function courseParts({ durations, requests }, tables) {
  /** @type {(title: string, draw: (tables: Tables) => HTMLElement) => HTMLElement} */
  const course = (title, draw) =>
    tables === null
      ? unfolding('course', title, async () => [draw(await import('./durations_and_requests.js'))])
      : element('details', { class: 'course' }, element('summary', {}, title), draw(tables))
  return [
    durations.length > 0 && course('When each section was complete', tables => tables.durationTable(durations)),
    requests.length > 0 && course('Requests to the site', tables => tables.requestTable(requests)),
  ]
}

/**
 * @typedef {object} Occasion
 * @property {string | null} link to this page with the target; null for a link that was checked, which no URL may hold
 * @property {Quota | null} quota
 * @property {import('./result.js').PageData['verdicts']} verdicts
 * @property {(message: string) => void} announce
 * @property {import('./kept_results.js').Kept | null} store null when the reader has no key
 * @property {((id: string, kind: string) => Promise<Blob>) | null} picture loads a picture of the result; null where nothing is loaded
 * @property {(() => string) | null} keyOf the key of the field; null when the reader has none
 * @property {Tables | null} tables the module of the tables that fold; null where it is loaded later
 * @property {(() => void) | null} again starts a new check; null when the reader has no key
 */

/**
 * The children of the report. The first heading, `#report-title`, takes the focus.
 * @param {Report} report
 * @param {string} text the result as received
 * @param {Occasion} occasion
 */
export function reportContent(report, text, occasion) {
  const { link, quota, verdicts, announce, store, picture, tables, again, keyOf } = occasion
  const result = /** @type {import('./result.js').Result} */ (JSON.parse(text))
  const { target, host, verdict, score, recommendation } = report
  const head = element(
    'header',
    { class: `verdict ${report.tone}` },
    element(
      'div',
      { class: 'words' },
      element(
        'h2',
        { id: 'report-title', tabindex: -1 },
        element('span', { class: 'target' }, foreign(target), ' '),
        element('span', { class: 'recommendation' }, recommendationName[recommendation]),
      ),
      element('p', { class: 'reason' }, foreign(report.reason)),
      report.meaning !== null && element('p', { class: 'meaning' }, report.meaning),
      caveat(report),
      siteCard(report.card),
      headline(report),
    ),
    gauge(score, verdict, verdicts),
    tools(link, again, announce),
  )
  return [
    head,
    beforePart(report.before),
    picture && picturesPlace(result, kind => picture(result.result_id ?? '', kind)),
    findingsPart(report),
    fixesPart(report.fixes),
    part('sections', 'Section by section', element('div', { class: 'cards' }, ...cards(report.sections, announce))),
    store && othersPlace(result.result_id, store, announce),
    dependencyPart(report.host, report.dependencies),
    unseenPart(report),
    part('made', 'About this check', circumstances(factRows(report.checked)), ...courseParts(report, tables)),
    store && historyPlace(result, report, store, announce),
    keyOf && comparePart(report, result, keyOf, occasion),
    raw(text, `assay-${host.replace(/[^\w.-]/g, '_')}.json`, announce),
    account(quota),
  ]
}
