// Gathers the network of an address by RDAP: its holder, its age and its abuse contact.

import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Bootstrap, networkBases, networkQuery } from '../../knowledge/datasets/bootstrap.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import {
  createSharedLookup,
  type LookupResult,
  type RegistrationCache,
  type SharedLookupOptions,
} from '../registration/lookup.ts'
import { rdapLookups } from '../registration/rdap.ts'
import type { IpNetwork, IpNetworkFacts } from './facts.ts'
import { contains, noNetwork, readNetwork } from './network_answer.ts'

export interface IpNetworkOptions extends SharedLookupOptions {
  /** The current RDAP bootstrap file for an IP version; null until one is loaded. */
  readonly bootstrap: (version: 4 | 6) => Bootstrap | null
  readonly cache: RegistrationCache<IpNetworkFacts>
}

/**
 * Rejects with `NotApplicable` for a domain, which has a registration instead, and for an address without a registry
 * service (`no_registry_service`); with `Unavailable` for `not_configured` (no bootstrap file) and when the lookup fails.
 */
export default function createIpNetworkGatherer({
  ip_network: options,
}: {
  readonly ip_network: IpNetworkOptions
}): Gatherer<IpNetwork> {
  const { bootstrap, cache } = options
  const lookUp = createSharedLookup<IpNetworkFacts>(options)
  return async ({ target, ...context }) => {
    if (target.kind === 'domain') throw new NotApplicable('domain_target')
    const { ip } = target
    const cachedNetwork = cache.get(ip) ?? cache.get(neighbours(ip).block)
    if (cachedNetwork !== null) return { ip, ...cachedNetwork }
    const file = bootstrap(versionOf(ip))
    if (file === null) throw new Unavailable(NOT_CONFIGURED)
    const bases = networkBases(file, ip)
    if (bases.length === 0) throw new NotApplicable('no_registry_service')
    const read = (body: Buffer, now: number) => readNetwork(body, ip, now)
    const lookups = rdapLookups(bases, base => ({ url: networkQuery(base, ip), read, none: noNetwork }))
    const keep = ({ facts }: LookupResult<IpNetworkFacts>) => cache.put(keyFor(ip, facts), facts)
    const { facts } = await lookUp(context, { subject: ip, lookups, keep })
    return { ip, ...facts }
  }
}

const versionOf = (ip: string): 4 | 6 => (isIPv6(ip) ? 6 : 4)

/** Prefix lengths of the smallest blocks that are routed separately: their addresses are assumed to have one holder. */
const NEIGHBOURS = { 4: 24, 6: 48 } as const

/** The first and last address of the block, and its cache key. */
function neighbours(ip: string) {
  const cidr = `${ip}/${NEIGHBOURS[versionOf(ip)]}`
  const space = isIPv6(ip) ? ipaddr.IPv6 : ipaddr.IPv4
  const [first, last] = [space.networkAddressFromCIDR(cidr).toString(), space.broadcastAddressFromCIDR(cidr).toString()]
  return { first, last, block: `${first}-${last}` }
}

/**
 * Registries answer with the most specific network. A network larger than the block is cached for the block only, because
 * other parts of it may be assigned further; a smaller one is cached for the address only.
 */
function keyFor(ip: string, { start_address, end_address }: IpNetworkFacts): string {
  if (start_address === null || end_address === null) return ip
  const { first, last, block } = neighbours(ip)
  const range = { start_address, end_address }
  return contains(range, first) && contains(range, last) ? block : ip
}
