// The sections of the report, each a card: what was found in plain words, then the details.
import { element, foreign } from './element.js'
import { copyText } from './raw.js'
import { factList, sentence, tableContent } from './values.js'

/** @typedef {import('./result.js').ReportSection} ReportSection */
/** @typedef {(message: string) => void} Announce */

/** @type {(remarks: ReportSection['remarks']) => HTMLElement | null} */
const remarkList = remarks =>
  remarks.length === 0
    ? null
    : element(
        'div',
        { class: 'remarks' },
        element('h5', {}, 'Remarks'),
        element(
          'ul',
          {},
          ...remarks.map(({ text, reason }) => element('li', {}, foreign(text), reason ? ` ${reason}` : null)),
        ),
      )

/** @type {(links: ReportSection['links']) => HTMLElement | null} */
const linkList = links =>
  links.length === 0
    ? null
    : element(
        'ul',
        { class: 'sources' },
        ...links.map(({ label, url }) =>
          element('li', {}, element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, foreign(label))),
        ),
      )

/** @type {Readonly<Record<ReportSection['fixes'][number]['language'], string>>} */
const languages = { nginx: 'nginx', apache: 'Apache', caddy: 'Caddy', iis: 'IIS', dns: 'DNS', http: 'file' }

/** @type {(fix: ReportSection['fixes'][number], announce: Announce) => HTMLElement} */
function fixContent({ title, language, code }, announce) {
  const name = `${title} (${languages[language]})`
  const shown = element('pre', { tabindex: 0, role: 'region', 'aria-label': name }, code)
  const copy = element('button', { type: 'button', class: 'quiet', 'aria-label': `Copy: ${name}` }, 'Copy')
  copy.addEventListener('click', () => copyText(code, shown, announce))
  return element('details', { class: 'fix' }, element('summary', {}, foreign(name)), shown, copy)
}

/** @type {(fixes: ReportSection['fixes'], announce: Announce) => HTMLElement | null} */
const fixList = (fixes, announce) =>
  fixes.length === 0
    ? null
    : element(
        'div',
        { class: 'fixes' },
        element('h5', {}, 'Lines to paste, if it is yours'),
        ...fixes.map(fix => fixContent(fix, announce)),
      )

/** @type {(section: ReportSection, announce: Announce) => (HTMLElement | null)[]} */
const details = ({ looks, facts, tables, remarks, links, fixes }, announce) => [
  element('p', { class: 'looks' }, 'We check ', foreign(looks), '.'),
  factList(facts),
  ...tables.map(tableContent),
  remarkList(remarks),
  fixList(fixes, announce),
  linkList(links),
]

/** One line that unfolds: title, what was found, and how it stands. @type {(section: ReportSection, announce: Announce) => HTMLElement} */
function card(section, announce) {
  const { name, title, state, tone, summary } = section
  const id = `card-${name}`
  return element(
    'section',
    { class: `card ${tone}`, 'aria-labelledby': id },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('h4', { id }, foreign(title)),
        element('span', { class: 'summary' }, ...sentence(summary)),
        element('span', { class: 'standing' }, state),
      ),
      ...details(section, announce),
    ),
  )
}

/** In the order of the report. @type {(sections: readonly ReportSection[], announce: Announce) => HTMLElement[]} */
export const cards = (sections, announce) => sections.map(section => card(section, announce))
