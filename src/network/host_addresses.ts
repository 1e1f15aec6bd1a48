// From a host name to the addresses that may be dialled: A and AAAA queried together, each address vetted.
import { isIP } from 'node:net'
import { withTimeout } from '../base/timeout.ts'
import { bareHost } from '../targets/url.ts'
import { behindNat64, parseAddress, translatedAddresses } from './address_block.ts'
import { interleave } from './dial.ts'
import { DENIED, refusalOf } from './guard.ts'
import type { CheckNetwork } from './network.ts'
import type { Answer } from './resolver.ts'

/**
 * In dialling order. `failure`: `not_public`, `denied`, `not_found` (NXDOMAIN or no address), `cancelled`, or
 * `dns_<failure>`.
 */
export type HostAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failure: string }

/** Never rejects. `host` is a `URL.hostname`, which is canonical: `0x7f.1` is `127.0.0.1` there. */
export async function hostAddresses(network: CheckNetwork, host: string, signal: AbortSignal): Promise<HostAddresses> {
  const name = bareHost(host)
  if (isIP(name)) return vetAddresses(network, [name])
  if (network.refuseName(name) !== null) return { ok: false, failure: DENIED }
  const { v6, v4 } = await queryAddresses(network, name, signal)
  const answers = [v6, v4]
  if (leadsToDenied(network, answers)) return { ok: false, failure: DENIED }
  const addresses = answers.flatMap(answer => (answer.status === 'found' ? answer.records : []))
  if (addresses.length > 0) return vetAddresses(network, addresses)
  const reasons = answers.flatMap(answer => (answer.status === 'unknown' ? [answer.reason] : []))
  if (reasons.includes('cancelled')) return { ok: false, failure: 'cancelled' }
  return { ok: false, failure: reasons.length > 0 ? `dns_${reasons[0]}` : 'not_found' }
}

function vetAddresses(network: CheckNetwork, resolvedAddresses: readonly string[]): HostAddresses {
  const consideredAddresses = interleave(resolvedAddresses).slice(0, network.limits.addresses_considered)
  const reasons = consideredAddresses.map(network.refuse)
  const addresses = consideredAddresses.filter((_, at) => reasons[at] === null)
  return addresses.length > 0 ? { ok: true, addresses } : { ok: false, failure: refusalOf(reasons) }
}

/** Whether the name is an alias (CNAME) of a denied name: its addresses are that host's. */
export const leadsToDenied = (
  network: Pick<CheckNetwork, 'refuseName'>,
  answers: readonly Answer<unknown>[],
): boolean =>
  answers.some(answer => answer.status !== 'unknown' && answer.cnames.some(name => network.refuseName(name) !== null))

/**
 * Milliseconds to wait for one family once the other has a usable address (RFC 8305 section 3; longer, because results
 * show both).
 */
const FAMILY_GRACE_MS = 200

export interface AddressRecords {
  readonly v6: Answer<string>
  readonly v4: Answer<string>
}

/**
 * Queries A and AAAA at once. A family that is still pending after the grace period counts as a timeout. Addresses that
 * a DNS64 resolver synthesized are left out. Never rejects.
 */
export async function queryAddresses(
  { resolver, refuse }: Pick<CheckNetwork, 'resolver' | 'refuse'>,
  name: string,
  signal: AbortSignal,
): Promise<AddressRecords> {
  const aaaa = resolver.query(name, 'AAAA', { signal })
  const a = resolver.query(name, 'A', { signal })
  const withGrace = async (mine: Promise<Answer<string>>, other: Promise<Answer<string>>) => {
    const answer = await other
    const isUsable = answer.status === 'found' && answer.records.some(address => refuse(address) === null)
    return isUsable ? ((await withTimeout(mine, FAMILY_GRACE_MS)) ?? TIMEOUT) : mine
  }
  const [v6, v4] = await Promise.all([Promise.race([aaaa, withGrace(aaaa, a)]), Promise.race([a, withGrace(a, aaaa)])])
  return withoutSynthesized({ v6, v4 }, refuse)
}

const TIMEOUT = { status: 'unknown', reason: 'timeout' } as const

/** AAAA records examined: several times more than a check dials or shows. */
const MAX_V6_RECORDS = 64

/** Behind a NAT64: an address below its well-known prefix, or below one of its own that the guard refuses. */
function isTranslated(address: string, refuse: CheckNetwork['refuse']): boolean {
  const ip = parseAddress(address)
  const reason = refuse(address)
  return reason === 'nat64' || reason === DENIED || (ip !== null && behindNat64(ip) !== null)
}

/**
 * A DNS64 resolver synthesizes AAAA records from the A records of names without AAAA (RFC 6147). Such addresses say
 * nothing about the name, and the NAT64 is used anyway when the IPv4 address is dialled. They are left out when they
 * embed a known A record, or when the A records are unknown; in that case the AAAA records are unknown too.
 */
export function withoutSynthesized({ v6, v4 }: AddressRecords, refuse: CheckNetwork['refuse']): AddressRecords {
  if (v6.status !== 'found') return { v6, v4 }
  const v4Addresses = new Set(v4.status === 'found' ? v4.records : [])
  const isSynthesized = (address: string) =>
    (v4.status === 'unknown' || translatedAddresses(address).some(v4Address => v4Addresses.has(v4Address))) &&
    isTranslated(address, refuse)
  const v6Records = v6.records.slice(0, MAX_V6_RECORDS)
  const records = v6Records.filter(address => !isSynthesized(address))
  if (records.length === v6Records.length) return { v6, v4 }
  if (records.length > 0) return { v6: { ...v6, records }, v4 }
  if (v4.status === 'unknown') return { v6: v4, v4 }
  return { v6: { status: 'no_data', authenticated: v6.authenticated, cnames: v6.cnames }, v4 }
}
