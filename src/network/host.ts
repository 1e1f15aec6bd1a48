// From a URL's host to addresses that may be dialled: resolved once, each vetted.
import { isIP } from 'node:net'
import { queryAddresses } from './address_records.ts'
import { interleave } from './dial.ts'
import type { CheckNetwork } from './network.ts'

/** In dialling order. `failure`: `not_public`, `not_found` (NXDOMAIN or no address), `cancelled`, or `dns_<failure>`. */
export type HostAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failure: string }

/** The host without brackets and without the dot that ends an absolute name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Never rejects. `host` as `URL.hostname` has it, which is canonical: `0x7f.1` is `127.0.0.1` there. */
export async function hostAddresses(network: CheckNetwork, host: string, signal: AbortSignal): Promise<HostAddresses> {
  const name = bareHost(host)
  if (isIP(name)) return vetted(network, [name])
  const { v6, v4 } = await queryAddresses(network, name, signal)
  const answers = [v6, v4]
  const found = answers.flatMap(answer => (answer.status === 'found' ? answer.records : []))
  if (found.length > 0) return vetted(network, found)
  const reasons = answers.flatMap(answer => (answer.status === 'unknown' ? [answer.reason] : []))
  if (reasons.includes('cancelled')) return { ok: false, failure: 'cancelled' }
  return { ok: false, failure: reasons.length > 0 ? `dns_${reasons[0]}` : 'not_found' }
}

function vetted(network: CheckNetwork, found: readonly string[]): HostAddresses {
  const considered = interleave(found).slice(0, network.limits.addresses_considered)
  const addresses = considered.filter(address => network.refuse(address) === null)
  return addresses.length > 0 ? { ok: true, addresses } : { ok: false, failure: 'not_public' }
}
