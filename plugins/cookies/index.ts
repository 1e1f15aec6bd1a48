// cookies: the cookies that the responses set, how they are protected, and which ones browsers reject. Values are never kept.
import { analyzer, type Entrances, missedReason, raise, servedFields, unheard } from '../../src/engine/plugin.ts'
import { type CookieResponse, collectCookies } from './jar.ts'
import { presentation } from './presentation.ts'
import { describe, judge, Section } from './section.ts'
import { signals } from './signals.ts'

export default analyzer({
  name: 'cookies',
  description:
    'Cookies set by the page, its redirects and plain HTTP: Secure, HttpOnly, SameSite, prefixes, kind and issues.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['entrances'],
  presentation,
  schema: Section,
  signals,
  analyze({ page, served, entrances }, { now, missing }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, pageless } = outcome
    // A response that is not the site's own (a block or challenge) sets cookies that are not the site's either.
    if (pageless !== null) return pageless
    const responses = [...entranceResponses(entrances, page.exchanges[0]?.url), ...page.exchanges]
    const cookies = collectCookies(responses, now.getTime()).map(judge)
    const unknownReason = missedReason(missing) ?? unheard('plain_http', entrances?.http.failure)
    return {
      section: describe(fields, cookies, unknownReason === null),
      signals: raise(signals, cookies),
      unknown: unknownReason,
    }
  },
})

/** Empty if the visit itself began there: its responses are those of the page. */
function entranceResponses(entrances: Entrances | null, visitedUrl: string | undefined): readonly CookieResponse[] {
  if (entrances === null || entrances.http.url === visitedUrl) return []
  const { http } = entrances
  return [http, ...(http.followed ?? [])].map(({ url, set_cookies = [] }) => ({
    url,
    headers: set_cookies.map(field => ['set-cookie', field] as const),
  }))
}
