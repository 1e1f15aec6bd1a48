// Gathers how the site responds at its other entrances: plain HTTP, and the name with or without `www.`.

import { locationOf, printableUrl } from '../../network/fetch.ts'
import type { Fetched } from '../../network/network.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { hostOf, type SiteSetup } from '../site_session/session.ts'
import type { Entrance, Entrances, Hop } from './facts.ts'

/** Limits for a body that is not read. The time limit is shorter than that of the page, so nothing waits for it. */
const BOUNDS = { max_bytes: 4 * 1024, timeout_ms: 2_500 }

/** Further responses that are followed while redirects stay on plain HTTP. */
const FOLLOWED = 2

/** Sends one request to each entrance; follows redirects of the first while they stay on plain HTTP. Rejects when the target has no usable address. */
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
        const { url, status, location } = readEntrance(
          at.location,
          await sites.fetchApart(context, at.location, BOUNDS),
        )
        at = { url, status, location }
        followed.push(at)
      }
      return followed.length === 0 ? first : { ...first, followed }
    }
    const other = target.domain === null ? null : counterpart(target.domain, target.registrable)
    const [http, www] = await Promise.all([enter(hostOf(target)).then(follow), other === null ? null : enter(other)])
    return { http, www }
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
  return { url, status: first.status, failure: null, location: leads }
}
