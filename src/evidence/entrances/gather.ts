// Gathers how the site answers at its other entrances: plain HTTP, and the name with or without `www.`.

import { locationOf, printableUrl } from '../../network/fetch.ts'
import type { Fetched } from '../../network/network.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { hostOf, type SiteSetup } from '../site_session/session.ts'
import type { Entrance, Entrances } from './facts.ts'

/** Bounds of a body that is not read. Milliseconds: less than the page takes, and nothing else waits for it. */
const BOUNDS = { max_bytes: 4 * 1024, timeout_ms: 2_500 }

/** Sends one request to each entrance and follows no redirect. Rejects as the page does when there is nowhere to connect to. */
export default ({ sites }: SiteSetup): Gatherer<Entrances, { addresses: Addresses }> =>
  async context => {
    const { target } = context
    const enter = async (host: string) => {
      const url = `http://${host}/`
      return readEntrance(url, await sites.fetchApart(context, url, BOUNDS))
    }
    const other = target.domain === null ? null : counterpart(target.domain, target.registrable)
    const [http, www] = await Promise.all([enter(hostOf(target)), other === null ? null : enter(other)])
    return { http, www }
  }

/** The registrable domain's `www.`, and of that the registrable domain. */
export function counterpart(domain: string, registrable: string): string | null {
  if (domain === registrable) return `www.${domain}`
  return domain === `www.${registrable}` ? registrable : null
}

/** A redirect that was not followed is no failure: there is a response. */
export function readEntrance(url: string, fetched: Fetched): Entrance {
  const [first] = fetched.exchanges
  if (!first) return { url, status: null, failure: fetched.ok ? null : fetched.failure, location: null }
  const location = locationOf(first)
  const leads = location !== null && URL.canParse(location, url) ? printableUrl(new URL(location, url)) : null
  return { url, status: first.status, failure: null, location: leads }
}
