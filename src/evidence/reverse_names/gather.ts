// Gathers the names of an address (PTR, RFC 1035 section 3.5) and which of them resolve back to it.

import { isIPv6 } from 'node:net'
import type { DnsFailure, Resolver } from '../../network/resolver.ts'
import { noAnswer } from '../addresses/dialable.ts'
import { NotApplicable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import { reversedAddress } from '../listings/questions.ts'
import type { ReverseNames } from './facts.ts'
import { hostName } from './host_name.ts'

/** Milliseconds for all queries together: reverse zones are often unresponsive. */
const LOOK_UP_MS = 1_500
/** Names resolved: real addresses have one or two, and more do not make them more credible. */
const NAMES = 4

/**
 * Sends one query, and one more for each name. Rejects with `NotApplicable` for a domain, and with `Unavailable`
 * (`resolver_timeout`, `servfail`, ...) when the names are unknown.
 */
export async function gatherReverseNames(context: GatherContext): Promise<ReverseNames> {
  const { target } = context
  if (target.kind === 'domain') throw new NotApplicable('domain_target')
  return namesOf(context, target.ip)
}

/** The names of any address. Rejects with `Unavailable`. */
export async function namesOf(context: ReverseContext, ip: string): Promise<ReverseNames> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), LOOK_UP_MS)
  try {
    return await lookUp(context, ip, AbortSignal.any([context.signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

type ReverseContext = Pick<GatherContext, 'network' | 'signal'>

async function lookUp(context: ReverseContext, ip: string, signal: AbortSignal): Promise<ReverseNames> {
  const { resolver } = context.network
  const answer = await resolver.query(reverseZone(ip), 'PTR', { signal })
  if (answer.status === 'unknown') throw noAnswer(isLate(answer.reason, context) ? 'timeout' : answer.reason)
  if (answer.status !== 'found') return { ip, names: [], total: 0 }
  const hosts = [...new Set(answer.records.map(hostName))].filter(name => name !== null).sort()
  const names = hosts
    .slice(0, NAMES)
    .map(async name => ({ name, confirmed: await leadsTo(resolver, name, ip, signal) }))
  return { ip, names: await Promise.all(names), total: answer.records.length }
}

/** Cancelled by the time limit and not by the end of the check. */
const isLate = (reason: DnsFailure, { signal }: ReverseContext): boolean => reason === 'cancelled' && !signal.aborted

/**
 * The reverse name of an address: `4.3.2.1.in-addr.arpa` (RFC 1035 section 3.5), or nibbles below `ip6.arpa` (RFC 3596
 * section 2.5).
 */
export const reverseZone = (ip: string): string => `${reversedAddress(ip)}.${isIPv6(ip) ? 'ip6' : 'in-addr'}.arpa`

async function leadsTo(resolver: Resolver, name: string, ip: string, signal: AbortSignal): Promise<boolean | null> {
  const answer = await resolver.query(name, isIPv6(ip) ? 'AAAA' : 'A', { signal })
  if (answer.status === 'unknown') return null
  return answer.status === 'found' && answer.records.includes(ip)
}

export default () => gatherReverseNames
