// Gathers the responses at the site's other entrances: plain HTTP, the name with or without `www.`, and a request from
// another origin.

import { timeoutIfCancelled } from '../../network/connection.ts'
import { locationOf, type Navigation, printableUrl } from '../../network/fetch.ts'
import { type Exchange, fieldValues } from '../../network/http.ts'
import type { Limits } from '../../network/limits.ts'
import type { FetchResult } from '../../network/network.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { type AnsweredRequest, answeredRequests } from '../page/facts.ts'
import { hostOf, type SiteFile, type SiteSession, type SiteSetup } from '../site_session/session.ts'
import type { CrossOriginAnswer, Entrance, Entrances, Hop } from './facts.ts'

/** Limits for a body that is not read. The time limit is shorter than that of the page, so nothing waits for it. */
const BOUNDS = { max_bytes: 4 * 1024, timeout_ms: 2_500 }

/** Further responses that are followed while redirects stay on plain HTTP. */
const MAX_HOPS = 2

/** Set-Cookie fields that are kept of one response: browsers keep at least 50 cookies of a domain (RFC 6265 section 6.1). */
const COOKIES = 50
const FIELD_CHARACTERS = 512

/** No site has this origin (RFC 6761 section 6.4), so no honest list of allowed origins names it. */
const FOREIGN_ORIGIN = 'https://other-site.invalid'

/**
 * Requests the page as another site's script would. A redirect is followed, such as that of `/` to `/en/`. Over
 * HTTP/1.1 the body must be read, however long.
 */
const fromOtherSite = ({ page_bytes }: Limits) => ({
  path: '/',
  accept: '*/*',
  headers: { origin: FOREIGN_ORIGIN },
  max_bytes: page_bytes,
  timeout_ms: BOUNDS.timeout_ms,
  head_only: true,
  deferrable: true,
  https_only: true,
  redirects: 1,
  purpose: 'entrances' as const,
  createReader: () => ({ receive: () => null }),
})

/**
 * Sends one request to each entrance; follows redirects of the first while they stay on plain HTTP. Rejects when the
 * target has no usable address.
 */
export default ({ sites }: SiteSetup): Gatherer<Entrances, { addresses: Addresses }> =>
  async context => {
    const { target } = context
    const requests: AnsweredRequest[] = []
    const fetchApart = async (url: string, purpose: 'plain_http' | 'other_host') => {
      const fetchResult = await sites.fetchApart(context, url, BOUNDS)
      requests.push(...answeredRequests(fetchResult.exchanges, purpose))
      return fetchResult
    }
    const enter = async (host: string, purpose: 'plain_http' | 'other_host') => {
      const url = `http://${host}/`
      return readEntrance(url, await fetchApart(url, purpose))
    }
    const follow = async (first: Entrance): Promise<Entrance> => {
      const hops: Hop[] = []
      for (let at: Hop = first; isPlain(at.location) && hops.length < MAX_HOPS; ) {
        const { failure: _, ...hop } = readEntrance(at.location, await fetchApart(at.location, 'plain_http'))
        at = hop
        hops.push(hop)
      }
      return hops.length === 0 ? first : { ...first, followed: hops }
    }
    const other = target.domain === null ? null : counterpart(target.domain, target.registrable)
    const [http, www, crossOrigin] = await Promise.all([
      enter(hostOf(target), 'plain_http').then(follow),
      other === null ? null : enter(other, 'other_host'),
      sites.use(context, site => askFromOtherSite(site, fromOtherSite(context.network.limits))),
    ])
    requests.push(...(crossOrigin?.requests ?? []))
    const failure = crossOrigin?.failure ?? null
    return {
      http,
      www,
      cross_origin: crossOrigin?.answer ?? null,
      ...(failure === null ? {} : { cross_origin_failure: failure }),
      requests,
    }
  }

/** With or after the page, on its connection. Null without a response over HTTPS. */
async function askFromOtherSite(site: SiteSession, file: SiteFile) {
  site.want(file)
  // If HTTPS does not answer, nothing waits for the page.
  if ((await site.secure()).status !== 'secure') return null
  const origin = await site.origin().catch(() => null)
  if (origin === null || !origin.startsWith('https:')) return null
  const { navigation } = await site.fetch(file, new URL(file.path, origin))
  const { failure, exchanges } = navigation
  const silence = failure === null ? null : timeoutIfCancelled(failure)
  return {
    answer: readCrossOrigin(navigation),
    failure: silence,
    requests: answeredRequests(exchanges, 'cross_origin'),
  }
}

const isPlain = (location: string | null): location is string => location?.startsWith('http:') === true

/** The registrable domain with `www.`, or without it if it has it. */
export function counterpart(domain: string, registrable: string): string | null {
  if (domain === registrable) return `www.${domain}`
  return domain === `www.${registrable}` ? registrable : null
}

/** A redirect that was not followed is a response, not a failure. */
export function readEntrance(url: string, fetchResult: FetchResult): Entrance {
  const [first] = fetchResult.exchanges
  if (!first) return { url, status: null, failure: fetchResult.ok ? null : fetchResult.failure, location: null }
  const location = locationOf(first)
  const leads = location !== null && URL.canParse(location, url) ? printableUrl(new URL(location, url)) : null
  const setCookies = fieldValues(first.headers, 'set-cookie').slice(0, COOKIES)
  return { url, status: first.status, failure: null, location: leads, set_cookies: setCookies }
}

/** Null without a last response: what a redirect allows says nothing about the page behind it. */
function readCrossOrigin({ failure, stopped, exchanges }: Navigation): CrossOriginAnswer | null {
  const last: Exchange | undefined = exchanges.at(-1)
  if (failure !== null || stopped !== null || last === undefined || locationOf(last) !== null) return null
  const one = (name: string): string | null => {
    const lines = fieldValues(last.headers, name)
    return lines.length === 0 ? null : lines.join(', ').slice(0, FIELD_CHARACTERS)
  }
  return {
    url: printableUrl(new URL(last.url)),
    origin: FOREIGN_ORIGIN,
    allow_origin: one('access-control-allow-origin'),
    allow_credentials: one('access-control-allow-credentials') === 'true',
  }
}
