// Two reports side by side: of two targets, or of one target at two times. Loaded when it is asked for.
import { check, Failure } from './check.js'
import { element, foreign } from './element.js'
import { explain } from './problems.js'
import { targetOf } from './target.js'
import { scrolling, sentence } from './values.js'
import { confidenceWords, recommendationName } from './verdicts.js'

/** @typedef {import('./result.js').Report} Report */
/** @typedef {import('./element.js').Child} Child */

/**
 * @typedef {object} Row
 * @property {Child} name
 * @property {readonly [Child[], Child[]]} cells
 * @property {boolean} differs
 */

/** @type {(name: string, ours: string, theirs: string) => Row} */
const plainRow = (name, ours, theirs) => ({ name, cells: [[ours], [theirs]], differs: ours !== theirs })

/** Of the checks made here, and not of the target. */
const FIRST_SEEN = 'first_seen_here'

/** The findings that the other report has not. @type {(report: Report, other: Report) => readonly string[]} */
function onlyIn({ findings }, other) {
  const ids = new Set(other.findings.map(({ signal }) => signal))
  const own = findings.filter(({ signal }) => !ids.has(signal) && signal !== FIRST_SEEN)
  return own.map(({ title, severity }) => `${severity}: ${title}`)
}

/** @type {(titles: readonly string[] | undefined) => Child[]} */
const titleList = (titles = []) =>
  titles.length === 0
    ? [element('span', { class: 'none' }, 'none')]
    : [element('ul', {}, ...titles.map(title => element('li', {}, foreign(title))))]

/** Why a report lacks a section; one that is switched off is not among those that were not seen. @type {(report: Report, title: string) => string} */
function absence({ unseen }, title) {
  const entry = unseen.find(({ sections }) => sections.includes(title))
  if (entry === undefined) return 'not checked'
  const what = entry.applies ? 'not seen' : 'does not apply'
  return entry.reason === null ? what : `${what}: ${entry.reason}`
}

/** @type {(report: Report, name: string, title: string) => { cell: Child[], text: string }} */
function sectionCell(report, name, title) {
  const section = report.sections.find(one => one.name === name)
  if (section === undefined) {
    const text = absence(report, title)
    return { cell: [element('span', { class: 'none' }, text)], text }
  }
  const { state, tone, summary } = section
  return {
    cell: [element('strong', { class: `standing ${tone}` }, state), element('br'), ...sentence(summary)],
    text: JSON.stringify([state, summary]),
  }
}

/** @type {(ours: Report, theirs: Report) => Row[]} */
function rowsOf(ours, theirs) {
  const both = [ours, theirs]
  const titles = new Map(both.flatMap(({ sections }) => sections.map(({ name, title }) => [name, title])))
  const only = both.map((report, at) => onlyIn(report, at === 0 ? theirs : ours))
  return [
    plainRow('Recommendation', recommendationName[ours.recommendation], recommendationName[theirs.recommendation]),
    {
      name: 'Reason',
      cells: [[foreign(ours.reason)], [foreign(theirs.reason)]],
      differs: ours.reason !== theirs.reason,
    },
    plainRow('Risk score', `${ours.score}, ${ours.verdict}`, `${theirs.score}, ${theirs.verdict}`),
    plainRow('Confidence', confidenceWords[ours.confidence], confidenceWords[theirs.confidence]),
    {
      name: 'Found only here',
      cells: [titleList(only[0]), titleList(only[1])],
      differs: only.some(titles => titles.length > 0),
    },
    ...[...titles].map(([name, title]) => {
      const [first, second] = [sectionCell(ours, name, title), sectionCell(theirs, name, title)]
      return /** @type {Row} */ ({
        name: foreign(title),
        cells: [first.cell, second.cell],
        differs: first.text !== second.text,
      })
    }),
  ]
}

/**
 * A table of what both reports say; rows that are equal are folded away.
 * @type {(ours: Report, theirs: Report, names: readonly [string, string]) => HTMLElement}
 */
export function sideBySide(ours, theirs, names) {
  const rows = rowsOf(ours, theirs)
  const [different, equal] = [rows.filter(({ differs }) => differs), rows.filter(({ differs }) => !differs)]
  return element(
    'div',
    { class: 'compared' },
    different.length > 0
      ? table(`${names[0]} beside ${names[1]}`, names, different)
      : element('p', {}, 'Both reports say the same.'),
    equal.length > 0 &&
      element('details', {}, element('summary', {}, `${equal.length} rows are equal`), table('Equal', names, equal)),
  )
}

/** @type {(title: string, names: readonly [string, string], rows: readonly Row[]) => HTMLElement} */
const table = (title, names, rows) =>
  scrolling(
    title,
    element(
      'table',
      { class: 'data' },
      element(
        'thead',
        {},
        element('tr', {}, element('td'), ...names.map(name => element('th', { scope: 'col' }, foreign(name)))),
      ),
      element(
        'tbody',
        {},
        ...rows.map(({ name, cells }) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row', class: 'matter' }, name),
            ...cells.map(cell => element('td', { class: 'side' }, ...cell)),
          ),
        ),
      ),
    ),
  )

/** @typedef {import('./result.js').Result} Result */

/** @type {(typed: string, key: string) => Promise<{ report: Report, result: Result }>} */
async function checkOnce(text, key) {
  const target = targetOf(text)
  if (target === null) throw new Failure({ code: 'missing-target' })
  for await (const event of check(target, key, new AbortController().signal))
    if (event.kind === 'result')
      return { report: JSON.parse(event.answer.report), result: JSON.parse(event.answer.text) }
  throw new Failure({ code: 'cut-off' })
}

/**
 * The form that checks another target and shows it beside this report.
 * @param {Report} ours
 * @param {Result} result of the same check
 * @param {() => string} keyOf
 * @param {((id: string, kind: string) => Promise<Blob>) | null} picture loads a picture; null where nothing is loaded
 * @param {(message: string) => void} announce
 */
export function compareForm(ours, result, keyOf, picture, announce) {
  const place = element('div', { role: 'region', 'aria-label': 'Comparison' })
  const other = element('input', {
    id: 'other',
    type: 'text',
    inputmode: 'url',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: 2100,
  })
  const form = element(
    'form',
    { class: 'other', novalidate: true },
    element('label', { for: 'other' }, 'Another name, address or link'),
    other,
    element('button', { type: 'submit', class: 'quiet' }, 'Compare'),
    element('p', { class: 'note' }, 'It is checked now, which counts once against your quota.'),
  )
  form.addEventListener('submit', async event => {
    event.preventDefault()
    place.replaceChildren(element('p', { class: 'note' }, 'Checking.'))
    try {
      const [{ report: theirs, result: otherResult }, { picturesBeside }] = await Promise.all([
        checkOnce(other.value, keyOf()),
        import('./pictures.js'),
      ])
      /** @type {[string, string]} */
      const names = [ours.target, theirs.target]
      /** @type {(readonly [string, Result])[]} */
      const sides = [
        [ours.target, result],
        [theirs.target, otherResult],
      ]
      const pictures = picture && picturesBeside(sides, picture)
      place.replaceChildren(...(pictures ? [pictures] : []), sideBySide(ours, theirs, names))
      announce('The comparison is below.')
    } catch (error) {
      const { trouble } = error instanceof Failure ? error : new Failure({ code: 'unreadable' })
      const { title, advice } = explain(trouble, Date.now())
      place.replaceChildren(element('p', { class: 'note' }, `${title}. ${advice}`))
      announce(title)
    }
  })
  return [form, place]
}
