// The addresses of the target that may be dialled, and the errors for targets without addresses or answers.
import { refusalOf } from '../../network/guard.ts'
import type { ConnectFailure } from '../../network/network.ts'
import type { DnsFailure } from '../../network/resolver.ts'
import { NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { Addresses } from './facts.ts'

export type WithAddresses = GatherContext<{ addresses: Addresses }>

/** The addresses that connections may go to. A given `ip` does not depend on DNS. Rejects when there are none. */
export async function dialableAddresses({ target, network, gather }: WithAddresses): Promise<readonly string[]> {
  if (target.ip !== null && network.refuse(target.ip) === null) return [target.ip]
  const { status, answers, dialable } = await gather('addresses')
  if (dialable.length > 0) return dialable.map(({ address }) => address)
  if (status === 'not_found') throw new NotApplicable('domain_not_found')
  if (answers.length === 0) throw new NotApplicable('no_address')
  throw connectError(refusalOf(answers.map(({ refused }) => refused)))
}

/** A missing reply says nothing about the target: the path or our own network may have failed. */
export const isSilent = (failure: ConnectFailure): boolean => failure === 'timeout' || failure === 'unreachable'

/** The error for a failure that is not an answer of the target. */
export function connectError(failure: ConnectFailure): Error {
  if (failure === 'not_public') return new NotApplicable('resolves_to_private_address')
  return new Unavailable(failure === 'timeout' ? 'connect_timeout' : failure)
}

/** The error for an unanswered DNS query. */
export const noAnswer = (reason: DnsFailure): Unavailable =>
  new Unavailable(reason === 'timeout' ? 'resolver_timeout' : reason)
