// What a domain's rank among the most visited is worth: who is visited by many is watched by many.
import type { Evidence, SignalFound } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

/** Up to each rank, the share of the weight. The long tail of such lists is cheaply bought, and earns nothing. */
const SHARES: readonly (readonly [rank: number, share: number])[] = [
  [10_000, 1],
  [100_000, 0.7],
  [500_000, 0.4],
]

export function popularitySignals({ domain, rank }: Evidence['popularity']): SignalFound<SignalId>[] {
  const share = rank === null ? undefined : SHARES.find(([least]) => rank <= least)?.[1]
  if (share === undefined) return []
  const detail = `${domain} is number ${rank} among the most visited domains.`
  return [{ id: 'popular_domain', strength: share, detail, evidence: { rank } }]
}
