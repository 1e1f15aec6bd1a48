// The page: input, the running check, and its outcome. Reports are only in the page's memory, each under its own URL.
import { check, Failure } from './check.js'
import { byId, element, foreign } from './element.js'
import { keptResults, permalinkOf } from './kept_results.js'
import { keepKey } from './key.js'
import { linkChoices } from './link.js'
import { explain } from './problems.js'
import { progressList, runClock } from './progress.js'
import { reportContent } from './report.js'
import { fragmentOf, nameWithin, shortName, targetIn, targetOf } from './target.js'
import { rangeList, recommendationName } from './verdicts.js'

/** @typedef {import('./target.js').Target} Target */
/** @typedef {import('./check.js').Quota} Quota */

/** @type {import('./result.js').PageData} */
const { verdicts, titles } = JSON.parse(byId('data').textContent)
const [target, key] = [/** @type {HTMLInputElement} */ (byId('target')), /** @type {HTMLInputElement} */ (byId('key'))]
const [progress, problem, outcome, targets] = ['progress', 'problem', 'report', 'targets'].map(id => byId(id))
const panels = [byId('about'), progress, problem, outcome, targets]

const announce = (/** @type {string} */ message) => {
  byId('status').textContent = message
}
const progressing = progressList(byId('steps'), byId('waiting'), titles, announce)
const link = linkChoices(target, announce, checkValue)
const title = document.title
const store = keptResults(() => key.value.trim())

/** The running check. @type {AbortController | null} */
let running = null

/** Number of reports kept for the Back button; a few megabytes at most. */
const MAX_REPORTS = 30

/** The last answer of each URL fragment, least recently used first. @type {Map<string, import('./result.js').Answer>} */
const results = new Map()

/**
 * The checked links by the fragment that stands for each, because browsers keep URLs, and a link may hold a token.
 * @type {Map<string, Target>}
 */
const links = new Map()
let linksSoFar = 0

/** @param {Target} subject */
function fragmentFor(subject) {
  if (subject.name !== 'url') return fragmentOf(subject.value)
  const fragment = `${LINK}${++linksSoFar}`
  links.set(fragment, subject)
  for (const oldest of [...links.keys()].slice(0, -MAX_REPORTS)) links.delete(oldest)
  return fragment
}

const LINK = '#link-'
const RESULT = '#result='
const SHARE = '#shared='
const MY_TARGETS = '#my-targets'
/** @param {string} fragment */
const isKept = fragment => fragment.startsWith(RESULT) || fragment.startsWith(SHARE)

/** The fragment of the report, progress or problem that is shown; empty at the start. */
let current = ''

/** @param {HTMLElement | undefined} panel the only one shown */
function show(panel) {
  for (const field of [target, key]) field.removeAttribute('aria-invalid')
  for (const one of panels) if (one) one.hidden = one !== panel
  // Without a key the whole form stays, because the page of targets needs it.
  const isCompact = panel === outcome || (panel === targets && key.value.trim() !== '')
  document.body.classList.toggle('reported', isCompact)
}

/** @param {Target} subject @param {AbortController} control @param {boolean} fresh */
async function follow(subject, control, fresh) {
  for await (const event of check(subject, key.value.trim(), control.signal, fresh)) {
    if (event.kind === 'sections') progressing.begin(event.sections)
    else if (event.kind === 'section') progressing.finish(event.section, event)
    else return event
  }
  throw new Failure({ code: 'cut-off' })
}

/** @param {Target} subject @param {boolean} fresh whether a cached result does not do */
async function run(subject, fresh = false) {
  running?.abort()
  const control = new AbortController()
  running = control
  byId('progress-title').replaceChildren('Checking ', foreign(subject.value))
  progressing.wait()
  const stopClock = runClock(byId('clock'))
  show(progress)
  announce(`Checking ${shortName(subject)}.`)
  try {
    const fragment = fragmentFor(subject)
    enter(fragment)
    const { answer, quota } = await follow(subject, control, fresh)
    if (running === control) reportOn({ subject, fragment }, answer, quota)
  } catch (error) {
    if (running === control) refuse(error, subject)
  } finally {
    stopClock()
    if (running === control) running = null
  }
}

/** Sets the fragment of the URL. @param {string} fragment */
function enter(fragment) {
  if (location.hash !== fragment) history.pushState({ shows: fragment }, '', fragment)
  current = fragment
}

/**
 * @param {{ readonly subject: Target, readonly fragment: string }} place
 * @param {import('./result.js').Answer} answer
 * @param {Quota | null} quota null if it may have changed since
 */
function reportOn({ subject, fragment }, answer, quota) {
  const result = /** @type {import('./result.js').Result} */ (JSON.parse(answer.text))
  const report = /** @type {import('./result.js').Report} */ (JSON.parse(answer.report))
  results.delete(fragment)
  results.set(fragment, answer)
  for (const oldest of [...results.keys()].slice(0, -MAX_REPORTS)) results.delete(oldest)
  const isShared = fragment.startsWith(SHARE)
  const children = reportContent(report, answer.text, {
    link: linkTo(result, subject, fragment),
    quota,
    verdicts,
    announce,
    store: isShared ? null : store,
    picture: isShared ? (_, kind) => store.sharedPicture(fragment.slice(SHARE.length), kind) : store.picture,
    tables: null,
    keyOf: isShared ? null : () => key.value.trim(),
    again: isShared ? null : () => run(subject, true),
  })
  outcome?.replaceChildren(...children.filter(child => child !== null))
  show(outcome)
  const { recommendation, reason, verdict, score } = report
  const name = recommendationName[recommendation]
  const short = shortName(subject)
  document.title = `${name} (${verdict}, ${score}): ${short} – assay`
  announce(`${short}: ${name}. ${reason} Verdict ${verdict}, risk score ${score} of 100.`)
  byId('report-title').focus()
}

/**
 * The link to the result if it is kept, otherwise to this page with the target (results of e-mail addresses are never kept); null
 * for a checked link.
 * @type {(result: import('./result.js').Result, asked: Target, fragment: string) => string | null}
 */
function linkTo({ result_id }, subject, fragment) {
  if (subject.name === 'url') return null
  return result_id == null || subject.name === 'email' || fragment.startsWith(SHARE)
    ? new URL(fragment, location.href).href
    : permalinkOf(result_id)
}

/**
 * Opens a kept result: one of the key's account, or one behind a link, for which no key is needed.
 * @param {string} fragment
 */
async function openKept(fragment) {
  const isShared = fragment.startsWith(SHARE)
  const id = targetIn(fragment).slice((isShared ? SHARE : RESULT).length - 1)
  enter(fragment)
  try {
    const answer = await (isShared ? store.shared(id) : store.result(id))
    if (current !== fragment) return
    const { domain, ip } = /** @type {import('./result.js').Result} */ (JSON.parse(answer.text))
    const subject = targetOf(domain ?? ip ?? '')
    if (subject === null) throw new Failure({ code: 'unreadable' })
    target.value = subject.value
    link.update()
    reportOn({ subject, fragment }, answer, null)
  } catch (error) {
    if (current === fragment) refuse(error, null)
  }
}

/** @param {unknown} error @param {Target | null} subject */
function refuse(error, subject) {
  const trouble = error instanceof Failure ? error.trouble : new Failure({ code: 'unreadable' }).trouble
  const { title: heading, advice, field } = explain(trouble, Date.now())
  const within = field === 'target' && subject !== null ? nameWithin(subject.value) : null
  byId('problem-title').textContent = heading
  byId('problem-text').replaceChildren(
    element('p', {}, advice),
    ...(trouble.detail === '' ? [] : [element('p', {}, 'The service says: ', foreign(trouble.detail))]),
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

/** Offers the name found in pasted text; it is used only if the user accepts it. @param {string} name */
function offer(name) {
  const button = element('button', { type: 'button', class: 'primary' }, 'Check ', foreign(name))
  button.addEventListener('click', () => checkValue(name))
  return element('p', {}, button)
}

/** @param {string} value */
function checkValue(value) {
  target.value = value
  link.update()
  submit()
}

function submit() {
  const subject = targetOf(target.value, link.mayVisit())
  if (subject === null && isKept(current)) return void openKept(current)
  if (subject === null) return refuse(new Failure({ code: 'missing-target' }), null)
  if (key.value.trim() === '') return refuse(new Failure({ code: 'missing-api-key' }), subject)
  target.value = subject.value
  link.update()
  void run(subject)
}

function stop() {
  running?.abort()
  running = null
  start()
  announce('Stopped. The check still counts against the quota.')
  target.focus()
}

function start() {
  show(byId('about'))
  document.title = title
}

/** What is shown of my targets; null until its module is loaded. @type {Promise<import('./targets.js').TargetsPage> | null} */
let targetsPage = null

async function openTargets() {
  enter(MY_TARGETS)
  show(targets)
  document.title = 'My targets – assay'
  targetsPage ??= import('./targets.js').then(
    ({ TargetsPage }) => new TargetsPage(byId('targets'), () => key.value.trim(), announce),
  )
  const page = await targetsPage
  if (current !== MY_TARGETS) return
  byId('targets-title').focus()
  await page.load()
}

/**
 * Shows what belongs to the URL, for example after Back: its report, otherwise the form with its target. Only the button
 * starts a check, because a check counts against the quota. Links to a part of this page change nothing.
 */
function followUrl() {
  const linkedTarget = targetIn(location.hash)
  if (history.state === null && linkedTarget !== '' && document.getElementById(linkedTarget) !== null)
    history.replaceState({ shows: current }, '')
  const fragment = history.state?.shows ?? location.hash
  if (fragment === current) return
  running?.abort()
  running = null
  current = fragment
  if (fragment === MY_TARGETS) return void openTargets()
  if (isKept(fragment) && !results.has(fragment)) {
    target.value = ''
    link.update()
    return void openKept(fragment)
  }
  const subject = links.get(fragment) ?? askedIn(fragment)
  target.value = subject?.value ?? ''
  link.update()
  const answer = results.get(fragment)
  if (subject === null || answer === undefined) start()
  else reportOn({ subject, fragment }, answer, null)
}

/** The target of a fragment; null for a link, because no URL holds its target. @param {string} fragment */
function askedIn(fragment) {
  const answer = results.get(fragment)
  if (!isKept(fragment) || answer === undefined) return targetOf(fragment.startsWith(LINK) ? '' : targetIn(fragment))
  const { domain, ip } = /** @type {import('./result.js').Result} */ (JSON.parse(answer.text))
  return targetOf(domain ?? ip ?? '')
}

/** Paper has all that is to be done and every finding that counts; of the rest it has what the reader opened. */
function unfold() {
  for (const details of document.querySelectorAll('.owner details, .why .rest')) details.setAttribute('open', '')
}

byId('ranges').append(...rangeList(verdicts))
byId('form').addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
byId('lookalikes').addEventListener(
  'toggle',
  async () => {
    const { LookalikesPage } = await import('./lookalikes.js')
    new LookalikesPage(byId('lookalikes-content'), () => key.value.trim(), announce)
  },
  { once: true },
)
byId('watches').addEventListener(
  'toggle',
  async () => {
    const { WatchesPage } = await import('./watches.js')
    new WatchesPage(byId('watches-content'), () => key.value.trim(), announce)
  },
  { once: true },
)
// The URL stays the same when a problem is shown in place of the targets.
byId('my-targets-link').addEventListener('click', () => current === MY_TARGETS && void openTargets())
byId('stop').addEventListener('click', stop)
keepKey(key, announce)
window.addEventListener('hashchange', followUrl)
window.addEventListener('beforeprint', unfold)
followUrl()
