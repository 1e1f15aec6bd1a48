// The other ways into the site than the page's own: plain HTTP, and the name with or without `www.`; where each leads.
import type { Fetched, FetchRequest } from '../network/network.ts'
import { locationOf, shownUrl } from '../network/redirect.ts'
import type { GatherContext } from './gatherer.ts'
import { dialableAddresses } from './unconnected.ts'

export interface Entrance {
  readonly url: string
  /** Of the first response; null when there was none, and then `failure` says why: `refused`, `timeout`, `not_found`, ... */
  readonly status: number | null
  readonly failure: string | null
  /** Where it redirects to, absolute, <= 512 characters; null when it does not, or to nothing that is a URL. */
  readonly location: string | null
}

export interface Entrances {
  readonly http: Entrance
  /** `http://www.example.com/` for example.com and the other way round; null for addresses and for other names. */
  readonly www: Entrance | null
}

/** Octets of a body that nobody reads. */
const BODY_BYTES = 4 * 1024
/** Milliseconds: less than the page takes, for which nothing else waits. */
const ENTRANCE_MS = 2_500

/** Asks each entrance once and follows nothing, beside the visit to the page. Rejects as the page does when there is nowhere to ask. */
export async function gatherEntrances(context: GatherContext): Promise<Entrances> {
  const { target } = context
  const host = target.domain ?? (target.ip.includes(':') ? `[${target.ip}]` : target.ip)
  const other = target.domain === null ? null : counterpart(target.domain, target.registrable)
  const addresses = await dialableAddresses(context)
  const [http, www] = await Promise.all([
    enter(context, host, { addresses }),
    other === null ? null : enter(context, other),
  ])
  return { http, www }
}

/** The registrable domain's `www.`, and of that the registrable domain. */
export function counterpart(domain: string, registrable: string): string | null {
  if (domain === registrable) return `www.${domain}`
  return domain === `www.${registrable}` ? registrable : null
}

async function enter(
  { network, signal }: GatherContext,
  host: string,
  known: Pick<FetchRequest, 'addresses'> = {},
): Promise<Entrance> {
  const url = `http://${host}/`
  const request = { url, signal, max_bytes: BODY_BYTES, timeout_ms: ENTRANCE_MS, redirects: 0, ...known }
  return readEntrance(url, await network.fetch(request))
}

/** That a redirect was not followed is no failure: the response is there. */
export function readEntrance(url: string, fetched: Fetched): Entrance {
  const [first] = fetched.exchanges
  if (!first) return { url, status: null, failure: fetched.ok ? null : fetched.failure, location: null }
  const location = locationOf(first)
  const leads = location !== null && URL.canParse(location, url) ? shownUrl(new URL(location, url)) : null
  return { url, status: first.status, failure: null, location: leads }
}
