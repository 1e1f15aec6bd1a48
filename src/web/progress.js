// The list of sections that fills while a check runs.
import { element, foreign } from './element.js'

/**
 * @typedef {object} SectionCoverage
 * @property {'completed' | 'not_applicable' | 'unavailable' | 'failed'} status
 * @property {string | null} reason
 */

/** @type {Readonly<Record<SectionCoverage['status'], string>>} */
const words = {
  completed: 'seen',
  not_applicable: 'nothing to look at',
  unavailable: 'could not be seen',
  failed: 'missing because of a fault in this service',
}

/** @type {(text: string, tone: string) => Node[]} */
const state = (text, tone) => [
  element('span', { class: `dot ${tone}`, 'aria-hidden': 'true' }),
  element('span', { class: 'state' }, text),
]

/** Milliseconds between two steps of the clock. */
const TICK = 1_000

/**
 * The time since the check began, until the returned function is called.
 * @param {HTMLElement} clock
 */
export function runClock(clock) {
  const began = performance.now()
  const draw = () => {
    clock.textContent = `${Math.round((performance.now() - began) / TICK)} s`
  }
  draw()
  const timer = setInterval(draw, TICK)
  return () => clearInterval(timer)
}

/**
 * Draws into `list`; `announce` receives the progress as text. `waiting` is shown until the first event.
 * @param {HTMLElement} list
 * @param {HTMLElement} waiting
 * @param {Readonly<Record<string, string>>} titles of sections, by name
 * @param {(message: string) => void} announce
 */
export function progressList(list, waiting, titles, announce) {
  /** @type {Map<string, HTMLElement>} */
  const lines = new Map()
  let eventCount = 0
  const titleOf = (/** @type {string} */ name) => foreign(Object.hasOwn(titles, name) ? (titles[name] ?? name) : name)

  return {
    wait() {
      waiting.hidden = false
      list.replaceChildren()
    },
    /** @param {readonly string[]} sections */
    begin(sections) {
      waiting.hidden = true
      lines.clear()
      eventCount = 0
      for (const name of sections) lines.set(name, element('li', {}, titleOf(name), ...state('looking', 'waiting')))
      list.replaceChildren(...lines.values())
    },
    /** @param {string} section @param {SectionCoverage} coverage */
    finish(section, { status, reason }) {
      const line = lines.get(section)
      if (line === undefined) return
      eventCount += 1
      const isSeen = status === 'completed' && reason === null
      const text = status === 'completed' && !isSeen ? 'seen in part' : (words[status] ?? words.failed)
      line.replaceChildren(titleOf(section), ...state(text, isSeen ? 'done' : 'without'))
      announce(`${eventCount} of ${lines.size} sections are complete.`)
    },
  }
}
