// The list of sections that fills while a check runs.
import { element, foreign } from './element.js'
import { statusWords } from './reasons.js'
import { sectionOf } from './sections/index.js'

/** @typedef {import('./result.js').SectionCoverage} SectionCoverage */

/** @type {(text: string, tone: string) => Node[]} */
const state = (text, tone) => [
  element('span', { class: `dot ${tone}`, 'aria-hidden': 'true' }),
  element('span', { class: 'state' }, text),
]

/**
 * Draws into `list`; `announce` receives the progress as text.
 * @param {HTMLElement} list
 * @param {(message: string) => void} announce
 */
export function progressList(list, announce) {
  /** @type {Map<string, HTMLElement>} */
  const lines = new Map()
  let seen = 0

  return {
    /** @param {readonly string[]} sections */
    begin(sections) {
      lines.clear()
      seen = 0
      for (const name of sections)
        lines.set(name, element('li', {}, foreign(sectionOf(name).title), ...state('looking', 'waiting')))
      list.replaceChildren(...lines.values())
    },
    /** @param {string} section @param {SectionCoverage} coverage */
    finish(section, coverage) {
      const line = lines.get(section)
      if (line === undefined) return
      seen += 1
      const isSeen = coverage.status === 'completed' && coverage.reason === null
      line.replaceChildren(
        foreign(sectionOf(section).title),
        ...state(statusWords(coverage).toLowerCase(), isSeen ? 'done' : 'without'),
      )
      announce(`${seen} of ${lines.size} sections are complete.`)
    },
  }
}
