// The page of my targets: watched names and lists of names, each with what its last results say. Nothing is checked here. Loaded
// when it is opened.
import { changesBetween, neighbours } from './changes.js'
import { Failure } from './check.js'
import { forEachAtMost } from './concurrency.js'
import { downloadText } from './copy_and_download.js'
import { csv } from './csv.js'
import { dateTime, day } from './dates.js'
import { element, foreign } from './element.js'
import { createAsk, keptResults, permalinkOf } from './kept_results.js'
import { explain } from './problems.js'
import { sparkline } from './score_chart.js'
import { fragmentOf, targetOf } from './target.js'
import { LONGEST, readNames, storedLists, storeLists } from './target_lists.js'
import {
  changeWords,
  expiryWords,
  factsOf,
  matches,
  ORDER_NAMES,
  STATE_NAMES,
  sortOverviews,
  tableRows,
  WATCHED_LIST,
} from './target_overview.js'
import { recommendationName } from './verdicts.js'

/** @typedef {import('./target_overview.js').Overview} Overview */
/** @typedef {import('./watches.js').Watch} Watch */

/** Targets that are loaded at once. */
const AT_ONCE = 4
/** Pairs of results in which the last change of a target is looked for. */
const MAX_PAIRS = 3
/** Times that a request is repeated when the key may not ask so often, and most seconds between two. */
const REPEATS = 5
const LONGEST_WAIT = 10
/** Milliseconds between two drawings while targets load. */
const REDRAW = 250
/** Facts of kept results in memory: these results never change. */
const MAX_FACTS = 2_000

const ANNOUNCEMENT = { class: 'note', role: 'status' }
const TONES = { allow: 'good', review: 'doubtful', block: 'bad' }

/** @param {unknown} error */
function reasonOf(error) {
  const { trouble } = error instanceof Failure ? error : new Failure({ code: 'unreadable' })
  return explain(trouble, Date.now()).title
}

/** Repeats `ask` while the service says to wait. @template Answer @param {() => Promise<Answer>} ask */
async function patiently(ask) {
  for (let again = 0; ; again++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Failure) || error.trouble.code !== 'rate-limited' || again === REPEATS) throw error
      const seconds = Math.min(error.trouble.retry_after ?? 1, LONGEST_WAIT)
      await new Promise(resolve => setTimeout(resolve, seconds * 1_000))
    }
  }
}

/** Fills `place`. */
export class TargetsPage {
  #keyOf
  #announce
  #kept
  #ask
  /** By target. @type {Map<string, Overview>} */
  #overviews = new Map()
  #lists = storedLists()
  /** Counts loads: a later one ends an earlier one. */
  #loads = 0
  /** The key that the overviews are of. */
  #loadedWith = ''
  /** @type {readonly Watch[]} */
  #watches = []
  /** @type {Map<string, import('./target_overview.js').Facts>} */
  #facts = new Map()
  /** The cards as they are drawn. @type {Map<string, { overview: Overview, card: HTMLElement }>} */
  #cards = new Map()
  #text = element('input', { id: 'targets-text', type: 'search', autocomplete: 'off', spellcheck: 'false' })
  #group = element('select', { id: 'targets-group' })
  #state = choice('targets-state', STATE_NAMES)
  #order = choice('targets-order', ORDER_NAMES)
  #standing = element('p', ANNOUNCEMENT)
  #grid = element('ul', { class: 'target-cards', 'aria-label': 'My targets' })
  #reload = button('Load again', () => void this.#start(true))
  #download

  /**
   * @param {HTMLElement} place
   * @param {() => string} keyOf
   * @param {(message: string) => void} announce
   */
  constructor(place, keyOf, announce) {
    this.#keyOf = keyOf
    this.#announce = announce
    this.#kept = keptResults(keyOf)
    this.#ask = createAsk(keyOf)
    this.#download = button('Export as CSV', () => {
      const now = Date.now()
      downloadText(csv(tableRows(this.#shownNow(now), now, permalinkOf)), 'assay-targets.csv', 'text/csv')
      this.#announce('The table is downloaded.')
    })
    document.head.append(element('link', { rel: 'stylesheet', href: '/assets/targets.css' }))
    for (const one of [this.#text, this.#group, this.#state, this.#order])
      one.addEventListener('input', () => this.#draw())
    place.replaceChildren(
      element('h2', { id: 'targets-title', tabindex: -1 }, 'My targets'),
      element(
        'p',
        {},
        'The names that your account watches, and your lists of names, each with its last result. Opening this page checks nothing and counts against no quota.',
      ),
      new Lists(this.#lists, next => {
        this.#lists = next
        this.#drawGroups()
        void this.#start(false)
      }).part,
      element(
        'div',
        { class: 'targets-controls', role: 'group', 'aria-label': 'What is shown' },
        field('Filter by text', this.#text),
        field('Targets', this.#group),
        field('Show', this.#state),
        field('Sort by', this.#order),
        element('p', { class: 'actions' }, this.#reload, this.#download),
      ),
      this.#standing,
      this.#grid,
    )
    this.#drawGroups()
  }

  // Loading.

  /** Every target once, with the groups that it is in. */
  #wanted() {
    /** @type {Map<string, string[]>} */
    const groups = new Map()
    const add = (/** @type {string} */ target, /** @type {string} */ name) => {
      const members = groups.get(target) ?? []
      if (!members.includes(name)) groups.set(target, [...members, name])
    }
    for (const { target } of this.#watches) add(target, WATCHED_LIST)
    for (const { name, targets } of this.#lists) for (const target of targets) add(target, name)
    return groups
  }

  /** Takes over what is known of targets that stay. */
  #arrange() {
    this.#overviews = new Map(
      [...this.#wanted()].map(([target, groups]) => [
        target,
        { ...(this.#overviews.get(target) ?? empty(target)), groups },
      ]),
    )
  }

  /** @param {boolean} renew whether what is known is loaded again */
  async #start(renew) {
    const key = this.#keyOf()
    const again = renew || key !== this.#loadedWith
    if (key !== this.#loadedWith) {
      ;[this.#watches, this.#loadedWith] = [[], key]
      this.#overviews = new Map()
    }
    const current = ++this.#loads
    if (key === '') {
      this.#arrange()
      this.#standing.textContent = 'Enter your API key above, and load again.'
      return this.#draw()
    }
    let trouble = ''
    if (again) {
      this.#standing.textContent = 'Loading.'
      try {
        ;({ watches: this.#watches } = JSON.parse(await patiently(() => this.#ask('/api/v1/watches'))))
      } catch (error) {
        trouble = `Watched names are missing: ${reasonOf(error)}. `
      }
      if (current !== this.#loads) return
    }
    this.#arrange()
    const missing = [...this.#overviews.values()].filter(({ loaded }) => again || !loaded)
    this.#draw()
    let [doneCount, drawTime] = [0, Date.now()]
    await forEachAtMost(missing, AT_ONCE, async ({ target, groups }) => {
      if (current !== this.#loads) return
      const overview = await this.#overviewOf(target)
      if (current !== this.#loads) return
      this.#overviews.set(target, { ...overview, groups })
      doneCount++
      if (Date.now() - drawTime < REDRAW && doneCount < missing.length) return
      this.#standing.textContent = `${doneCount} of ${missing.length} loaded.`
      drawTime = Date.now()
      this.#draw()
    })
    if (current === this.#loads) this.#standing.textContent = trouble + this.#counts()
  }

  /** At most one request for the history, one for the last result, and `MAX_PAIRS` comparisons. @type {(target: string) => Promise<Overview>} */
  async #overviewOf(target) {
    const overview = empty(target)
    try {
      const isAddress = targetOf(target)?.name === 'ip'
      const name = isAddress ? { domain: null, ip: target } : { domain: target, ip: null }
      const { results } = await patiently(() => this.#kept.history(name))
      const last = results[0]
      const pairs = neighbours(results).slice(0, MAX_PAIRS)
      return {
        target,
        groups: [],
        results,
        compared: pairs.length,
        trouble: this.#watchTrouble(target),
        loaded: true,
        facts: last?.kept ? await this.#factsOfResult(last.result_id) : null,
        last_change: await this.#lastChange(pairs),
      }
    } catch (error) {
      return { ...overview, trouble: reasonOf(error), loaded: true }
    }
  }

  /** @param {string} id */
  async #factsOfResult(id) {
    const facts = this.#facts.get(id) ?? factsOf(JSON.parse(await patiently(() => this.#kept.json(id))))
    this.#facts.set(id, facts)
    for (const oldest of [...this.#facts.keys()].slice(0, -MAX_FACTS)) this.#facts.delete(oldest)
    return facts
  }

  /** @type {(pairs: ReturnType<typeof neighbours>) => Promise<Overview['last_change']>} */
  async #lastChange(pairs) {
    for (const { from, to } of pairs) {
      const changes = await patiently(() => changesBetween(this.#kept, from.result_id, to.result_id))
      if (changes.length > 0) return { at: to.checked_at, changes }
    }
    return null
  }

  /** Why a watch of the target does not check. @param {string} target */
  #watchTrouble(target) {
    for (const { stopped, last_failure } of this.#watches.filter(one => one.target === target)) {
      if (stopped !== null) return 'The watch has stopped: the receiver says that it is gone (410)'
      if (last_failure !== null)
        return `The watch did not get a result on ${day(last_failure.at)}: ${last_failure.code}`
    }
    return null
  }

  // What is shown.

  /** @param {number} now */
  #shownNow(now) {
    const filter = { text: this.#text.value, group: this.#group.value, state: this.#state.value }
    return sortOverviews(
      [...this.#overviews.values()].filter(one => matches(one, filter, now)),
      this.#order.value,
    )
  }

  #counts() {
    const all = this.#overviews.size
    if (all === 0) return 'Nothing is watched, and there is no list yet. Add a list above, or a watch below.'
    const shownCount = this.#shownNow(Date.now()).length
    return `${all} ${all === 1 ? 'target' : 'targets'}, ${shownCount === all ? 'all' : shownCount} shown.`
  }

  #drawGroups() {
    const groupName = this.#group.value
    const names = [WATCHED_LIST, ...this.#lists.map(({ name }) => name)]
    this.#group.replaceChildren(
      element('option', { value: '' }, 'All'),
      ...names.map(name => element('option', { value: name }, name)),
    )
    this.#group.value = names.includes(groupName) ? groupName : ''
  }

  #draw() {
    const now = Date.now()
    const focusedElement = document.activeElement instanceof HTMLElement ? document.activeElement : null
    const overviews = this.#shownNow(now)
    this.#grid.replaceChildren(...overviews.map(one => this.#cardOf(one, now)))
    // A card that moves loses the focus.
    if (focusedElement?.isConnected && this.#grid.contains(focusedElement)) focusedElement.focus()
    this.#download.disabled = overviews.length === 0
    if ([...this.#overviews.values()].every(({ loaded }) => loaded) && this.#loadedWith !== '')
      this.#standing.textContent = this.#counts()
  }

  /** @type {(overview: Overview, now: number) => HTMLElement} */
  #cardOf(overview, now) {
    const drawnCard = this.#cards.get(overview.target)
    if (drawnCard?.overview === overview) return drawnCard.card
    const card = makeCard(overview, now)
    this.#cards.set(overview.target, { overview, card })
    return card
  }

  /** Loads what is not loaded yet. */
  load() {
    return this.#start(false)
  }
}

/** @type {(target: string) => Overview} */
function empty(target) {
  const none = { results: [], facts: null, last_change: null, compared: 0, trouble: null, loaded: false }
  return { target, groups: [], ...none }
}

/** The lists of names, and the form that keeps one. */
class Lists {
  #lists
  #onChange
  #name = element('input', { id: 'list-name', type: 'text', autocomplete: 'off', maxlength: 60 })
  #names = element('textarea', {
    id: 'list-names',
    rows: 5,
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  #said = element('p', ANNOUNCEMENT)
  #saved = element('ul', { class: 'target-lists', 'aria-label': 'Lists' })
  #form = element(
    'form',
    { class: 'list-form', novalidate: true, 'aria-label': 'A list of names' },
    field('Name of the list', this.#name),
    field(`Names and addresses, at most ${LONGEST}`, this.#names),
    element('button', { type: 'submit', class: 'primary' }, 'Keep list'),
  )
  part = element(
    'details',
    { class: 'lists' },
    element('summary', {}, 'Lists of names'),
    element(
      'p',
      { class: 'note' },
      'Paste names from anywhere: lines, columns of a spreadsheet, links. The names of a list are stored in this browser only (local storage) until you remove the list; nothing else is. Anyone who uses this browser can read them here. This page requests the kept results of these names from the service, with your key.',
    ),
    this.#saved,
    this.#form,
    this.#said,
  )

  /**
   * @param {import('./target_lists.js').TargetList[]} lists
   * @param {(lists: import('./target_lists.js').TargetList[]) => void} onChange
   */
  constructor(lists, onChange) {
    this.#lists = lists
    this.#onChange = onChange
    this.#form.addEventListener('submit', event => {
      event.preventDefault()
      const { targets, left } = readNames(this.#names.value)
      const title = this.#name.value.trim() || 'My list'
      if (targets.length === 0) {
        this.#said.textContent = 'There is no name or address in this text.'
        return this.#names.focus()
      }
      const note = left.length === 0 ? '' : ` Left out: ${left.slice(0, 5).join(', ')}${left.length > 5 ? ', …' : ''}.`
      if (this.#change([...this.#lists.filter(one => one.name !== title), { name: title, targets }]))
        this.#said.replaceChildren(`${targets.length} in the list “`, foreign(title), '”.', foreign(note))
      ;[this.#name.value, this.#names.value] = ['', '']
    })
    this.#fill()
  }

  /** @param {import('./target_lists.js').TargetList[]} next */
  #change(next) {
    this.#lists = next
    const isStored = storeLists(this.#lists)
    if (!isStored) this.#said.textContent = 'This browser keeps no lists: they are gone when you leave this page.'
    this.#fill()
    this.#onChange(next)
    return isStored
  }

  #fill() {
    this.#saved.replaceChildren(
      ...this.#lists.map(list =>
        element(
          'li',
          {},
          foreign(list.name),
          ` (${list.targets.length}) `,
          button(
            'Edit',
            () => {
              ;[this.#name.value, this.#names.value] = [list.name, list.targets.join('\n')]
              this.#names.focus()
            },
            `Edit ${list.name}`,
          ),
          ' ',
          button(
            'Remove',
            () => {
              this.#change(this.#lists.filter(one => one !== list))
              this.#said.replaceChildren('“', foreign(list.name), '” is removed.')
              this.#name.focus()
            },
            `Remove ${list.name}`,
          ),
        ),
      ),
    )
  }
}

/** @type {(label: string, control: HTMLElement) => HTMLElement} */
function field(label, control) {
  return element('div', { class: 'field' }, element('label', { for: control.id }, label), control)
}

/** @type {(id: string, choices: readonly (readonly [string, string])[]) => HTMLSelectElement} */
function choice(id, choices) {
  return element('select', { id }, ...choices.map(([value, name]) => element('option', { value }, name)))
}

/** @type {(label: string, work: () => void, described?: string) => HTMLButtonElement} */
function button(label, work, accessibleName) {
  const node = element(
    'button',
    { type: 'button', class: 'quiet', ...(accessibleName && { 'aria-label': accessibleName }) },
    label,
  )
  node.addEventListener('click', work)
  return node
}

/** @type {(overview: Overview, now: number) => HTMLElement} */
function makeCard(overview, now) {
  const { target, groups, results, facts, last_change, trouble, loaded } = overview
  const last = results[0]
  const oldest = results.at(-1)
  const href = last?.kept ? `#result=${last.result_id}` : fragmentOf(target)
  return element(
    'li',
    { class: `target-card ${last ? TONES[last.recommendation] : 'unknown'}`, 'data-loaded': loaded },
    element(
      'div',
      { class: 'target-head' },
      element('h3', {}, element('a', { href }, foreign(target))),
      last !== undefined && element('p', { class: 'standing' }, recommendationName[last.recommendation]),
    ),
    trouble !== null && element('p', { class: 'note' }, `${trouble}.`),
    last === undefined &&
      trouble === null &&
      element('p', { class: 'note' }, loaded ? 'Not checked by your account yet.' : 'Loading.'),
    last !== undefined &&
      oldest !== undefined &&
      element(
        'div',
        { class: 'target-score' },
        element('p', {}, element('strong', {}, `${last.risk_score}`), ' of 100'),
        sparkline(results),
        element('p', { class: 'note' }, range(results.length, oldest.checked_at, last.checked_at)),
      ),
    last !== undefined &&
      element(
        'dl',
        {},
        element('dt', {}, 'Certificate'),
        element('dd', {}, expiryPart(facts?.certificate, now)),
        element('dt', {}, 'Registration'),
        element('dd', {}, expiryPart(facts?.registration, now)),
        element('dt', {}, 'Last change'),
        element(
          'dd',
          {},
          last_change !== null && `${day(last_change.at)}: `,
          last_change === null
            ? element('span', { class: 'none' }, changeWords(overview))
            : foreign(changeWords(overview)),
        ),
        element('dt', {}, 'Checked'),
        element('dd', {}, dateTime(Date.parse(last.checked_at))),
      ),
    element('p', { class: 'note groups' }, 'In: ', ...groups.flatMap((name, i) => [i > 0 && ', ', foreign(name)])),
  )
}

/** @type {(count: number, from: string, to: string) => string} */
function range(count, from, to) {
  const [first, last] = [day(from), day(to)]
  return count === 1 ? 'One result' : `${count} results, ${first === last ? first : `${first} to ${last}`}`
}

/** @type {(expiry: import('./target_overview.js').Expiry | undefined, now: number) => HTMLElement} */
function expiryPart(expiry, now) {
  if (expiry === undefined) return element('span', { class: 'none' }, 'the result is no longer kept')
  const { words, tone } = expiryWords(expiry, now)
  if (expiry.at === null) return element('span', { class: 'none' }, words)
  return element(
    'span',
    {},
    element('strong', { class: tone === '' ? false : `expiry ${tone}` }, words),
    element('br'),
    day(new Date(expiry.at).toISOString()) ?? '',
  )
}
