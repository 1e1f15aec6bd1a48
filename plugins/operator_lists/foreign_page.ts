// The host of the page that was seen, when an allowance of the target does not cover it.
import { type Evidence, identify, type Target } from '../../src/engine/plugin.ts'

/**
 * Null when the page is covered, or was not seen: a redirect of an allowed site may lead to anybody's page. The name with
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
