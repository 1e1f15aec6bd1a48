// Look-alikes of a name, shown as they are judged, the most serious first. Loaded when it is opened.
import { Failure, troubleOf } from './check.js'
import { byId, element, foreign } from './element.js'
import { explain } from './problems.js'
import { recommendationName } from './verdicts.js'

/**
 * @typedef {object} Lookalike
 * @property {string} name
 * @property {string} unicode
 * @property {string} kind
 * @property {boolean | null} mail
 * @property {{ readonly result_id: string | null, readonly risk_score: number, readonly recommendation: 'allow' | 'review' | 'block', readonly title: string | null } | null} result
 * @property {{ readonly code: string } | null} error
 * @property {Readonly<Record<string, boolean | null>> | null} shared
 */

/**
 * @typedef {object} Counts
 * @property {number} asked
 * @property {number} existing
 * @property {number} judged
 */

/** @typedef {{ lookalike?: Lookalike, progress?: Counts, summary?: Counts & { readonly ended: string, readonly ranking: readonly string[] } }} Line */

/** @typedef {(message: string) => void} Announce */

/** What a look-alike shares with the original, in words. @type {Readonly<Record<string, string>>} */
const SHARED_TRAITS = {
  title: 'the same title',
  icon: 'the same icon',
  form_target: 'a form target in common',
  redirects_to: 'leads to the original',
  redirected_from: 'the original leads to it',
  name_servers: 'a name server in common',
}

/** Look-alikes that are judged: each counts against the quota. */
const JUDGEMENTS = 25

/** Fills `place` with a form that searches with the key that `keyOf` returns. */
export class LookalikesPage {
  #keyOf
  #announce
  #domain = element('input', {
    id: 'lookalikes-domain',
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    maxlength: 260,
    placeholder: 'example.com',
  })
  #start = element('button', { type: 'submit', class: 'primary' }, 'Find look-alikes')
  #stop = element('button', { type: 'button', class: 'quiet', hidden: true }, 'Stop')
  #form = element(
    'form',
    { class: 'watch-form', novalidate: true, 'aria-label': 'Find look-alikes' },
    element('div', { class: 'field' }, element('label', { for: 'lookalikes-domain' }, 'Your name'), this.#domain),
    this.#start,
    this.#stop,
  )
  #problem = element('div', { role: 'alert' })
  #counts = element('p', { class: 'note', id: 'lookalikes-counts' })
  #list = element('ol', { class: 'watch-list', 'aria-label': 'Look-alikes' })
  /** @type {AbortController | null} */
  #running = null

  /**
   * @param {HTMLElement} place
   * @param {() => string} keyOf
   * @param {Announce} announce
   */
  constructor(place, keyOf, announce) {
    this.#keyOf = keyOf
    this.#announce = announce
    document.head.append(element('link', { rel: 'stylesheet', href: '/assets/watches.css' }))
    this.#domain.value = /** @type {HTMLInputElement} */ (byId('target')).value
    place.replaceChildren(
      element(
        'p',
        {},
        `Finds look-alikes of your name: typing errors, letters that look alike, lure words, other endings. DNS shows which exist; the likeliest ${JUDGEMENTS} are judged, and each judgement counts against your quota. It takes some minutes.`,
      ),
      this.#form,
      this.#problem,
      this.#counts,
      this.#list,
    )
    this.#stop.addEventListener('click', () => this.#running?.abort())
    this.#form.addEventListener('submit', event => {
      event.preventDefault()
      if (this.#running === null) void this.#search()
    })
  }

  async #search() {
    const lifetime = new AbortController()
    this.#running = lifetime
    this.#problem.replaceChildren()
    this.#list.replaceChildren()
    this.#counts.textContent = 'Searching.'
    this.#start.disabled = true
    this.#stop.hidden = false
    try {
      await this.#read(lifetime.signal)
    } catch (error) {
      if (lifetime.signal.aborted) this.#counts.textContent = 'Stopped.'
      else {
        const trouble = (error instanceof Failure ? error : new Failure({ code: 'no-answer' })).trouble
        const { title, advice } = explain(trouble, Date.now())
        this.#problem.replaceChildren(
          element(
            'p',
            { class: 'note' },
            `${title}. ${advice} `,
            trouble.detail === '' ? null : foreign(trouble.detail),
          ),
        )
        this.#counts.textContent = ''
      }
    } finally {
      this.#running = null
      this.#start.disabled = false
      this.#stop.hidden = true
    }
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    if (this.#keyOf() === '') throw new Failure({ code: 'missing-api-key' })
    const parameters = new URLSearchParams({ domain: this.#domain.value.trim(), judge: String(JUDGEMENTS) })
    const response = await fetch(`/api/v1/lookalikes?${parameters}`, {
      headers: { 'X-API-Key': this.#keyOf() },
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
    if (!response.ok || response.body === null) throw new Failure(await troubleOf(response))
    /** @type {Map<string, HTMLElement>} */
    const items = new Map()
    let isWhole = false
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) {
        const line = /** @type {Line} */ (JSON.parse(text))
        if (line.lookalike !== undefined) {
          const item = itemOf(line.lookalike)
          items.set(line.lookalike.name, item)
          this.#list.append(item)
        }
        const count = line.progress ?? line.summary
        if (count !== undefined)
          this.#counts.textContent = `${count.asked} names asked, ${count.existing} exist, ${count.judged} judged.`
        if (line.summary === undefined) continue
        isWhole = line.summary.ended === 'whole'
        this.#list.append(...line.summary.ranking.flatMap(name => items.get(name) ?? []))
        this.#announce(`${line.summary.existing} look-alikes exist.`)
      }
    }
    if (!isWhole)
      this.#problem.replaceChildren(element('p', { class: 'note' }, 'The search ended early; names are missing.'))
  }
}

/** @param {Lookalike} lookalike */
function itemOf({ name, unicode, kind, mail, result, error, shared }) {
  const words = [
    kind.replace('_', ' '),
    ...Object.entries(SHARED_TRAITS).flatMap(([what, text]) => (shared?.[what] === true ? [text] : [])),
    ...(mail === true ? ['receives mail'] : []),
  ]
  const judgement =
    result === null
      ? (error?.code ?? 'not judged')
      : `${recommendationName[result.recommendation]}, ${result.risk_score} of 100`
  const label = unicode === name ? [foreign(name)] : [foreign(unicode), ' (', foreign(name), ')']
  const link =
    result?.result_id == null ? null : element('a', { href: `/#result=${result.result_id}` }, 'Open the result')
  return element(
    'li',
    {},
    element('p', {}, element('strong', {}, ...label), `: ${judgement}`),
    element(
      'p',
      { class: 'note' },
      `${words.join(', ')} `,
      result?.title == null ? null : foreign(result.title),
      ' ',
      link,
    ),
  )
}
