// X-Content-Type-Options (Fetch section 3.6): only the first value counts, and only `nosniff` is valid.
import type { Static } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf, membersOf } from './fields.ts'
import { type HeaderJudgement, judgedObject } from './judgement.ts'

export const ContentTypeOptions = judgedObject('Whether browsers use the type of a response as sent.', {})

/** Judges X-Content-Type-Options; `nosniff` earns the whole share. */
export function judgeContentTypeOptions(headers: Headers): HeaderJudgement<Static<typeof ContentTypeOptions>> {
  const lines = linesOf(headers, 'x-content-type-options')
  const nosniff = membersOf(lines)[0]?.toLowerCase() === 'nosniff'
  const section = {
    present: lines.length > 0,
    value: displayText(lines),
    status: nosniff ? ('pass' as const) : ('fail' as const),
    recommendation: nosniff ? null : 'Send X-Content-Type-Options: nosniff.',
  }
  return { section, share: nosniff ? 1 : 0 }
}
