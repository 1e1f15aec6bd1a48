// Looks a target up in the operator's own lists.

import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import { NOT_CONFIGURED, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { OperatorListing } from './facts.ts'
import { listingOf, type OperatorLists } from './lookup.ts'

/**
 * Rejects with `Unavailable` (`not_configured`) when the lists are empty. `operator_lists` returns the current lists.
 */
export default function createOperatorListsGatherer({
  operator_lists,
}: {
  readonly operator_lists: () => OperatorLists
}): Gatherer<OperatorListing, { addresses: Addresses }> {
  return async context => {
    const lists = operator_lists()
    if (lists.size === 0) throw new Unavailable(NOT_CONFIGURED)
    const { target } = context
    const now = context.now.getTime()
    const entryOfName = lists.find(target, [], now)
    const entry =
      entryOfName ??
      (target.kind === 'domain' && lists.asksAddresses ? lists.find(target, await addressesOf(context), now) : null)
    return listingOf(entry)
  }
}

/** A target without addresses matches no blocked address. */
const addressesOf = (context: WithAddresses): Promise<readonly string[]> => dialableAddresses(context).catch(() => [])
