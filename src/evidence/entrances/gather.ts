// Gathers how the site responds at its other entrances: plain HTTP, the name with or without `www.`, and to another origin.

import { locationOf, printableUrl } from '../../network/fetch.ts'
import { type Exchange, fieldValues } from '../../network/http.ts'
import type { Fetched } from '../../network/network.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { hostOf, type SiteSetup } from '../site_session/session.ts'
import type { CrossOriginAnswer, Entrance, Entrances, Hop } from './facts.ts'

/** Limits for a body that is not read. The time limit is shorter than that of the page, so nothing waits for it. */
const BOUNDS = { max_bytes: 4 * 1024, timeout_ms: 2_500 }

/** Further responses that are followed while redirects stay on plain HTTP. */
const FOLLOWED = 2

/** Set-Cookie fields that are kept of one response: browsers keep at least 50 cookies of a domain (RFC 6265 section 6.1). */
const COOKIES = 50
const FIELD_CHARACTERS = 512

/** No site has this origin (RFC 6761 section 6.4), so no honest list of allowed origins names it. */
const FOREIGN_ORIGIN = 'https://other-site.invalid'
/** A redirect to or from `www.` is followed. */
const ORIGIN_REDIRECTS = 1

/**
 * Sends one request to each entrance; follows redirects of the first while they stay on plain HTTP. Rejects when the
 * target has no usable address.
 */
export default ({ sites }: SiteSetup): Gatherer<Entrances, { addresses: Addresses }> =>
  async context => {
    const { target } = context
    const enter = async (host: string) => {
      const url = `http://${host}/`
      return readEntrance(url, await sites.fetchApart(context, url, BOUNDS))
    }
    const follow = async (first: Entrance): Promise<Entrance> => {
      const followed: Hop[] = []
      for (let at: Hop = first; isPlain(at.location) && followed.length < FOLLOWED; ) {
        const { failure: _, ...hop } = readEntrance(at.location, await sites.fetchApart(context, at.location, BOUNDS))
        at = hop
        followed.push(hop)
      }
      return followed.length === 0 ? first : { ...first, followed }
    }
    const other = target.domain === null ? null : counterpart(target.domain, target.registrable)
    // Only where HTTPS is answered, so that a closed or silent port is not dialled twice.
    const ask = async () => {
      const answered = await sites.use(context, async site => (await site.secure()).status === 'secure')
      if (!answered) return null
      const bounds = { ...BOUNDS, redirects: ORIGIN_REDIRECTS, https_only: true, headers: { origin: FOREIGN_ORIGIN } }
      return readCrossOrigin(await sites.fetchApart(context, `https://${hostOf(target)}/`, bounds))
    }
    const [http, www, cross_origin] = await Promise.all([
      enter(hostOf(target)).then(follow),
      other === null ? null : enter(other),
      ask(),
    ])
    return { http, www, cross_origin }
  }

const isPlain = (location: string | null): location is string => location?.startsWith('http:') === true

/** The registrable domain with `www.`, or without it if it has it. */
export function counterpart(domain: string, registrable: string): string | null {
  if (domain === registrable) return `www.${domain}`
  return domain === `www.${registrable}` ? registrable : null
}

/** A redirect that was not followed is a response, not a failure. */
export function readEntrance(url: string, fetched: Fetched): Entrance {
  const [first] = fetched.exchanges
  if (!first) return { url, status: null, failure: fetched.ok ? null : fetched.failure, location: null }
  const location = locationOf(first)
  const leads = location !== null && URL.canParse(location, url) ? printableUrl(new URL(location, url)) : null
  const set_cookies = fieldValues(first.headers, 'set-cookie').slice(0, COOKIES)
  return { url, status: first.status, failure: null, location: leads, set_cookies }
}

/** Null without a last response: what a redirect allows says nothing about the page behind it. */
function readCrossOrigin({ ok, exchanges }: Fetched): CrossOriginAnswer | null {
  const last: Exchange | undefined = exchanges.at(-1)
  if (!ok || last === undefined || locationOf(last) !== null) return null
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
