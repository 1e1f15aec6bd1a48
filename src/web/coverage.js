// The coverage part of the report.
import { element, foreign } from './element.js'
import { reasonWords, statusWords, unseen } from './reasons.js'
import { sectionOf } from './sections/index.js'

/** @typedef {import('./result.js').Coverage} Coverage */

/**
 * The share of the applicable evidence that was seen, in percent; never 100 while something is missing.
 * @param {Pick<Coverage, 'ratio' | 'complete'>} coverage
 */
export const seenPercent = ({ ratio, complete }) => Math.min(complete ? 100 : 99, Math.round(ratio * 100))

/** @param {Coverage} coverage */
export function coverageList(coverage) {
  const missing = unseen(coverage.sections)
  const items = missing.map(([name, one]) => {
    const why = reasonWords(one)
    return element(
      'li',
      {},
      element('strong', {}, foreign(sectionOf(name).title)),
      ` ${statusWords(one).toLowerCase()}${why === null ? '' : ': '}`,
      why === null ? null : foreign(why),
    )
  })
  return [element('p', {}, meaning(coverage)), items.length > 0 && element('ul', {}, ...items)]
}

/** @param {Coverage} coverage */
export function meaning(coverage) {
  if (!coverage.complete)
    return `${seenPercent(coverage)} % of the applicable evidence was seen. The rest is unknown, which does not mean good.`
  return unseen(coverage.sections).length === 0
    ? 'Complete: all evidence for every section was seen.'
    : 'All applicable evidence was seen. These sections do not apply or have no configured source:'
}
