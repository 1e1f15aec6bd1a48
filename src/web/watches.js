// Watches: the list, a form that adds some, and for each a test, its deliveries, what it does not report, and its removal. Loaded
// when it is opened.
import { Failure } from './check.js'
import { copyText } from './copy_and_download.js'
import { dateTime } from './dates.js'
import { element, foreign } from './element.js'
import { createAsk } from './kept_results.js'
import { explain } from './problems.js'
import { formatName, watchForm } from './watch_form.js'
import { silencedWords, silences } from './watch_silences.js'

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
 * @property {boolean} lookalikes
 * @property {boolean} digest
 * @property {readonly { readonly matter: string, readonly until: string }[]} silenced
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

/** Looks at a test until its outcome is known, and milliseconds between two. */
const LOOKS = 40
const LOOK = 500

/** @type {(time: string) => string} */
const moment = time => dateTime(Date.parse(time))

/** Fills `place` with the watches of the key that `keyOf` returns. */
export class WatchesPage {
  #announce
  #ask
  #problem = element('div', { role: 'alert' })
  #created = element('div', {})
  #list = element('ul', { class: 'watch-list', 'aria-label': 'Watches' })
  #reload = element('button', { type: 'button', class: 'quiet' }, 'Load my watches')

  /**
   * @param {HTMLElement} place
   * @param {() => string} keyOf
   * @param {Announce} announce
   */
  constructor(place, keyOf, announce) {
    this.#announce = announce
    this.#ask = createAsk(keyOf)
    document.head.append(element('link', { rel: 'stylesheet', href: '/assets/watches.css' }))
    this.#reload.addEventListener('click', () => this.#attempt(() => this.#fill()))
    place.replaceChildren(
      element(
        'p',
        {},
        'A watch checks a name or an address again and again, and sends a webhook or an e-mail when something important changes, and before the certificate, the registration, the DNSSEC signatures or security.txt expires. Each check counts against your quota.',
      ),
      watchForm(request => this.#add(request)),
      this.#problem,
      this.#created,
      element('p', { class: 'actions' }, this.#reload),
      this.#list,
    )
    if (keyOf() !== '') void this.#attempt(() => this.#fill())
  }

  /** @type {(path: string, options?: { method?: string, body?: string }) => Promise<any>} */
  async #call(path, options) {
    return JSON.parse(await this.#ask(`/api/v1/watches${path}`, options))
  }

  /** Runs `work`, and says why it failed. @param {() => Promise<void>} work */
  async #attempt(work) {
    this.#problem.replaceChildren()
    try {
      await work()
    } catch (error) {
      const trouble = (error instanceof Failure ? error : new Failure({ code: 'unreadable' })).trouble
      const { title, advice } = explain(trouble, Date.now())
      this.#problem.replaceChildren(
        element('p', { class: 'note' }, `${title}. ${advice} `, trouble.detail === '' ? null : foreign(trouble.detail)),
      )
    }
  }

  async #fill() {
    const { watches } = await this.#call('')
    this.#list.replaceChildren(...watches.map((/** @type {Watch} */ watch) => this.#line(watch)))
    this.#announce(watches.length === 1 ? 'One watch.' : `${watches.length} watches.`)
  }

  /** @type {(asked: import('./watch_form.js').Asked) => Promise<boolean>} */
  async #add({ targets, ...terms }) {
    let isAdded = false
    await this.#attempt(async () => {
      const [target = ''] = targets
      const watches =
        targets.length > 1
          ? (await this.#call('/many', { method: 'POST', body: JSON.stringify({ targets, ...terms }) })).watches
          : [await this.#call('', { method: 'POST', body: JSON.stringify({ target, ...terms }) })]
      isAdded = true
      this.#created.replaceChildren(
        ...(terms.format === 'json' ? watches.map((/** @type {any} */ watch) => this.#secretLine(watch)) : []),
      )
      await this.#fill()
      const names = watches.length === 1 ? `${watches[0].target} is` : `${watches.length} names are`
      this.#announce(`${names} watched.${terms.format === 'json' ? ' Copy the secret now.' : ''}`)
      this.#created.querySelector('p')?.focus()
    })
    return isAdded
  }

  /** @param {Watch & { readonly secret: string }} watch */
  #secretLine({ target, secret }) {
    const secretText = element('span', { class: 'link' }, secret)
    const copy = element('button', { type: 'button', class: 'quiet' }, 'Copy')
    copy.addEventListener('click', () => copyText(secret, secretText, this.#announce))
    return element(
      'p',
      { class: 'secret', tabindex: -1 },
      'The secret that signs the webhooks of ',
      foreign(target),
      ', shown only now: ',
      secretText,
      ' ',
      copy,
    )
  }

  /** @param {Watch} watch */
  #line(watch) {
    const { watch_id, target, every, notify, format, digest, lookalikes } = watch
    const also = [digest && 'once a day', lookalikes && 'with new look-alikes'].filter(Boolean)
    const outcome = element('div', {})
    /** @type {(name: string, of: string, work: () => Promise<void>) => HTMLElement} */
    const action = (name, of, work) => {
      const button = element(
        'button',
        { type: 'button', class: 'quiet', 'aria-label': `${name} ${of} ${target}` },
        name,
      )
      button.addEventListener('click', () => this.#attempt(work))
      return button
    }
    return element(
      'li',
      {},
      element(
        'p',
        {},
        element('strong', {}, foreign(target)),
        ` every ${every}, to `,
        foreign(notify),
        ` (${[formatName(format), ...also].join(', ')})`,
      ),
      element('p', { class: 'note' }, standing(watch)),
      element(
        'p',
        { class: 'actions' },
        action('Test', 'the watch of', () => this.#test(watch_id, outcome)),
        action('Deliveries', 'of the watch of', () => this.#deliveries(watch_id, outcome)),
        action('Remove', 'the watch of', async () => {
          await this.#call(`/${watch_id}`, { method: 'DELETE' })
          await this.#fill()
          this.#announce(`${target} is no longer watched.`)
          this.#reload.focus()
        }),
      ),
      silences(watch, async (matter, until) => {
        await this.#attempt(async () => {
          await this.#call(`/${watch_id}/silences`, { method: 'POST', body: JSON.stringify({ matter, until }) })
          await this.#fill()
          this.#announce(silencedWords(matter, until))
        })
      }),
      outcome,
    )
  }

  /** @type {(id: string, outcome: HTMLElement) => Promise<void>} */
  async #test(id, outcome) {
    const { delivery_id } = await this.#call(`/${id}/test`, { method: 'POST' })
    this.#say(outcome, 'Sending a test.')
    for (let look = 0; look < LOOKS; look++) {
      await new Promise(resolve => setTimeout(resolve, LOOK))
      const deliveries = /** @type {readonly Delivery[]} */ ((await this.#call(`/${id}/deliveries`)).deliveries)
      const delivery = deliveries.find(one => one.delivery_id === delivery_id)
      if (delivery === undefined || delivery.state === 'pending') continue
      const { state, last_attempt } = delivery
      return this.#say(
        outcome,
        state === 'delivered' ? 'The receiver accepted the test.' : `Not accepted: ${last_attempt?.failure}.`,
      )
    }
    this.#say(outcome, 'There is no answer yet. See its deliveries later.')
  }

  /** @type {(outcome: HTMLElement, text: string) => void} */
  #say(outcome, text) {
    outcome.replaceChildren(element('p', {}, text))
    this.#announce(text)
  }

  /** @type {(id: string, outcome: HTMLElement) => Promise<void>} */
  async #deliveries(id, outcome) {
    const deliveries = /** @type {readonly Delivery[]} */ ((await this.#call(`/${id}/deliveries`)).deliveries)
    if (deliveries.length === 0) return this.#say(outcome, 'Nothing was sent yet.')
    outcome.replaceChildren(element('ul', {}, ...deliveries.map(one => this.#deliveryLine(id, one, outcome))))
    this.#announce(`${deliveries.length} deliveries.`)
  }

  /** @type {(id: string, delivery: Delivery, outcome: HTMLElement) => HTMLElement} */
  #deliveryLine(id, { delivery_id, type, created_at, state, attempts, event }, outcome) {
    const when = moment(created_at)
    const what = type === 'watch.test' ? 'test' : event.data.changes.map(({ message }) => message).join('; ')
    const again = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Send again: ${when}` },
      'Send again',
    )
    again.addEventListener('click', () =>
      this.#attempt(async () => {
        await this.#call(`/${id}/deliveries/${delivery_id}/replay`, { method: 'POST' })
        await this.#deliveries(id, outcome)
        this.#announce('It is sent again.')
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
