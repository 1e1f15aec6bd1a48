// The history in a report: earlier results of the target with their scores over time, what changed since, and links that
// share the result.
import { Failed } from './check.js'
import { drawn, element, foreign } from './element.js'
import { explain } from './problems.js'
import { copyText } from './raw.js'
import { dateTime, day } from './times.js'
import { scrolling } from './values.js'
import { recommendationName } from './verdicts.js'

/** @typedef {import('./kept.js').Kept} Kept */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./kept.js').Entry} Entry */
/** @typedef {(message: string) => void} Announce */

/** @type {(id: string) => string} */
export const permalinkOf = id => new URL(`#result=${id}`, location.href).href

/** @type {(error: unknown) => HTMLElement} */
const apology = error => {
  const { title, advice } = explain(
    error instanceof Failed ? error.trouble : new Failed({ code: 'unreadable' }).trouble,
    Date.now(),
  )
  return element('p', { class: 'note' }, `${title}. ${advice}`)
}

/** Runs `work`, and shows in `place` why it failed. @type {(place: HTMLElement, work: () => Promise<unknown>) => Promise<void>} */
async function attempt(place, work) {
  try {
    await work()
  } catch (error) {
    place.replaceChildren(apology(error))
  }
}

/** Pixels. Below the line are the days, left of it the scores where a verdict begins. */
const CHART = { width: 640, height: 120, left: 30, edge: 10, foot: 20 }

/** Scores over time, for the eye; the table has the same numbers. @type {(entries: readonly Entry[]) => SVGElement | null} */
function chart(entries) {
  const points = entries.map(({ checked_at, risk_score }) => ({ at: Date.parse(checked_at), risk_score }))
  const [first, last] = [Math.min(...points.map(({ at }) => at)), Math.max(...points.map(({ at }) => at))]
  if (points.length < 2 || first === last) return null
  const { width, height, left, edge, foot } = CHART
  const x = (/** @type {number} */ at) => left + ((at - first) / (last - first)) * (width - left - edge)
  const y = (/** @type {number} */ score) => height - foot - (score / 100) * (height - foot - edge)
  const ends = /** @type {const} */ ([
    [first, 'start'],
    [last, 'end'],
  ])
  const line = points.map(({ at, risk_score }) => `${x(at).toFixed(1)},${y(risk_score).toFixed(1)}`).join(' ')
  return drawn(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'scores', 'aria-hidden': 'true', focusable: 'false' },
    ...[0, 31, 71, 100].flatMap(limit => [
      drawn('path', { d: `M${left} ${y(limit)}H${width - edge}`, class: 'limit' }),
      drawn('text', { x: left - 6, y: y(limit) + 4, 'text-anchor': 'end' }, `${limit}`),
    ]),
    ...ends.map(([at, anchor]) =>
      drawn('text', { x: x(at), y: height - 4, 'text-anchor': anchor }, day(new Date(at).toISOString()) ?? ''),
    ),
    drawn('polyline', { points: line }),
    ...points.map(({ at, risk_score }) =>
      drawn('circle', { cx: x(at).toFixed(1), cy: y(risk_score).toFixed(1), r: 3 }),
    ),
  )
}

/** @type {(entry: Entry, result: Result, report: import('./result.js').Report, kept: Kept, changes: HTMLElement, announce: Announce) => HTMLElement} */
function line(entry, result, report, kept, changes, announce) {
  const current = result.result_id ?? ''
  const { result_id, checked_at, risk_score, verdict, recommendation } = entry
  const when = dateTime(Date.parse(checked_at))
  const compare = element('button', { type: 'button', class: 'quiet', 'aria-label': `Compare with ${when}` }, 'Compare')
  compare.addEventListener('click', () =>
    attempt(changes, async () => {
      const [found, earlier, { sideBySide }, { figures }] = await Promise.all([
        kept.changes(result_id, current),
        kept.result(result_id),
        import('./compare.js'),
        import('./pictures.js'),
      ])
      changes.replaceChildren(
        element('h4', { tabindex: -1 }, `Changes since ${when}`),
        found.length === 0
          ? element('p', {}, 'Nothing changed.')
          : element(
              'ul',
              {},
              ...found.map(({ severity, message }) => element('li', {}, `${severity}: `, foreign(message))),
            ),
        ...[JSON.parse(earlier.text), result].flatMap(
          one => figures(one, kind => kept.picture(one.result_id, kind)) ?? [],
        ),
        sideBySide(JSON.parse(earlier.report), report, [when, 'This result']),
      )
      changes.querySelector('h4')?.focus()
      announce(`${found.length} changes since ${when}.`)
    }),
  )
  const isCurrent = result_id === current
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', class: 'earlier' },
      isCurrent || !entry.kept ? when : element('a', { href: `#result=${result_id}` }, when),
      isCurrent && ' (this result)',
    ),
    element('td', { class: 'earlier' }, `${risk_score}`),
    element('td', { class: 'earlier' }, verdict),
    element('td', { class: 'earlier' }, recommendationName[recommendation]),
    element('td', { class: 'earlier' }, isCurrent || !entry.kept ? null : compare),
  )
}

/** @type {(id: string, kept: Kept, announce: Announce) => HTMLElement} */
function sharing(id, kept, announce) {
  const place = element('div', {})
  const create = element('button', { type: 'button', class: 'quiet' }, 'Create a link')

  const fill = () =>
    attempt(place, async () => {
      const shares = await kept.shares(id)
      place.replaceChildren(
        ...shares.map(({ share_id, created_at }) =>
          element('p', {}, `Link created on ${dateTime(Date.parse(created_at))} `, revoke(share_id)),
        ),
      )
    })

  /** @param {string} share_id */
  function revoke(share_id) {
    const button = element('button', { type: 'button', class: 'quiet' }, 'Revoke')
    button.addEventListener('click', () =>
      attempt(place, async () => {
        await kept.unshare(share_id)
        announce('The link is revoked.')
        await fill()
      }),
    )
    return button
  }

  /** @type {(url: string) => HTMLElement} */
  function copied(url) {
    const address = element('span', { class: 'link' }, url)
    const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy')
    copy.addEventListener('click', () => copyText(url, address, announce))
    return element('span', {}, copy, ' ', address)
  }

  create.addEventListener('click', () =>
    attempt(place, async () => {
      const { share_id, url, badge_url } = await kept.share(id)
      const [page, badge] = [url, badge_url].map(one => new URL(one, location.href).href)
      place.prepend(
        element('p', {}, 'Page: ', copied(page ?? '')),
        element('p', {}, 'Badge: ', copied(badge ?? ''), ' ', revoke(share_id)),
      )
      announce('The link is created.')
    }),
  )
  const folded = element(
    'details',
    { class: 'sharing' },
    element('summary', {}, 'Share this result'),
    element(
      'p',
      { class: 'note' },
      'Whoever has the link sees this result without a key, until you revoke it. The badge shows the latest verdict on the target.',
    ),
    element('p', { class: 'actions' }, create),
    place,
  )
  folded.addEventListener('toggle', () => folded.open && void fill(), { once: true })
  return folded
}

/**
 * The part of a report about earlier results; null for a result that is not kept. It fills itself.
 * @param {Result} result
 * @param {import('./result.js').Report} report
 * @param {Kept} kept
 * @param {Announce} announce
 */
export function historyPart(result, report, kept, announce) {
  const { result_id } = result
  if (result_id == null) return null
  const [place, changes] = [
    element('div', {}, element('p', { class: 'note' }, 'Loading.')),
    element('div', { class: 'changes' }),
  ]
  void attempt(place, async () => {
    const { first_seen_at, results } = await kept.history(result)
    const table = element(
      'table',
      { class: 'earlier-results' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...['Checked', 'Score', 'Verdict', 'Recommendation', 'Changes'].map(name =>
            element('th', { scope: 'col', class: 'earlier' }, name),
          ),
        ),
      ),
      element('tbody', {}, ...results.map(entry => line(entry, result, report, kept, changes, announce))),
    )
    place.replaceChildren(
      element(
        'p',
        {},
        results.length < 2 ? 'This is the only result that your account has of this target. ' : '',
        first_seen_at === null ? '' : `First checked here on ${day(first_seen_at)}.`,
      ),
      ...[
        results.length < 2 ? null : chart(results),
        results.length < 2 ? null : scrolling('Earlier results as a table', table),
      ].filter(child => child !== null),
      sharing(result_id, kept, announce),
    )
  })
  return element(
    'section',
    { class: 'history', 'aria-labelledby': 'history-title' },
    element('h3', { id: 'history-title' }, 'Earlier results'),
    place,
    changes,
  )
}
