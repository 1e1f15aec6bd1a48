// How a section stands: a few words and a tone. Severity decides, not points, which a group's ceiling may reduce; a section
// that is unknown or partly unknown is never good.
import type { Description } from '../presentation/presentation.ts'
import type { SignalDetail } from '../scoring/scored.ts'
import { bySeverity } from '../scoring/severity.ts'
import { type SectionCoverage, statusWords } from './reasons.ts'
import type { ReportSection } from './schema.ts'

/** The minimum score that counts as good: grade A of the security headers. */
const GOOD_FROM = 85

export interface Standing {
  readonly text: string
  readonly tone: ReportSection['tone']
}

/** `own` are the signals of the section; `informs` as in its presentation. */
export function standing(
  coverage: SectionCoverage,
  own: readonly Pick<SignalDetail, 'id' | 'severity' | 'points'>[],
  { score }: Pick<Description, 'score'>,
  informs: boolean,
): Standing {
  const points = Math.round(own.reduce((sum, one) => sum + one.points, 0) * 10) / 10
  const [worst] = own.toSorted(bySeverity)
  const sum = points === 0 ? '' : `${signed(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`
  if (worst !== undefined && worst.severity !== 'info')
    return { text: [capital(worst.severity), sum].filter(Boolean).join(', '), tone: worst.severity }
  if (coverage.status !== 'completed' || coverage.reason !== null)
    return { text: statusWords(coverage), tone: 'unknown' }
  if (score === null) return { text: 'Not scored', tone: 'unknown' }
  if (score !== undefined) return { text: `${score} of 100`, tone: score < GOOD_FROM ? 'low' : 'good' }
  if (informs) return { text: 'Informational', tone: 'info' }
  return { text: sum || 'Nothing found', tone: 'good' }
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** With a real minus sign. */
const signed = (points: number): string => (points > 0 ? `+${points}` : `−${-points}`)
