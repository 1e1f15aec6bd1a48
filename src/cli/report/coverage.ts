// What the report rests on, and what could not be seen.
import { reasonWords, statusWords, unseen } from '../../web/reasons.js'
import type { Result } from '../../web/result.js'
import { visible } from '../../web/visible.js'
import type { Display } from './display.ts'
import { wrap } from './width.ts'

export function coverageBlock(result: Result, { width, paint }: Display): string {
  const { coverage, scoring_policy, process_time_ms } = result
  const missing = unseen(coverage.sections).filter(([, { status }]) => status !== 'not_applicable')
  const share = `coverage ${Math.round(coverage.ratio * 100)} %`
  const lines = missing.map(([name, one]) => {
    const why = reasonWords(one)
    return `? ${name}: ${statusWords(one).toLowerCase()}${why === null ? '' : `, ${why}`}`
  })
  const meaning = missing.length === 0 ? '' : ': what was not seen is unknown, which is not the same as good'
  return [
    ...wrap(`${share}${meaning}`, width),
    ...lines.flatMap(line => wrap(visible(line), width - 2).map(part => `  ${part}`)),
    ...wrap(`policy ${scoring_policy}, ${process_time_ms} ms`, width).map(line => paint('dim', line)),
  ].join('\n')
}
