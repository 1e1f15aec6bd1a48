// Popularity as a trust signal: popular domains are watched by many people.
import { type Evidence, identify, type Target } from '../../src/engine/plugin.ts'

/** The share of the weight up to each rank. Ranks in the long tail are cheap to buy and earn nothing. */
const SHARES: readonly (readonly [rank: number, share: number])[] = [
  [10_000, 1],
  [100_000, 0.7],
  [500_000, 0.4],
]

/** The share of the weight that a rank earns; undefined if it earns none or is unknown. */
export const shareOf = (rank: number | null): number | undefined =>
  rank === null ? undefined : SHARES.find(([least]) => rank <= least)?.[1]

/** Whether the domain is among those that earn trust. */
export const isPopular = (popularity: Evidence['popularity'] | null): boolean =>
  popularity !== null && shareOf(popularity.rank) !== undefined

/** Whether the page is of another owner than the target: redirects led there. */
export function leadsElsewhere({ registrable }: Target, page: Evidence['page'] | null): boolean {
  const last = page === null || page.failure !== null ? undefined : page.exchanges.at(-1)
  if (last === undefined || !URL.canParse(last.url)) return false
  return identify(new URL(last.url).hostname).owner !== registrable
}
