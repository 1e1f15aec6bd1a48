// What is known of each of my targets, as words, order and a table.
import { inShort } from './changes.js'
import { recommendationName } from './verdicts.js'

/** @typedef {import('./kept_results.js').Entry} Entry */
/** @typedef {import('./changes.js').Change} Change */

/** @typedef {{ readonly at: number | null, readonly reason: string | null }} Expiry `at` in milliseconds; without it, the reason */

/** @typedef {{ readonly certificate: Expiry, readonly registration: Expiry }} Facts */

/**
 * @typedef {object} Overview
 * @property {string} target
 * @property {readonly string[]} groups the lists that it is in, and `WATCHED_LIST`
 * @property {readonly Entry[]} results latest first; none while it loads
 * @property {Facts | null} facts of the last result; null when it is not kept
 * @property {{ readonly at: string, readonly changes: readonly Change[] } | null} last_change null when none was found
 * @property {number} compared pairs of results in which the last change was looked for
 * @property {string | null} trouble why nothing could be loaded, or why a watch does not check
 * @property {boolean} loaded
 */

export const WATCHED_LIST = 'Watched'

const DAY = 86_400_000
/** Days before an expiry from which it is marked, and from which it is urgent. */
const SOON = 30
const URGENT = 14
/** Days for which a change is recent. */
const RECENT = 7

/** Why a section has no date, by its status in the coverage. @type {Readonly<Record<string, string>>} */
const REASONS = { not_applicable: 'does not apply', unavailable: 'could not be seen' }

/**
 * Dates of a result are in UTC, with or without a zone designator.
 * @type {(text: string | null | undefined, reason: string) => Expiry}
 */
function expiry(text, reason) {
  const at = text ? Date.parse(/Z$/.test(text) ? text : `${text}Z`) : Number.NaN
  return Number.isNaN(at) ? { at: null, reason } : { at, reason: null }
}

/** @param {any} result as the API has it @returns {Facts} */
export function factsOf({ domain, ssl_info, reputation, coverage }) {
  const reasonOf = (/** @type {string} */ section) => REASONS[coverage?.sections?.[section]?.status] ?? 'no date known'
  const lacksTls = ssl_info?.invalid_reasons?.includes('no_tls')
  return {
    certificate: expiry(ssl_info?.expires_at, lacksTls ? 'none: the site has no HTTPS' : reasonOf('ssl_info')),
    registration: expiry(
      reputation?.expires_at,
      domain === null ? 'does not apply to an address' : reasonOf('reputation'),
    ),
  }
}

/** Whole days; negative once it is over. @type {(at: number, now: number) => number} */
export const daysLeft = (at, now) => Math.floor((at - now) / DAY)

/** @type {(count: number) => string} */
const days = count => `${count} ${count === 1 ? 'day' : 'days'}`

/** In words, and with the tone of its colour. @type {(expiry: Expiry, now: number) => { words: string, tone: string }} */
export function expiryWords({ at, reason }, now) {
  if (at === null) return { words: reason ?? 'no date known', tone: 'unknown' }
  const [daysBefore, over] = [daysLeft(at, now), Math.floor((now - at) / DAY)]
  if (at <= now) return { words: over === 0 ? 'expired today' : `expired ${days(over)} ago`, tone: 'critical' }
  const tone = daysBefore < URGENT ? 'high' : daysBefore < SOON ? 'medium' : ''
  return { words: daysBefore === 0 ? 'less than a day left' : `${days(daysBefore)} left`, tone }
}

/** The sooner of both; Infinity if neither is known. @param {Overview} overview */
const firstExpiry = ({ facts }) =>
  Math.min(...[facts?.certificate.at, facts?.registration.at].map(at => at ?? Infinity))

/** @type {Readonly<Record<string, (overview: Overview, now: number) => boolean>>} */
const STATES = {
  all: () => true,
  block: ({ results }) => results[0]?.recommendation === 'block',
  review: ({ results }) => results[0]?.recommendation === 'review',
  allow: ({ results }) => results[0]?.recommendation === 'allow',
  expiring: (overview, now) => firstExpiry(overview) < now + SOON * DAY,
  changed: ({ last_change }, now) => last_change !== null && Date.parse(last_change.at) > now - RECENT * DAY,
  unchecked: ({ results, loaded }) => loaded && results.length === 0,
}

/** The choices of what is shown, with their names. */
export const STATE_NAMES = /** @type {const} */ ([
  ['all', 'All'],
  ['block', 'Block'],
  ['review', 'Review'],
  ['allow', 'Allow'],
  ['expiring', `Expired or expiring within ${days(SOON)}`],
  ['changed', `Changed in the last ${days(RECENT)}`],
  ['unchecked', 'Not checked yet'],
])

/** @typedef {{ readonly text: string, readonly group: string, readonly state: string }} Filter `group` is empty for all */

/** @type {(overview: Overview, filter: Filter, now: number) => boolean} */
export function matches(overview, { text, group, state }, now) {
  const { target, groups, last_change } = overview
  const words = [target, ...groups, ...(last_change?.changes ?? []).map(({ message }) => message)]
  return (
    (group === '' || groups.includes(group)) &&
    (STATES[state]?.(overview, now) ?? true) &&
    words.join('\n').toLowerCase().includes(text.trim().toLowerCase())
  )
}

/** Of a target without results: after all others. @param {Overview} overview */
const score = ({ results }) => results[0]?.risk_score ?? -1

/** @type {Readonly<Record<string, (a: Overview, b: Overview) => number>>} */
const ORDERS = {
  name: () => 0,
  score: (a, b) => score(b) - score(a),
  // Two that are unknown are equal, and their difference is not a number.
  expiry: (a, b) => (firstExpiry(a) === firstExpiry(b) ? 0 : firstExpiry(a) - firstExpiry(b)),
  change: (a, b) => Date.parse(b.last_change?.at ?? '1970') - Date.parse(a.last_change?.at ?? '1970'),
}

export const ORDER_NAMES = /** @type {const} */ ([
  ['name', 'Name'],
  ['score', 'Risk score, highest first'],
  ['expiry', 'First to expire'],
  ['change', 'Latest change first'],
])

/** Sorts by `order`, then by name. @type {(overviews: readonly Overview[], order: string) => Overview[]} */
export const sortOverviews = (overviews, order) =>
  overviews.toSorted((a, b) => (ORDERS[order]?.(a, b) ?? 0) || (a.target < b.target ? -1 : 1))

/** The last change in a sentence. @param {Overview} overview */
export function changeWords({ last_change, compared, results }) {
  if (last_change !== null) return inShort(last_change.changes)
  if (results.length < 2) return 'only one result so far'
  return compared === 0 ? 'earlier results are no longer kept' : `none in the last ${compared + 1} results`
}

const HEADING = [
  'target',
  'lists',
  'checked_at',
  'recommendation',
  'verdict',
  'risk_score',
  'certificate_expires_at',
  'certificate_days_left',
  'registration_expires_at',
  'registration_days_left',
  'last_change_at',
  'last_change',
  'results',
  'report',
]

/**
 * The rows of a table, with its heading, of what is shown.
 * @type {(overviews: readonly Overview[], now: number, linkTo: (result_id: string) => string) => (string | number | null)[][]}
 */
export function tableRows(overviews, now, linkTo) {
  const dates = (/** @type {Expiry | undefined} */ one) =>
    one === undefined || one.at === null ? [null, null] : [new Date(one.at).toISOString(), daysLeft(one.at, now)]
  const rows = overviews.map(({ target, groups, results, facts, last_change }) => {
    const last = results[0]
    return [
      target,
      groups.join('; '),
      last?.checked_at ?? null,
      last ? recommendationName[last.recommendation] : null,
      last?.verdict ?? null,
      last?.risk_score ?? null,
      ...dates(facts?.certificate),
      ...dates(facts?.registration),
      last_change?.at ?? null,
      last_change?.changes.map(({ message }) => message).join('; ') ?? null,
      results.length,
      last?.kept ? linkTo(last.result_id) : null,
    ]
  })
  return [HEADING, ...rows]
}
