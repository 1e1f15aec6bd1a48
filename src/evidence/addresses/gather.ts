// Gathers the addresses of the target and vets each before anything connects to it.

import { isIPv6 } from 'node:net'
import { interleave } from '../../network/dial.ts'
import { DENIED } from '../../network/guard.ts'
import { leadsToDenied, queryAddresses } from '../../network/host_addresses.ts'
import type { Answer } from '../../network/resolver.ts'
import type { Target } from '../../targets/target.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { noAnswer } from './dialable.ts'
import type { Address, Addresses } from './facts.ts'

/** Rejects with `Unavailable` (`resolver_timeout`, `servfail`, `cname_loop`, ...) when the addresses are unknown. */
export const gatherAddresses: Gatherer<Addresses> = context =>
  context.target.kind === 'domain' ? ofDomain(context, context.target) : ofAddress(context, context.target.ip)

async function ofAddress({ network }: GatherContext, ip: string): Promise<Addresses> {
  const address = vet(network, ip)
  const dialable = address.refused === null ? [address] : []
  return { status: 'found', answers: [address], dialable, cnames: [], ttl: null, authenticated: false }
}

async function ofDomain(context: GatherContext, target: Target & { kind: 'domain' }): Promise<Addresses> {
  const { network } = context
  const { limits } = network
  const { v6, v4 } = await queryAddresses(network, target.domain, context.signal)
  const foundAnswers = [v6, v4].filter(answer => answer.status === 'found')
  const reply = foundAnswers[0] ?? negative(v4, v6)
  const isDenied = leadsToDenied(network, [v6, v4])
  const consideredAddresses = interleave([...new Set(foundAnswers.flatMap(answer => answer.records))])
  const answers = consideredAddresses
    .slice(0, limits.addresses_considered)
    .map(address => vet(network, address, isDenied))
  const candidates = target.ip === null ? answers : [vet(network, target.ip)]
  return {
    status: reply.status,
    answers,
    dialable: candidates.filter(({ refused }) => refused === null).slice(0, limits.addresses_dialled),
    cnames: reply.cnames,
    ttl: foundAnswers.length > 0 ? Math.min(...foundAnswers.map(answer => answer.ttl)) : null,
    authenticated: foundAnswers.length > 0 ? foundAnswers.every(answer => answer.authenticated) : reply.authenticated,
    ...(v4.status === 'unknown' ? { unanswered: 4 } : v6.status === 'unknown' ? { unanswered: 6 } : {}),
  }
}

/**
 * The A answer counts: some servers without IPv6 return NXDOMAIN to AAAA queries for existing names (RFC 4074 section
 * 4.2).
 */
function negative(v4: Answer<string>, v6: Answer<string>) {
  if (v4.status === 'no_data' && v6.status === 'unknown') throw noAnswer(v6.reason)
  if (v4.status === 'unknown') throw noAnswer(v4.reason)
  return v4
}

const vet = (network: GatherContext['network'], address: string, isDenied = false): Address => ({
  address,
  family: isIPv6(address) ? 6 : 4,
  refused: isDenied ? DENIED : network.refuse(address),
})

export default () => gatherAddresses
