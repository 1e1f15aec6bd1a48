// The history in a report: earlier results of the target with their scores over time and what changed from each to the next, a
// comparison with this result, and links that share the result. Loaded with the first report of a kept result.
import { changesBetween, neighbours } from './changes.js'
import { Failure } from './check.js'
import { forEachAtMost } from './concurrency.js'
import { copyText } from './copy_and_download.js'
import { dateTime, day } from './dates.js'
import { element, foreign } from './element.js'
import { explain } from './problems.js'
import { scrolling } from './values.js'
import { recommendationName } from './verdicts.js'

/** @typedef {import('./kept_results.js').Kept} Kept */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./kept_results.js').Entry} Entry */
/** @typedef {(message: string) => void} Announce */

/** @type {(error: unknown) => HTMLElement} */
const apology = error => {
  const { title, advice } = explain(
    error instanceof Failure ? error.trouble : new Failure({ code: 'unreadable' }).trouble,
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

/** Comparisons that are asked for at once. */
const AT_ONCE = 4
/** Changes in a row of the table before the rest is folded. */
const IN_ROW = 1

/** Runs `work` once, when the element is seen or about to be. @type {(seen: Element, work: () => void) => void} */
function whenSeen(node, work) {
  const observer = new IntersectionObserver(
    entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      work()
    },
    { rootMargin: '200px' },
  )
  observer.observe(node)
}

/** Widest chart in pixels. */
const WIDEST = 640

/**
 * Draws the scores; once they are seen it compares each result with the one before, and says in the chart and in the rows of the
 * table what changed.
 * @type {(results: readonly Entry[], kept: Kept, place: HTMLElement, cells: ReadonlyMap<string, HTMLElement>) => Promise<void>}
 */
async function annotate(results, store, place, cells) {
  const { changeList, scoreChart } = await import('./score_chart.js')
  /** @type {import('./score_chart.js').Annotation[]} */
  const annotations = []
  const draw = () => {
    const chart = scoreChart(results, annotations, Math.min(WIDEST, place.clientWidth || WIDEST))
    place.replaceChildren(...(chart === null ? [] : [chart]))
  }
  draw()
  whenSeen(place, async () => {
    await forEachAtMost(neighbours(results), AT_ONCE, async ({ from, to }) => {
      const cell = cells.get(to.result_id)
      try {
        const changes = await changesBetween(store, from.result_id, to.result_id)
        if (changes.length > 0) annotations.push({ since: from.checked_at, at: to.checked_at, changes })
        cell?.replaceChildren(changes.length > 0 ? changeList(changes, IN_ROW) : 'nothing')
      } catch {
        cell?.replaceChildren('not compared')
      }
    })
    draw()
  })
}

/** @type {(entry: Entry, result: Result, report: import('./result.js').Report, kept: Kept, changes: HTMLElement, announce: Announce, since: HTMLElement) => HTMLElement} */
function line(entry, result, report, store, changes, announce, since) {
  const current = result.result_id ?? ''
  const { result_id, checked_at, risk_score, verdict, recommendation } = entry
  const when = dateTime(Date.parse(checked_at))
  const compare = element('button', { type: 'button', class: 'quiet', 'aria-label': `Compare with ${when}` }, 'Compare')
  compare.addEventListener('click', () =>
    attempt(changes, async () => {
      const [differences, earlier, { sideBySide }, { picturesBeside }] = await Promise.all([
        store.changes(result_id, current),
        store.result(result_id),
        import('./compare.js'),
        import('./pictures.js'),
      ])
      /** @type {(readonly [string, Result])[]} */
      const sides = [
        [when, JSON.parse(earlier.text)],
        ['This result', result],
      ]
      changes.replaceChildren(
        element('h4', { tabindex: -1 }, `Changes since ${when}`),
        differences.length === 0
          ? element('p', {}, 'Nothing changed.')
          : element(
              'ul',
              {},
              ...differences.map(({ severity, message }) => element('li', {}, `${severity}: `, foreign(message))),
            ),
        picturesBeside(sides, store.picture) ?? '',
        sideBySide(JSON.parse(earlier.report), report, [when, 'This result']),
      )
      changes.querySelector('h4')?.focus()
      announce(`${differences.length} changes since ${when}.`)
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
    since,
    element('td', { class: 'earlier' }, isCurrent || !entry.kept ? null : compare),
  )
}

/** @type {(id: string, kept: Kept, announce: Announce) => HTMLElement} */
function sharing(id, store, announce) {
  const place = element('div', {})
  const create = element('button', { type: 'button', class: 'quiet' }, 'Create a link')

  const fill = () =>
    attempt(place, async () => {
      const shares = await store.shares(id)
      place.replaceChildren(
        ...shares.map(({ share_id, created_at }) =>
          element('p', {}, `Link created on ${dateTime(Date.parse(created_at))} `, revoke(share_id)),
        ),
      )
    })

  /** @param {string} share */
  function revoke(share) {
    const button = element('button', { type: 'button', class: 'quiet' }, 'Revoke')
    button.addEventListener('click', () =>
      attempt(place, async () => {
        await store.unshare(share)
        announce('The link is revoked.')
        await fill()
      }),
    )
    return button
  }

  /** @type {(url: string) => HTMLElement} */
  function copyLine(url) {
    const address = element('span', { class: 'link' }, url)
    const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy')
    copy.addEventListener('click', () => copyText(url, address, announce))
    return element('span', {}, copy, ' ', address)
  }

  create.addEventListener('click', () =>
    attempt(place, async () => {
      const { share_id, url, badge_url } = await store.share(id)
      const [page, badge] = [url, badge_url].map(one => new URL(one, location.href).href)
      place.prepend(
        element('p', {}, 'Page: ', copyLine(page ?? '')),
        element('p', {}, 'Badge: ', copyLine(badge ?? ''), ' ', revoke(share_id)),
      )
      announce('The link is created.')
    }),
  )
  const fold = element(
    'details',
    { class: 'sharing' },
    element('summary', {}, 'Share this result'),
    element(
      'p',
      { class: 'note' },
      'Anyone with the link can see this result without a key, until you revoke the link. The badge shows the latest verdict on the target.',
    ),
    element('p', { class: 'actions' }, create),
    place,
  )
  fold.addEventListener('toggle', () => fold.open && void fill(), { once: true })
  return fold
}

/**
 * @param {string | null} firstSeenAt
 * @param {Result} result
 */
const firstCheck = (firstSeenAt, { checked_at }) =>
  firstSeenAt === null
    ? ''
    : Date.parse(firstSeenAt) === Date.parse(checked_at)
      ? 'This is the first check of this target here.'
      : `First checked here on ${day(firstSeenAt)}.`

/**
 * The part of a report about earlier results. It fills itself.
 * @param {Result & { readonly result_id: string }} result
 * @param {import('./result.js').Report} report
 * @param {Kept} store
 * @param {Announce} announce
 */
export function historyPart(result, report, store, announce) {
  const { result_id } = result
  const [place, changes] = [
    element('div', {}, element('p', { class: 'note' }, 'Loading.')),
    element('div', { class: 'changes' }),
  ]
  void attempt(place, async () => {
    const { first_seen_at, results } = await store.history(result)
    const cells = new Map(results.map(({ result_id }) => [result_id, element('td', { class: 'earlier' })]))
    const chart = element('div', {})
    const table = element(
      'table',
      { class: 'earlier-results' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...[
            'Checked',
            'Score',
            'Verdict',
            'Recommendation',
            'Changed since the previous result',
            'Compare with this result',
          ].map(name => element('th', { scope: 'col', class: 'earlier' }, name)),
        ),
      ),
      element(
        'tbody',
        {},
        ...results.map(entry =>
          line(entry, result, report, store, changes, announce, cells.get(entry.result_id) ?? element('td')),
        ),
      ),
    )
    place.replaceChildren(
      element(
        'p',
        {},
        results.length < 2 ? 'This is the only result that your account has of this target. ' : '',
        firstCheck(first_seen_at, result),
      ),
      ...[
        results.length < 2 ? null : chart,
        results.length < 2 ? null : scrolling('Earlier results as a table', table),
      ].filter(child => child !== null),
      sharing(result_id, store, announce),
    )
    if (results.length > 1) await annotate(results, store, chart, cells)
  })
  return element(
    'section',
    { class: 'history', 'aria-labelledby': 'history-title' },
    element('h3', { id: 'history-title' }, 'Earlier results'),
    place,
    changes,
  )
}
