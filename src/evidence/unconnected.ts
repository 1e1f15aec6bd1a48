// How a gatherer says that there is nothing to connect to, or that no connection came about.
import type { ConnectFailure } from '../network/network.ts'
import { NotApplicable, Unavailable } from './decline.ts'
import type { GatherContext } from './gatherer.ts'

/** Where connections to the target may go: to the given `ip` whatever DNS says, or fails to say. Rejects when there is nowhere. */
export async function dialableAddresses({ target, network, gather }: GatherContext): Promise<readonly string[]> {
  if (target.ip !== null && network.refuse(target.ip) === null) return [target.ip]
  const { status, answers, dialable } = await gather('addresses')
  if (dialable.length > 0) return dialable.map(({ address }) => address)
  if (status === 'not_found') throw new NotApplicable('domain_not_found')
  throw new NotApplicable(answers.length === 0 ? 'no_address' : 'resolves_to_private_address')
}

/** Silence tells nothing of the target: it may be the path or our own network. */
export const isSilent = (failure: ConnectFailure): boolean => failure === 'timeout' || failure === 'unreachable'

/** The error for a failure that is no word of the target's. */
export function unconnected(failure: ConnectFailure): Error {
  if (failure === 'not_public') return new NotApplicable('resolves_to_private_address')
  return new Unavailable(failure === 'timeout' ? 'connect_timeout' : failure)
}
