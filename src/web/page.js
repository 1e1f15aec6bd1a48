// The page: what is typed, the check under way, and what it ends in. The key lives in its field and nowhere else.
import { check, Failed } from './check.js'
import { byId, element, foreign } from './element.js'
import { explain } from './problems.js'
import { progressList } from './progress.js'
import { report } from './report.js'
import { fragmentOf, nameWithin, targetIn, targetOf } from './target.js'
import { rangeList } from './verdicts.js'

/** @typedef {import('./target.js').Target} Target */

/** @type {import('./result.js').Scoring} */
const scoring = JSON.parse(byId('scoring').textContent)
const [target, key] = [/** @type {HTMLInputElement} */ (byId('target')), /** @type {HTMLInputElement} */ (byId('key'))]
const [progress, problem, outcome] = ['progress', 'problem', 'report'].map(id => byId(id))
const panels = [byId('about'), progress, problem, outcome]

const announce = (/** @type {string} */ message) => {
  byId('status').textContent = message
}
const progressing = progressList(byId('steps'), announce)
const title = document.title

/** The check under way. @type {AbortController | null} */
let running = null

/** @param {HTMLElement | undefined} panel shown alone */
function show(panel) {
  for (const field of [target, key]) field.removeAttribute('aria-invalid')
  for (const one of panels) if (one) one.hidden = one !== panel
}

/** @param {Target} asked @param {AbortController} control */
async function follow(asked, control) {
  for await (const told of check(asked, key.value.trim(), control.signal)) {
    if (told.kind === 'sections') progressing.begin(told.sections)
    else if (told.kind === 'section') progressing.finish(told.section, told)
    else return told
  }
  throw new Failed({ code: 'cut-off' })
}

/** @param {Target} asked */
async function run(asked) {
  running?.abort()
  const control = new AbortController()
  running = control
  byId('progress-title').replaceChildren('Looking at ', foreign(asked.value))
  byId('steps').replaceChildren()
  show(progress)
  announce(`Checking ${asked.value}.`)
  try {
    const { text, quota } = await follow(asked, control)
    if (running === control) reportOn(asked, text, quota)
  } catch (error) {
    if (running === control) refuse(error, asked)
  } finally {
    if (running === control) running = null
  }
}

/** @param {Target} asked @param {string} text @param {import('./check.js').Quota | null} quota */
function reportOn(asked, text, quota) {
  const fragment = fragmentOf(asked.value)
  if (location.hash !== fragment) history.pushState(null, '', fragment)
  const result = /** @type {import('./result.js').Result} */ (JSON.parse(text))
  const children = report(result, text, { link: location.href, quota, scoring, announce })
  outcome?.replaceChildren(...children.filter(child => child !== null))
  show(outcome)
  document.title = `${result.risk_score} ${result.verdict}: ${asked.value} – assay`
  announce(`${asked.value}: ${result.verdict}, risk score ${result.risk_score} of 100.`)
  byId('report-title').focus()
}

/** @param {unknown} error @param {Target | null} asked */
function refuse(error, asked) {
  const trouble = error instanceof Failed ? error.trouble : new Failed({ code: 'unreadable' }).trouble
  const { title: heading, advice, field } = explain(trouble, Date.now())
  const within = field === 'target' && asked !== null ? nameWithin(asked.value) : null
  byId('problem-title').textContent = heading
  byId('problem-text').replaceChildren(
    element('p', {}, advice),
    ...(trouble.detail === '' ? [] : [element('p', { class: 'note' }, 'The service says: ', foreign(trouble.detail))]),
    ...(within === null ? [] : [offer(within)]),
    ...(trouble.request_id === null
      ? []
      : [element('p', { class: 'note' }, 'Reference: ', foreign(trouble.request_id))]),
  )
  show(problem)
  if (field !== null) byId(field).setAttribute('aria-invalid', 'true')
  document.title = title
  announce(heading)
  byId('problem-title').focus()
}

/** What was pasted holds a name: it is offered, never taken unasked. @param {string} name */
function offer(name) {
  const button = element('button', { type: 'button', class: 'primary' }, 'Check ', foreign(name))
  button.addEventListener('click', () => {
    target.value = name
    submit()
  })
  return element('p', {}, button)
}

function submit() {
  const asked = targetOf(target.value)
  if (asked === null) return refuse(new Failed({ code: 'missing-target' }), null)
  if (key.value.trim() === '') return refuse(new Failed({ code: 'missing-api-key' }), asked)
  void run(asked)
}

function stop() {
  running?.abort()
  running = null
  show(byId('about'))
  announce('Stopped. It counts all the same.')
  target.focus()
}

/**
 * A link's target is filled in; only a press checks it, since a check costs one of the quota. A link to a part of this
 * page, as the one past its head, names no target.
 */
function fill() {
  const linked = targetIn(location.hash)
  if (linked !== '' && document.getElementById(linked) === null) target.value = linked
}

function revealKey() {
  const shown = key.type === 'text'
  key.type = shown ? 'password' : 'text'
  byId('show-key').setAttribute('aria-pressed', String(!shown))
}

/** Paper cannot be unfolded. */
function unfold() {
  for (const details of document.querySelectorAll('.card details')) details.setAttribute('open', '')
}

byId('ranges').append(...rangeList(scoring.verdicts))
byId('form').addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
byId('stop').addEventListener('click', stop)
byId('show-key').addEventListener('click', revealKey)
window.addEventListener('hashchange', fill)
window.addEventListener('beforeprint', unfold)
fill()
