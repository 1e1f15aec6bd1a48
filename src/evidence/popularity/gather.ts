// Gathers how popular the registrable domain is, by lists of the most visited domains. Missing and outdated lists are
// not used.

import type { PopularityList } from '../../knowledge/datasets/held.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Popularity, PopularityRank } from './facts.ts'

/** Rejects with `Unavailable` (`not_configured`) when the installation has no list, `NotApplicable` for addresses. */
export default function createPopularityGatherer({
  popularity: lists,
}: {
  readonly popularity: () => readonly PopularityList[]
}): Gatherer<Popularity> {
  return async ({ target }) => {
    const all = lists()
    if (all.length === 0) throw new Unavailable(NOT_CONFIGURED)
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    const domain = target.registrable
    const answers = all.map(list => rankIn(list, domain))
    const ranks = answers.flatMap(({ rank }) => (rank === null ? [] : [rank]))
    return { domain, rank: ranks.length === 0 ? null : Math.min(...ranks), lists: answers }
  }
}

function rankIn({ id, name, ranks, reason, age_hours }: PopularityList, domain: string): PopularityRank {
  if (ranks === null) {
    return { id, name, status: 'unknown', reason: reason ?? 'not_loaded', rank: null, of: null, age_hours }
  }
  const rank = ranks.rank(domain)
  return { id, name, status: rank === null ? 'not_ranked' : 'ranked', reason: null, rank, of: ranks.size, age_hours }
}
