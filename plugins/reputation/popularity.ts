// Popularity as a trust signal: popular domains are watched by many people.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

/** The share of the weight up to each rank. Ranks in the long tail are cheap to buy and earn nothing. */
const SHARES: readonly (readonly [rank: number, share: number])[] = [
  [10_000, 1],
  [100_000, 0.7],
  [500_000, 0.4],
]

export function popularitySignals({ domain, rank }: Evidence['popularity']): SignalFound<SignalId>[] {
  const share = rank === null ? undefined : SHARES.find(([least]) => rank <= least)?.[1]
  if (share === undefined) return []
  const detail = `${domain} is ranked ${rank} among the most visited domains.`
  return [{ id: 'popular_domain', strength: share, detail, evidence: { rank } }]
}
