// What an entry on the allow list covers, and what it does to the score.
import { type Evidence, identify, type Scored, type Target } from '../../src/engine/plugin.ts'

/**
 * The host of the page that was seen, when an allowance of the target does not cover it. Null when the page is covered, or was not seen: a redirect of an allowed site may lead to anybody's page. The name with
 * or without `www.` is the same site, and an allowed address covers what it serves itself.
 */
export function foreignPage(
  target: Target,
  page: Evidence['page'] | null,
  redirects: Evidence['redirect_listings'] | null,
): string | null {
  const last = page === null || page.failure !== null ? undefined : page.exchanges.at(-1)
  if (last === undefined || !URL.canParse(last.url)) return null
  const host = new URL(last.url).hostname.replace(/^\[(.*)\]$|\.$/, '$1')
  if (target.kind === 'ip' ? last.address === target.ip : identify(host).host === identify(target.domain).host)
    return null
  const isAllowed = redirects?.hosts.some(hop => hop.host === host && hop.operator?.list === 'allow')
  return isAllowed === true ? null : host
}

/** The highest score that is still safe. */
const MOST = 30
/** Titles of overridden signals that the detail names. */
const MAX_TITLES = 3

/** The score of an allowed target, never above `safe`. Points taken off by the signal make the sum come out at 30; floors above 30 are lowered to it. */
export function withAllowance(scored: Scored): Scored {
  const { risk_score, details } = scored
  const isAllowance = ({ id, evidence }: Scored['details'][number]) =>
    id === 'allowed_by_operator' && evidence['applied'] !== false
  if (risk_score <= MOST || !details.some(isAllowance)) return scored
  const others = details.filter(detail => !isAllowance(detail))
  const tenths = others.reduce((sum, { points }) => sum + Math.round(points * 10), 0)
  const points = Math.min(0, MOST * 10 - tenths) / 10
  const overriddenSignals = others.filter(({ points, floor }) => points > 0 || (floor ?? 0) > MOST)
  const titles = overriddenSignals.slice(0, MAX_TITLES).map(({ title }) => title)
  const rest = overriddenSignals.length - titles.length
  const note = ` It overrides a score of ${risk_score}: ${titles.join('; ')}${rest > 0 ? `; ${rest} more` : ''}.`
  return {
    risk_score: MOST,
    details: details.map(detail => {
      if (isAllowance(detail)) return { ...detail, points, detail: `${detail.detail}.${note}` }
      return detail.floor === null ? detail : { ...detail, floor: Math.min(detail.floor, MOST) }
    }),
  }
}
