// The verdicts: what each recommends, and the ranges of the score as the page tells them before the first check.
import { element } from './element.js'
import { ranges } from './points.js'

/** What the interface recommends. @type {Readonly<Record<string, string>>} */
const actions = {
  safe: 'Allow it.',
  suspicious: 'Have a person look at it, or ask for more proof.',
  malicious: 'Block it.',
}

/** @param {string} verdict */
export const actionFor = verdict => actions[verdict] ?? ''

/** @param {readonly (readonly [number, string])[]} verdicts */
export const rangeList = verdicts =>
  ranges(verdicts).map(({ verdict, least, most }) =>
    element(
      'li',
      { class: verdict },
      element('p', { class: 'title' }, verdict),
      element('p', {}, element('strong', {}, `${least} to ${most}. `), actionFor(verdict)),
    ),
  )
