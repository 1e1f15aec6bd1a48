// The part of a report about other targets that show the same: how many for each fact, and which ones when asked. Loaded with the first
// report of a kept result.
import { Failure } from './check.js'
import { dateTime } from './dates.js'
import { element, foreign } from './element.js'
import { explain } from './problems.js'
import { recommendationName } from './verdicts.js'

/** @typedef {import('./kept_results.js').Kept} Kept */
/** @typedef {import('./kept_results.js').SharedFact} SharedFact */
/** @typedef {(message: string) => void} Announce */

/** What many targets have in common that have nothing to do with each other. */
const COMMON = new Set(['asn', 'registrar', 'technology', 'signal', 'issuer'])
/** @param {number} others @param {boolean} more */
function countOf(others, more) {
  if (more) return others === 0 ? 'Perhaps others' : `${others} or more others`
  return others === 1 ? '1 other' : `${others} others`
}

/** @type {(fact: SharedFact, target: string, kept: Kept, announce: Announce) => HTMLElement} */
function line({ kind, value, words, others, more }, target, store, announce) {
  const place = element('div', { id: `others-${kind}-${Math.random().toString(36).slice(2)}` })
  const open = element('button', {
    type: 'button',
    class: 'quiet',
    'aria-expanded': 'false',
    'aria-controls': place.id,
  })
  open.append(countOf(others, more))
  const close = () => {
    place.replaceChildren()
    open.setAttribute('aria-expanded', 'false')
  }
  open.addEventListener('click', async () => {
    if (open.getAttribute('aria-expanded') === 'true') return close()
    open.setAttribute('aria-expanded', 'true')
    try {
      const { results, before } = await store.search(kind, value)
      const otherResults = results.filter(one => one.target !== target)
      place.replaceChildren(element('ul', {}, ...otherResults.map(item)))
      if (before !== null)
        place.append(element('p', { class: 'note' }, 'There are more: search for them over the API.'))
      announce(`${otherResults.length} with the same ${words}.`)
    } catch (error) {
      const { trouble } = error instanceof Failure ? error : new Failure({ code: 'unreadable' })
      const { title, advice } = explain(trouble, Date.now())
      place.replaceChildren(element('p', { class: 'note' }, `${title}. ${advice}`))
    }
  })
  return element('li', {}, open, ` with the same ${words}: `, foreign(value), place)
}

/** @type {(entry: import('./kept_results.js').FoundEntry) => HTMLElement} */
const item = ({ result_id, target, recommendation, risk_score, checked_at }) =>
  element(
    'li',
    {},
    element('a', { href: `#result=${result_id}` }, foreign(target)),
    `: ${recommendationName[recommendation]}, ${risk_score} of 100, ${dateTime(Date.parse(checked_at))}`,
  )

/**
 * Null when no other target shows the same. Rejects with `Failure`.
 * @type {(id: string, kept: Kept, announce: Announce) => Promise<HTMLElement | null>}
 */
export async function othersPart(id, store, announce) {
  const { target, scope, facts } = await store.related(id)
  const sharedFacts = facts.filter(({ others, more }) => others > 0 || more)
  if (sharedFacts.length === 0) return null
  const [telling, common] = [false, true].map(isCommon =>
    sharedFacts.filter(({ kind }) => COMMON.has(kind) === isCommon).map(fact => line(fact, target, store, announce)),
  )
  const whose = scope === 'account' ? 'of your key’s account' : 'of this installation'
  return element(
    'section',
    { class: 'others', 'aria-labelledby': 'others-title' },
    element('h3', { id: 'others-title' }, 'Seen elsewhere'),
    element('p', { class: 'note' }, `Among the kept results ${whose}.`),
    telling !== undefined && telling.length > 0 && element('ul', {}, ...telling),
    common !== undefined &&
      common.length > 0 &&
      element('details', {}, element('summary', {}, 'Shared with many others'), element('ul', {}, ...common)),
  )
}
