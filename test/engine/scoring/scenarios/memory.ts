// What is held in memory of a situation: threat feeds and a list of popular domains.

import createFeedsGatherer from '../../../../src/evidence/feeds/gather.ts'
import createPopularityGatherer from '../../../../src/evidence/popularity/gather.ts'
import type { Feed } from '../../../../src/knowledge/datasets/held.ts'
import type { FeedGiven, Situation } from './situation.ts'
import { addressesOf } from './zone.ts'

function feedOf(
  { domain }: Situation,
  addresses: readonly string[],
  [id, category, strength, about = 'names']: FeedGiven,
): Feed {
  const lookup = {
    name: (name: string) => (about === 'names' && name === domain ? name : null),
    pages: () => null,
    address: (address: string) => (about === 'addresses' && addresses.includes(address) ? `${address}/32` : null),
  }
  return { id, name: id, about, category, strength, terms: 'free', lookup, reason: null, age_hours: 3 }
}

/** A feed that holds nothing of the situation is always there. */
export function feedsOf(situation: Situation) {
  const quiet: FeedGiven = ['quiet_feed', 'malware', 'strong']
  const addresses = addressesOf(situation)
  const told = (situation.feeds ?? []).map(given => feedOf(situation, addresses, given))
  return createFeedsGatherer({ feeds: () => [feedOf({ ...situation, domain: '' }, [], quiet), ...told] })
}

export function popularityOf({ rank }: Situation) {
  const ranks = { size: 1_000_000, rank: () => rank ?? null }
  return createPopularityGatherer({
    popularity: () => [{ id: 'ranks', name: 'Ranks', ranks, reason: null, age_hours: 3 }],
  })
}
