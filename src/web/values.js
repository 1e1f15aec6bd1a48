// Values, lists and tables of the report as elements. Everything that may come from the target is isolated.
import { element, foreign } from './element.js'

/** @typedef {import('./result.js').ReportSection} ReportSection */
/** @typedef {ReportSection['facts'][number]} Fact */
/** @typedef {Fact[1]} Value */
/** @typedef {import('./element.js').Child} Child */

/** Members of a list before the rest is folded. */
const MAX_MEMBERS = 8

/** @param {readonly string[]} texts */
const items = texts => texts.map(text => element('li', {}, foreign(text)))

/** @param {readonly string[]} texts */
function listContent(texts) {
  if (texts.length === 0) return element('span', { class: 'none' }, 'none')
  const more = texts.length - MAX_MEMBERS
  const list = element('ul', {}, ...items(texts.slice(0, MAX_MEMBERS)))
  if (more <= 0) return list
  const rest = element('ul', {}, ...items(texts.slice(MAX_MEMBERS)))
  const fold = element('details', {}, element('summary', {}, `${more} more`), rest)
  return element('div', {}, list, fold)
}

/** @type {(value: Value) => Child} */
export function valueContent(value) {
  if (value === null) return element('span', { class: 'none' }, 'unknown')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return foreign(value)
  return Array.isArray(value) ? listContent(value) : foreign(value.text)
}

/** @type {(facts: readonly Fact[]) => HTMLElement | null} */
export const factList = facts =>
  facts.length === 0
    ? null
    : element(
        'dl',
        {},
        ...facts.flatMap(([label, value]) => [
          element('dt', {}, foreign(label)),
          element('dd', {}, valueContent(value)),
        ]),
      )

/** A table that scrolls by itself where it is wider than the page. @type {(title: string, table: HTMLElement) => HTMLElement} */
export const scrolling = (title, table) =>
  element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title }, table)

/** @type {(table: ReportSection['tables'][number]) => HTMLElement} */
export const tableContent = ({ title, columns, rows }) =>
  scrolling(
    title,
    element(
      'table',
      { class: 'data' },
      element('caption', {}, foreign(title)),
      element('thead', {}, element('tr', {}, ...columns.map(name => element('th', { scope: 'col' }, foreign(name))))),
      element(
        'tbody',
        {},
        ...rows.map(row => element('tr', {}, ...row.map(cell => element('td', {}, valueContent(cell))))),
      ),
    ),
  )

/** Our own sentence with texts of the target in it. @type {(parts: ReportSection['summary']) => Child[]} */
export const sentence = parts => parts.map(part => (typeof part === 'string' ? part : foreign(part.text)))
