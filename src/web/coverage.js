// What the report rests on, and what could not be seen.
import { element, foreign } from './element.js'
import { reasonWords, statusWords, unseen } from './reasons.js'
import { sectionOf } from './sections/index.js'

/** @param {import('./result.js').Coverage} coverage */
export function coverageList({ sections, ratio, complete }) {
  const missing = unseen(sections)
  const share = `${Math.round(ratio * 100)} %`
  if (missing.length === 0) return [element('p', {}, 'Nothing was left out: every section was seen whole.')]
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
  const meaning = complete
    ? 'Everything that applies was seen. The rest has nothing to look at:'
    : `${share} of what applies was seen. What was not seen is unknown, which is not the same as good:`
  return [element('p', {}, meaning), element('ul', {}, ...items)]
}
