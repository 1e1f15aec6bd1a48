// From a URL's host to addresses that may be dialled: resolved once, each vetted.
import { isIP } from 'node:net'
import { queryAddresses } from './address_records.ts'
import { interleave } from './dial.ts'
import { DENIED, refusalOf } from './guard.ts'
import type { CheckNetwork } from './network.ts'
import type { Answer } from './resolve.ts'

/** In dialling order. `failure`: `not_public`, `denied`, `not_found` (NXDOMAIN or no address), `cancelled`, or `dns_<failure>`. */
export type HostAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failure: string }

/** The host without brackets and without the dot that ends an absolute name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Never rejects. `host` as `URL.hostname` has it, which is canonical: `0x7f.1` is `127.0.0.1` there. */
export async function hostAddresses(network: CheckNetwork, host: string, signal: AbortSignal): Promise<HostAddresses> {
  const name = bareHost(host)
  if (isIP(name)) return vetted(network, [name])
  if (network.refuseName(name) !== null) return { ok: false, failure: DENIED }
  const { v6, v4 } = await queryAddresses(network, name, signal)
  const answers = [v6, v4]
  if (leadsToDenied(network, answers)) return { ok: false, failure: DENIED }
  const found = answers.flatMap(answer => (answer.status === 'found' ? answer.records : []))
  if (found.length > 0) return vetted(network, found)
  const reasons = answers.flatMap(answer => (answer.status === 'unknown' ? [answer.reason] : []))
  if (reasons.includes('cancelled')) return { ok: false, failure: 'cancelled' }
  return { ok: false, failure: reasons.length > 0 ? `dns_${reasons[0]}` : 'not_found' }
}

function vetted(network: CheckNetwork, found: readonly string[]): HostAddresses {
  const considered = interleave(found).slice(0, network.limits.addresses_considered)
  const reasons = considered.map(network.refuse)
  const addresses = considered.filter((_, at) => reasons[at] === null)
  return addresses.length > 0 ? { ok: true, addresses } : { ok: false, failure: refusalOf(reasons) }
}

/** Whether the name is an alias (CNAME) of a name that is denied: its addresses are that host's. */
export const leadsToDenied = (
  network: Pick<CheckNetwork, 'refuseName'>,
  answers: readonly Answer<unknown>[],
): boolean =>
  answers.some(answer => answer.status !== 'unknown' && answer.cnames.some(name => network.refuseName(name) !== null))
