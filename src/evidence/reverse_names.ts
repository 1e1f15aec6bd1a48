// The names that an address says it has (PTR, RFC 1035 section 3.5), and which of them lead back to it.
import { isIPv6 } from 'node:net'
import type { GatherContext } from '../engine/gather.ts'
import { NotApplicable } from '../engine/outcome.ts'
import { hostName } from './host_name.ts'
import { reversedAddress } from './listings/query_name.ts'
import { unanswered } from './unanswered.ts'

export interface ReverseName {
  /** Lower case, without the final dot. */
  readonly name: string
  /** The name resolves to the address (RFC 8499: forward-confirmed); null when that could not be looked up. */
  readonly confirmed: boolean | null
}

export interface ReverseNames {
  readonly ip: string
  /** In order of the alphabet, 4 at most; empty when the address has none that is a host's. */
  readonly names: readonly ReverseName[]
  /** How many it has. */
  readonly total: number
}

/** Names that are looked up: an honest address has one or two, others are no more believable for having more. */
const NAMES = 4

/**
 * Asks one question, and one more for each name. Rejects with `NotApplicable` for a domain, whose name is known, with
 * `Unavailable` (`resolver_timeout`, `servfail`, ...) when it stays unknown whether there are any.
 */
export async function gatherReverseNames(context: GatherContext): Promise<ReverseNames> {
  const { target, network, signal } = context
  if (target.kind === 'domain') throw new NotApplicable('domain_target')
  const { ip } = target
  const answer = await network.resolver.query(reverseZone(ip), 'PTR', { signal })
  if (answer.status === 'unknown') throw unanswered(answer.reason)
  if (answer.status !== 'found') return { ip, names: [], total: 0 }
  const hosts = [...new Set(answer.records.map(hostName))].filter(name => name !== null).sort()
  const names = hosts.slice(0, NAMES).map(async name => ({ name, confirmed: await leadsTo(context, name, ip) }))
  return { ip, names: await Promise.all(names), total: answer.records.length }
}

/** Where the names of an address are kept: `4.3.2.1.in-addr.arpa` (RFC 1035 section 3.5), nibbles below `ip6.arpa` (RFC 3596 section 2.5). */
export const reverseZone = (ip: string): string => `${reversedAddress(ip)}.${isIPv6(ip) ? 'ip6' : 'in-addr'}.arpa`

async function leadsTo({ network, signal }: GatherContext, name: string, ip: string): Promise<boolean | null> {
  const answer = await network.resolver.query(name, isIPv6(ip) ? 'AAAA' : 'A', { signal })
  if (answer.status === 'unknown') return null
  return answer.status === 'found' && answer.records.includes(ip)
}
