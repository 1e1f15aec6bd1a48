// Watches: the list, a form that adds one, and for each a test, its deliveries and its removal. Loaded when it is opened.
import { Failed } from './check.js'
import { copyText } from './copy_and_download.js'
import { dateTime } from './dates.js'
import { byId, element, foreign } from './element.js'
import { createAsk } from './kept_results.js'
import { explain } from './problems.js'

/**
 * @typedef {object} Watch
 * @property {string} watch_id
 * @property {string} target
 * @property {string} every
 * @property {string} notify the origin of the receiver
 * @property {string} format
 * @property {string | null} next_check_at
 * @property {{ readonly checked_at: string, readonly risk_score: number, readonly verdict: string, readonly recommendation: string } | null} last_result
 * @property {{ readonly code: string, readonly at: string } | null} last_failure
 * @property {string | null} stopped
 */

/**
 * @typedef {object} Delivery
 * @property {string} delivery_id
 * @property {string} type
 * @property {string} created_at
 * @property {'pending' | 'delivered' | 'dead'} state
 * @property {number} attempts
 * @property {{ readonly failure: string | null } | null} last_attempt
 * @property {{ readonly data: { readonly changes: readonly { readonly message: string }[] } }} event
 */

/** @typedef {(message: string) => void} Announce */

const INTERVALS = /** @type {const} */ ([
  ['1h', 'every hour'],
  ['6h', 'every 6 hours'],
  ['1d', 'every day'],
  ['7d', 'every week'],
])
const FORMATS = /** @type {const} */ ([
  ['json', 'signed JSON'],
  ['slack', 'Slack'],
  ['teams', 'Teams'],
  ['email', 'e-mail'],
])
/** Looks at a test until its outcome is known, and milliseconds between two. */
const LOOKS = 40
const LOOK = 500

/** @type {(time: string) => string} */
const moment = time => dateTime(Date.parse(time))

/**
 * Fills `place` with the watches of the key that `keyOf` returns.
 * @param {HTMLElement} place
 * @param {() => string} keyOf
 * @param {Announce} announce
 */
export function showWatches(place, keyOf, announce) {
  document.head.append(element('link', { rel: 'stylesheet', href: '/assets/watches.css' }))
  const ask = createAsk(keyOf)
  /** @type {(path: string, options?: { method?: string, body?: string }) => Promise<any>} */
  const call = async (path, options) => JSON.parse(await ask(`/api/v1/watches${path}`, options))
  const [problem, created, list] = [
    element('div', { role: 'alert' }),
    element('div', {}),
    element('ul', { class: 'watch-list', 'aria-label': 'Watches' }),
  ]
  const form = addForm()
  const reload = element('button', { type: 'button', class: 'quiet' }, 'Load my watches')
  reload.addEventListener('click', () => attempt(fill))
  place.replaceChildren(
    element(
      'p',
      {},
      'A watch checks a name or an address again and again, and sends a webhook or an e-mail when something changes that matters. Each check counts against your quota.',
    ),
    form,
    problem,
    created,
    element('p', { class: 'actions' }, reload),
    list,
  )
  if (keyOf() !== '') void attempt(fill)

  /** Runs `work`, and says why it failed. @param {() => Promise<void>} work */
  async function attempt(work) {
    problem.replaceChildren()
    try {
      await work()
    } catch (error) {
      const trouble = (error instanceof Failed ? error : new Failed({ code: 'unreadable' })).trouble
      const { title, advice } = explain(trouble, Date.now())
      problem.replaceChildren(
        element('p', { class: 'note' }, `${title}. ${advice} `, trouble.detail === '' ? null : foreign(trouble.detail)),
      )
    }
  }

  async function fill() {
    const { watches } = await call('')
    list.replaceChildren(...watches.map(line))
    announce(watches.length === 1 ? 'One watch.' : `${watches.length} watches.`)
  }

  function addForm() {
    const field = (/** @type {string} */ id, /** @type {string} */ label, /** @type {HTMLElement} */ control) =>
      element('div', { class: 'field' }, element('label', { for: id }, label), control)
    const select = (
      /** @type {string} */ id,
      /** @type {readonly (readonly [string, string])[]} */ choices,
      chosen = '',
    ) =>
      element(
        'select',
        { id },
        ...choices.map(([value, name]) => element('option', { value, selected: value === chosen }, name)),
      )
    const typed = { type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true }
    const target = element('input', { ...typed, id: 'watch-target', maxlength: 260 })
    const notify = element('input', {
      ...typed,
      id: 'watch-notify',
      maxlength: 2048,
      placeholder: 'https:// or mailto:',
    })
    const [every, format] = [select('watch-every', INTERVALS, '6h'), select('watch-format', FORMATS)]
    target.value = /** @type {HTMLInputElement} */ (byId('target')).value
    const form = element(
      'form',
      { class: 'watch-form', novalidate: true, 'aria-label': 'Add a watch' },
      field('watch-target', 'Name or address', target),
      field('watch-every', 'Check', every),
      field('watch-notify', 'Send to', notify),
      field('watch-format', 'As', format),
      element('button', { type: 'submit', class: 'primary' }, 'Add watch'),
    )
    form.addEventListener('submit', event => {
      event.preventDefault()
      const asked = {
        target: target.value.trim(),
        every: every.value,
        notify: notify.value.trim(),
        format: format.value,
      }
      void attempt(async () => {
        const watch = await call('', { method: 'POST', body: JSON.stringify(asked) })
        showSecret(watch)
        notify.value = ''
        await fill()
        announce(`${watch.target} is watched. Copy the secret now.`)
        created.querySelector('p')?.focus()
      })
    })
    return form
  }

  /** @param {Watch & { readonly secret: string }} watch */
  function showSecret({ target, secret }) {
    const shown = element('span', { class: 'link' }, secret)
    const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy')
    copy.addEventListener('click', () => copyText(secret, shown, announce))
    created.replaceChildren(
      element(
        'p',
        { class: 'secret', tabindex: -1 },
        'The secret that signs the webhooks of ',
        foreign(target),
        ', shown only now: ',
        shown,
        ' ',
        copy,
      ),
    )
  }

  /** @param {Watch} watch */
  function line(watch) {
    const { watch_id, target, every, notify, format } = watch
    const outcome = element('div', {})
    /** @type {(name: string, of: string, work: () => Promise<void>) => HTMLElement} */
    const action = (name, of, work) => {
      const button = element(
        'button',
        { type: 'button', class: 'quiet', 'aria-label': `${name} ${of} ${target}` },
        name,
      )
      button.addEventListener('click', () => attempt(work))
      return button
    }
    return element(
      'li',
      {},
      element('p', {}, element('strong', {}, foreign(target)), ` every ${every}, to `, foreign(notify), ` (${format})`),
      element('p', { class: 'note' }, standing(watch)),
      element(
        'p',
        { class: 'actions' },
        action('Test', 'the watch of', () => test(watch_id, outcome)),
        action('Deliveries', 'of the watch of', () => deliveries(watch_id, outcome)),
        action('Remove', 'the watch of', async () => {
          await call(`/${watch_id}`, { method: 'DELETE' })
          await fill()
          announce(`${target} is no longer watched.`)
          reload.focus()
        }),
      ),
      outcome,
    )
  }

  /** @type {(id: string, outcome: HTMLElement) => Promise<void>} */
  async function test(id, outcome) {
    const { delivery_id } = await call(`/${id}/test`, { method: 'POST' })
    say(outcome, 'Sending a test.')
    for (let look = 0; look < LOOKS; look++) {
      await new Promise(resolve => setTimeout(resolve, LOOK))
      const found = /** @type {readonly Delivery[]} */ ((await call(`/${id}/deliveries`)).deliveries)
      const delivery = found.find(one => one.delivery_id === delivery_id)
      if (delivery === undefined || delivery.state === 'pending') continue
      const { state, last_attempt } = delivery
      return say(
        outcome,
        state === 'delivered' ? 'The receiver accepted the test.' : `Not accepted: ${last_attempt?.failure}.`,
      )
    }
    say(outcome, 'There is no answer yet. See its deliveries later.')
  }

  /** @type {(outcome: HTMLElement, text: string) => void} */
  function say(outcome, text) {
    outcome.replaceChildren(element('p', {}, text))
    announce(text)
  }

  /** @type {(id: string, outcome: HTMLElement) => Promise<void>} */
  async function deliveries(id, outcome) {
    const found = /** @type {readonly Delivery[]} */ ((await call(`/${id}/deliveries`)).deliveries)
    if (found.length === 0) return say(outcome, 'Nothing was sent yet.')
    outcome.replaceChildren(element('ul', {}, ...found.map(one => deliveryLine(id, one, outcome))))
    announce(`${found.length} deliveries.`)
  }

  /** @type {(id: string, delivery: Delivery, outcome: HTMLElement) => HTMLElement} */
  function deliveryLine(id, { delivery_id, type, created_at, state, attempts, event }, outcome) {
    const when = moment(created_at)
    const what = type === 'watch.test' ? 'test' : event.data.changes.map(({ message }) => message).join('; ')
    const again = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Send again: ${when}` },
      'Send again',
    )
    again.addEventListener('click', () =>
      attempt(async () => {
        await call(`/${id}/deliveries/${delivery_id}/replay`, { method: 'POST' })
        await deliveries(id, outcome)
        announce('It is sent again.')
      }),
    )
    const count = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return element('li', {}, `${when}: `, foreign(what), ` (${state}, ${count}) `, state === 'pending' ? null : again)
  }
}

/** What is known of the target, in a sentence. @param {Watch} watch */
function standing({ stopped, last_failure, last_result, next_check_at }) {
  const next = next_check_at === null ? '' : ` Next check: ${moment(next_check_at)}.`
  if (stopped !== null) return 'Stopped: the receiver says that it is gone (410).'
  if (last_failure !== null) return `Not checked on ${moment(last_failure.at)}: ${last_failure.code}.${next}`
  if (last_result === null) return 'Not checked yet.'
  const { recommendation, verdict, risk_score, checked_at } = last_result
  return `${recommendation} (${verdict}, ${risk_score} of 100) on ${moment(checked_at)}.${next}`
}
