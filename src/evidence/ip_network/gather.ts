// Whose network the address is in, since when, and who hears of abuse: by RDAP, from the registry of its address space.

import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Bootstrap } from '../registration/bootstrap.ts'
import { createInquiry, type InquiryOptions } from '../registration/inquiry.ts'
import { networkLookups } from '../registration/lookup_strategies.ts'
import { holds } from '../registration/network_answer.ts'
import type { RegistrationCache } from '../registration/registration_cache.ts'
import type { IpNetwork, IpNetworkFacts } from './facts.ts'

export interface IpNetworkOptions extends InquiryOptions {
  /** The RDAP bootstrap file for addresses of a version as it is now; null while there is none. */
  readonly bootstrap: (version: 4 | 6) => Bootstrap | null
  readonly cache: RegistrationCache<IpNetworkFacts>
}

/**
 * Rejects with `NotApplicable` for a domain, whose registration says more, and for an address that no registry answers
 * for (`no_registry_service`), with `Unavailable` when it stays unknown: `not_configured` (no bootstrap file), or as an inquiry does.
 */
export default function createIpNetworkGatherer({
  ip_network: options,
}: {
  readonly ip_network: IpNetworkOptions
}): Gatherer<IpNetwork> {
  const { bootstrap, cache } = options
  const inquire = createInquiry<IpNetworkFacts>(options)
  return async ({ target, ...context }) => {
    if (target.kind === 'domain') throw new NotApplicable('domain_target')
    const { ip } = target
    const known = cache.get(ip) ?? cache.get(neighbours(ip).block)
    if (known !== null) return { ip, ...known }
    const file = bootstrap(versionOf(ip))
    if (file === null) throw new Unavailable(NOT_CONFIGURED)
    const ways = networkLookups(ip, file)
    if (ways.length === 0) throw new NotApplicable('no_registry_service')
    const { facts } = await inquire(context, ip, ways)
    cache.put(keyFor(ip, facts), facts)
    return { ip, ...facts }
  }
}

const versionOf = (ip: string): 4 | 6 => (isIPv6(ip) ? 6 : 4)

/** Bits of the blocks in which neighbours are taken to have one holder: the smallest that are routed by themselves. */
const NEIGHBOURS = { 4: 24, 6: 48 } as const

/** First and last of the block, and the block as a key. */
function neighbours(ip: string) {
  const cidr = `${ip}/${NEIGHBOURS[versionOf(ip)]}`
  const space = isIPv6(ip) ? ipaddr.IPv6 : ipaddr.IPv4
  const [first, last] = [space.networkAddressFromCIDR(cidr).toString(), space.broadcastAddressFromCIDR(cidr).toString()]
  return { first, last, block: `${first}-${last}` }
}

/**
 * Registries answer with the most specific network. A wide one tells of the block around the address, not of those in
 * other parts of it, which may be assigned further; one smaller than the block tells of the address alone.
 */
function keyFor(ip: string, { start_address, end_address }: IpNetworkFacts): string {
  if (start_address === null || end_address === null) return ip
  const { first, last, block } = neighbours(ip)
  const range = { start_address, end_address }
  return holds(range, first) && holds(range, last) ? block : ip
}
