// The recommendation as the report's headline, and the score ranges that the page explains before the first check.
import { element } from './element.js'
import { ranges } from './points.js'

/** @typedef {import('./result.js').Report} Report */

/** @type {Readonly<Record<Report['recommendation'], string>>} */
export const recommendationName = { allow: 'Allow', review: 'Review', block: 'Block' }

/** @type {Readonly<Record<Report['confidence'], string>>} */
export const confidenceWords = {
  high: 'high: enough was seen to decide',
  medium: 'medium: some of the deciding evidence was not seen',
  low: 'low: too much of the deciding evidence was not seen',
}

/** What usually follows from each verdict. @type {Readonly<Record<string, string>>} */
const consequences = {
  safe: 'Allow, unless a serious fault was found or too little could be seen: then review.',
  suspicious: 'Review: have a person look at it, or ask for more proof.',
  malicious: 'Block.',
}

/** @param {readonly (readonly [number, string])[]} verdicts */
export const rangeList = verdicts =>
  ranges(verdicts).map(({ verdict, least, most }) =>
    element(
      'li',
      { class: verdict },
      element('p', { class: 'title' }, verdict),
      element('p', {}, element('strong', {}, `${least} to ${most}. `), consequences[verdict] ?? ''),
    ),
  )
