// Which servers are asked: the config's, or the system's.
import { getServers } from 'node:dns'
import { parseResolver, type ResolverAddress } from './resolver_address.ts'

/** The servers named, or the system's when none is. Throws a `TypeError` when one of those named is not an address. */
export function dnsServers(named: readonly string[]): readonly ResolverAddress[] {
  if (named.length === 0) return getServers().flatMap(text => parseResolver(text) ?? [])
  return named.map(text => {
    const server = parseResolver(text)
    if (!server) throw new TypeError(`not a DNS server: ${text}`)
    return server
  })
}
