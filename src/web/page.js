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

/** @param {Target} checkTarget */
function fragmentFor(checkTarget) {
  if (checkTarget.name !== 'url') return fragmentOf(checkTarget.value)
  const fragment = `${LINK}${++linksSoFar}`
  links.set(fragment, checkTarget)
  for (const oldest of [...links.keys()].slice(0, -MAX_REPORTS)) links.delete(oldest)
  return fragment
}

const LINK = '#link-'
const RESULT = '#result='
const SHARED_PREFIX = '#shared='
const MY_TARGETS = '#my-targets'
/** @param {string} fragment */
const isKept = fragment => fragment.startsWith(RESULT) || fragment.startsWith(SHARED_PREFIX)

/** The fragment of the report, progress or problem that is shown; empty at the start. */
let shownFragment = ''

/** @param {HTMLElement | undefined} panel the only one shown */
function show(panel) {
  for (const field of [target, key]) field.removeAttribute('aria-invalid')
  for (const one of panels) if (one) one.hidden = one !== panel
  // Without a key the whole form stays, because the page of targets needs it.
  const isCompact = panel === outcome || (panel === targets && key.value.trim() !== '')
  document.body.classList.toggle('reported', isCompact)
}

/** @param {Target} checkTarget @param {AbortController} control @param {boolean} fresh */
async function follow(checkTarget, control, fresh) {
  for await (const event of check(checkTarget, key.value.trim(), control.signal, fresh)) {
    if (event.kind === 'sections') progressing.begin(event.sections)
    else if (event.kind === 'section') progressing.finish(event.section, event)
    else return event
  }
  throw new Failure({ code: 'cut-off' })
}

/** @param {Target} checkTarget @param {boolean} fresh whether a cached result does not do */
async function run(checkTarget, fresh = false) {
  running?.abort()
  const control = new AbortController()
  running = control
  byId('progress-title').replaceChildren('Checking ', foreign(checkTarget.value))
  progressing.wait()
  const stopClock = runClock(byId('clock'))
  show(progress)
  announce(`Checking ${shortName(checkTarget)}.`)
  try {
    const fragment = fragmentFor(checkTarget)
    enter(fragment)
    const { answer, quota } = await follow(checkTarget, control, fresh)
    if (running === control) reportOn({ checkTarget, fragment }, answer, quota)
  } catch (error) {
    if (running === control) refuse(error, checkTarget)
  } finally {
    stopClock()
    if (running === control) running = null
  }
}

/** Sets the fragment of the URL. @param {string} fragment */
function enter(fragment) {
  if (location.hash !== fragment) history.pushState({ shows: fragment }, '', fragment)
  shownFragment = fragment
}

/**
 * @param {{ readonly checkTarget: Target, readonly fragment: string }} place
 * @param {import('./result.js').Answer} answer
 * @param {Quota | null} quota null if it may have changed since
 */
function reportOn({ checkTarget, fragment }, answer, quota) {
  const result = /** @type {import('./result.js').Result} */ (JSON.parse(answer.text))
  const report = /** @type {import('./result.js').Report} */ (JSON.parse(answer.report))
  results.delete(fragment)
  results.set(fragment, answer)
  for (const oldest of [...results.keys()].slice(0, -MAX_REPORTS)) results.delete(oldest)
  const isShared = fragment.startsWith(SHARED_PREFIX)
  const children = reportContent(report, answer.text, {
    link: linkTo(result, checkTarget, fragment),
    quota,
    verdicts,
    announce,
    store: isShared ? null : store,
    picture: isShared ? (_, kind) => store.sharedPicture(fragment.slice(SHARED_PREFIX.length), kind) : store.picture,
    tables: null,
    keyOf: isShared ? null : () => key.value.trim(),
    again: isShared ? null : () => run(checkTarget, true),
  })
  outcome?.replaceChildren(...children.filter(child => child !== null))
  show(outcome)
  const { recommendation, reason, verdict, score } = report
  const name = recommendationName[recommendation]
  const short = shortName(checkTarget)
  document.title = `${name} (${verdict}, ${score}): ${short} – assay`
  announce(`${short}: ${name}. ${reason} Verdict ${verdict}, risk score ${score} of 100.`)
  byId('report-title').focus()
}

/**
 * The link to the result if it is kept, otherwise to this page with the target (results of e-mail addresses are never kept); null
 * for a checked link.
 * @type {(result: import('./result.js').Result, asked: Target, fragment: string) => string | null}
 */
function linkTo({ result_id }, checkTarget, fragment) {
  if (checkTarget.name === 'url') return null
  return result_id == null || checkTarget.name === 'email' || fragment.startsWith(SHARED_PREFIX)
    ? new URL(fragment, location.href).href
    : permalinkOf(result_id)
}

/**
 * Opens a kept result: one of the key's account, or one behind a link, for which no key is needed.
 * @param {string} fragment
 */
async function openKept(fragment) {
  const isShared = fragment.startsWith(SHARED_PREFIX)
  const id = targetIn(fragment).slice((isShared ? SHARED_PREFIX : RESULT).length - 1)
  enter(fragment)
  try {
    const answer = await (isShared ? store.shared(id) : store.result(id))
    if (shownFragment !== fragment) return
    const { domain, ip } = /** @type {import('./result.js').Result} */ (JSON.parse(answer.text))
    const checkTarget = targetOf(domain ?? ip ?? '')
    if (checkTarget === null) throw new Failure({ code: 'unreadable' })
    target.value = checkTarget.value
    link.update()
    reportOn({ checkTarget, fragment }, answer, null)
  } catch (error) {
    if (shownFragment === fragment) refuse(error, null)
  }
}

/** @param {unknown} error @param {Target | null} checkTarget */
function refuse(error, checkTarget) {
  const trouble = error instanceof Failure ? error.trouble : new Failure({ code: 'unreadable' }).trouble
  const { title: heading, advice, field } = explain(trouble, Date.now())
  const within = field === 'target' && checkTarget !== null ? nameWithin(checkTarget.value) : null
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
  const checkTarget = targetOf(target.value, link.mayVisit())
  if (checkTarget === null && isKept(shownFragment)) return void openKept(shownFragment)
  if (checkTarget === null) return refuse(new Failure({ code: 'missing-target' }), null)
  if (key.value.trim() === '') return refuse(new Failure({ code: 'missing-api-key' }), checkTarget)
  target.value = checkTarget.value
  link.update()
  void run(checkTarget)
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
  if (shownFragment !== MY_TARGETS) return
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
    history.replaceState({ shows: shownFragment }, '')
  const fragment = history.state?.shows ?? location.hash
  if (fragment === shownFragment) return
  running?.abort()
  running = null
  shownFragment = fragment
  if (fragment === MY_TARGETS) return void openTargets()
  if (isKept(fragment) && !results.has(fragment)) {
    target.value = ''
    link.update()
    return void openKept(fragment)
  }
  const checkTarget = links.get(fragment) ?? askedIn(fragment)
  target.value = checkTarget?.value ?? ''
  link.update()
  const answer = results.get(fragment)
  if (checkTarget === null || answer === undefined) start()
  else reportOn({ checkTarget, fragment }, answer, null)
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
byId('my-targets-link').addEventListener('click', () => shownFragment === MY_TARGETS && void openTargets())
byId('stop').addEventListener('click', stop)
keepKey(key, announce)
window.addEventListener('hashchange', followUrl)
window.addEventListener('beforeprint', unfold)
followUrl()
