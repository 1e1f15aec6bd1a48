// The score of a target on the allow list: never above `safe`, whatever was found.
import type { Scored } from '../../src/engine/plugin.ts'

/** The highest score that is still safe. */
const MOST = 30
/** Titles of overridden signals that the detail names. */
const NAMED = 3

/** Points taken off by the signal make the sum come out at 30; floors above 30 are lowered to it. */
export function allowed(scored: Scored): Scored {
  const { risk_score, details } = scored
  const isAllowance = ({ id, evidence }: Scored['details'][number]) =>
    id === 'allowed_by_operator' && evidence['applied'] !== false
  if (risk_score <= MOST || !details.some(isAllowance)) return scored
  const others = details.filter(detail => !isAllowance(detail))
  const tenths = others.reduce((sum, { points }) => sum + Math.round(points * 10), 0)
  const points = Math.min(0, MOST * 10 - tenths) / 10
  const overridden = others.filter(({ points, floor }) => points > 0 || (floor ?? 0) > MOST)
  const titles = overridden.slice(0, NAMED).map(({ title }) => title)
  const rest = overridden.length - titles.length
  const note = ` It overrides a score of ${risk_score}: ${titles.join('; ')}${rest > 0 ? `; ${rest} more` : ''}.`
  return {
    risk_score: MOST,
    details: details.map(detail => {
      if (isAllowance(detail)) return { ...detail, points, detail: `${detail.detail}.${note}` }
      return detail.floor === null ? detail : { ...detail, floor: Math.min(detail.floor, MOST) }
    }),
  }
}
