// Where the target lives: the addresses its name resolves to, each vetted before anything may connect to it.
import { isIPv6 } from 'node:net'
import { queryAddresses } from '../network/address_records.ts'
import { interleave } from '../network/dial.ts'
import type { Answer } from '../network/resolve.ts'
import type { Target } from '../target/target.ts'
import type { GatherContext, Gatherer } from './gatherer.ts'
import { unanswered } from './unanswered.ts'

/** One address of the target, with the guard's answer about it. */
export interface Address {
  /** Canonical text: dotted quad, or RFC 5952. */
  readonly address: string
  readonly family: 4 | 6
  /** Why the guard refuses to connect to it (`loopback`, `private_use`, ...), or null when it may be dialled. */
  readonly refused: string | null
}

export interface Addresses {
  /** `not_found` is NXDOMAIN; `no_data` a name that exists without address records. An `ip` target is always `found`. */
  readonly status: 'found' | 'no_data' | 'not_found'
  /** What DNS answered for a domain (at most 16), or the one address of an `ip` target. */
  readonly answers: readonly Address[]
  /** The addresses connections may go to, in dialling order (RFC 8305): vetted, at most 4, the given `ip` alone when both were asked. */
  readonly dialable: readonly Address[]
  /** The family whose question went unanswered while the other's found some: of it there may be more. Absent when none did. */
  readonly unanswered?: 4 | 6
  /** CNAME targets passed on the way, in order. */
  readonly cnames: readonly string[]
  /** Seconds; the smallest TTL of the answers, clamped to a day; null for an `ip` target. */
  readonly ttl: number | null
  /** The resolver said the answer is DNSSEC-validated (AD, RFC 4035 section 3.2.3). */
  readonly authenticated: boolean
}

/** Rejects with `Unavailable` (`resolver_timeout`, `servfail`, `cname_loop`, ...) when it stays unknown whether there are any. */
export const gatherAddresses: Gatherer<'addresses'> = context =>
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
  const found = [v6, v4].filter(answer => answer.status === 'found')
  const said = found[0] ?? negative(v4, v6)
  const considered = interleave([...new Set(found.flatMap(answer => answer.records))])
  const answers = considered.slice(0, limits.addresses_considered).map(address => vet(network, address))
  const candidates = target.ip === null ? answers : [vet(network, target.ip)]
  return {
    status: said.status,
    answers,
    dialable: candidates.filter(({ refused }) => refused === null).slice(0, limits.addresses_dialled),
    cnames: said.cnames,
    ttl: found.length > 0 ? Math.min(...found.map(answer => answer.ttl)) : null,
    authenticated: found.length > 0 ? found.every(answer => answer.authenticated) : said.authenticated,
    ...(v4.status === 'unknown' ? { unanswered: 4 } : v6.status === 'unknown' ? { unanswered: 6 } : {}),
  }
}

/** A speaks for the name: servers that know no IPv6 say NXDOMAIN to AAAA of names that exist (RFC 4074 section 4.2). */
function negative(v4: Answer<string>, v6: Answer<string>) {
  if (v4.status === 'no_data' && v6.status === 'unknown') throw unanswered(v6.reason)
  if (v4.status === 'unknown') throw unanswered(v4.reason)
  return v4
}

const vet = (network: GatherContext['network'], address: string): Address => ({
  address,
  family: isIPv6(address) ? 6 : 4,
  refused: network.refuse(address),
})
