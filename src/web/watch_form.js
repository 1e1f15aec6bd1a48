// The form that adds watches: names, interval and receiver.
import { byId, element } from './element.js'

/**
 * @typedef {object} Asked
 * @property {readonly string[]} targets
 * @property {string} every
 * @property {string} notify
 * @property {string} format
 * @property {boolean} digest
 * @property {boolean} lookalikes
 */

const INTERVALS = /** @type {const} */ ([
  ['1h', 'every hour'],
  ['6h', 'every 6 hours'],
  ['1d', 'every day'],
  ['7d', 'every week'],
])

const FORMATS = /** @type {const} */ ([
  ['json', 'signed JSON'],
  ['slack', 'Slack message'],
  ['teams', 'Teams message'],
  ['discord', 'Discord message'],
  ['ntfy', 'ntfy notification'],
  ['matrix', 'Matrix message'],
  ['email', 'e-mail'],
])

/** @type {(format: string) => string} */
export const formatName = format => FORMATS.find(([name]) => name === format)?.[1] ?? format

/** Receivers by which the format is recognised. */
const RECEIVERS = /** @type {const} */ ([
  [/^mailto:/i, 'email'],
  [/^https:\/\/hooks\.slack\.com\//i, 'slack'],
  [/^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\//i, 'discord'],
  [/^https:\/\/ntfy\.sh\//i, 'ntfy'],
  [/^https:\/\/[\w.-]+\.(?:webhook\.office|logic\.azure|powerplatform)\.com[:/]/i, 'teams'],
])

/** The format that a receiver takes; null where its address does not say. @param {string} notify */
export const formatFor = notify => RECEIVERS.find(([address]) => address.test(notify.trim()))?.[1] ?? null

/** The names in a text, each once. @param {string} text */
export const namesIn = text => [...new Set(text.split(/[\s,;]+/).filter(name => name !== ''))]

/** @type {(id: string, label: string, control: HTMLElement) => HTMLElement} */
const field = (id, label, control) => element('div', { class: 'field' }, element('label', { for: id }, label), control)

/** @type {(id: string, choices: readonly (readonly [string, string])[], chosen?: string) => HTMLSelectElement} */
const select = (id, choices, choice = '') =>
  element(
    'select',
    { id },
    ...choices.map(([value, name]) => element('option', { value, selected: value === choice }, name)),
  )

/** @type {(id: string, label: string) => readonly [HTMLElement, HTMLInputElement]} */
function checkbox(id, label) {
  const box = element('input', { id, type: 'checkbox' })
  return [element('p', { class: 'note' }, element('label', {}, box, ` ${label}`)), box]
}

const INPUT_ATTRIBUTES = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true }

/**
 * `add` is given what was filled in, and says whether it was accepted.
 * @param {(asked: Asked) => Promise<boolean>} add
 */
export function watchForm(add) {
  const targets = element('textarea', { ...INPUT_ATTRIBUTES, id: 'watch-target', rows: 1, maxlength: 30_000 })
  const notify = element('input', {
    ...INPUT_ATTRIBUTES,
    id: 'watch-notify',
    type: 'text',
    maxlength: 2048,
    placeholder: 'https:// or mailto:',
  })
  const [every, format] = [select('watch-every', INTERVALS, '6h'), select('watch-format', FORMATS)]
  const [digestLine, digest] = checkbox('watch-digest', 'Collect changes, and send them once a day')
  const [lookalikesLine, lookalikes] = checkbox('watch-lookalikes', 'Report new look-alikes of the name')
  targets.value = /** @type {HTMLInputElement} */ (byId('target')).value
  notify.addEventListener('input', () => {
    format.value = formatFor(notify.value) ?? format.value
  })
  const form = element(
    'form',
    { class: 'watch-form', novalidate: true, 'aria-label': 'Add watches' },
    field('watch-target', 'Names, one a line', targets),
    field('watch-every', 'Check', every),
    field('watch-notify', 'Send to', notify),
    field('watch-format', 'As', format),
    element('div', { class: 'choices' }, digestLine, lookalikesLine),
    element('button', { type: 'submit', class: 'primary' }, 'Add watch'),
  )
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const isAdded = await add({
      targets: namesIn(targets.value),
      every: every.value,
      notify: notify.value.trim(),
      format: format.value,
      digest: digest.checked,
      lookalikes: lookalikes.checked,
    })
    if (isAdded) notify.value = ''
  })
  return form
}
