// How much the registrable domain is visited, by lists of the most popular ones; a list that is absent or old says nothing.

import { isPlatform } from '../target/platforms.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { Gatherer } from './gatherer.ts'
import { ownerOf, splitName } from './name_model/parts.ts'

export interface PopularityRank {
  /** The dataset's id in the configuration. */
  readonly id: string
  readonly name: string
  readonly status: 'ranked' | 'not_ranked' | 'unknown'
  /** Why it is unknown: `loading`, `not_loaded` or `stale`; else null. */
  readonly reason: string | null
  /** 1 is the most popular. */
  readonly rank: number | null
  /** How many domains the list has; null when unknown. */
  readonly of: number | null
  /** Whole hours since its publisher last confirmed what is in memory; null when nothing is. */
  readonly age_hours: number | null
}

export interface Popularity {
  /** What was looked up: tenants of a platform are ranked by their own name, never by the platform's. */
  readonly domain: string
  /** The best of all lists; null when none ranks it, also when none is there to ask. */
  readonly rank: number | null
  readonly lists: readonly PopularityRank[]
}

/** A list of popular domains as the datasets hold it at this moment. */
export interface PopularityList {
  readonly id: string
  readonly name: string
  /** Null with the reason when there is nothing to believe. */
  readonly ranks: { readonly size: number; rank(domain: string): number | null } | null
  readonly reason: string | null
  readonly age_hours: number | null
}

/** Rejects with `Unavailable` (`not_configured`) when the installation has no list, `NotApplicable` for addresses. */
export function createPopularityGatherer(lists: () => readonly PopularityList[]): Gatherer<'popularity'> {
  return async ({ target }) => {
    const all = lists()
    if (all.length === 0) throw new Unavailable(NOT_CONFIGURED)
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    const domain = ownDomain(target.domain, target.registrable)
    const answers = all.map(list => rankIn(list, domain))
    const ranks = answers.flatMap(({ rank }) => (rank === null ? [] : [rank]))
    return { domain, rank: ranks.length === 0 ? null : Math.min(...ranks), lists: answers }
  }
}

/** Below a platform that the PSL does not have, the tenant's. */
const ownDomain = (domain: string, registrable: string): string =>
  isPlatform(registrable) ? ownerOf(splitName(domain)) : registrable

function rankIn({ id, name, ranks, reason, age_hours }: PopularityList, domain: string): PopularityRank {
  if (ranks === null) {
    return { id, name, status: 'unknown', reason: reason ?? 'not_loaded', rank: null, of: null, age_hours }
  }
  const rank = ranks.rank(domain)
  return { id, name, status: rank === null ? 'not_ranked' : 'ranked', reason: null, rank, of: ranks.size, age_hours }
}
