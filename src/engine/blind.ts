// When nothing could be looked at, there is no answer: least of all that the target is safe.
import type { EvidenceName } from '../evidence/evidence.ts'
import type { Analysis } from './analysis.ts'
import { AnalysisUnavailable } from './outcome.ts'

/** Reasons that are the resolver's answer about the target: the zone is broken, not our way to it. */
const ANSWERED = new Set(['servfail', 'cname_loop', 'cname_too_long'])

/**
 * With our resolver or network down nothing was looked at, whatever local sections may say: no answer then. That is
 * so when the addresses could not be had for reasons of ours, or no section completed nor noticed anything.
 */
export function refuseIfBlind({ evidence, outcomes }: Analysis): void {
  const blind = [...evidence].find(
    ([name, gathered]) => name === ROOT_EVIDENCE && gathered.status === 'unavailable' && !ANSWERED.has(gathered.reason),
  )?.[1]
  if (blind && 'reason' in blind) throw new AnalysisUnavailable(blind.reason)
  const all = [...outcomes.values()]
  const looked = all.some(
    ({ status, signals }) => status === 'completed' || status === 'not_applicable' || signals.length > 0,
  )
  if (!looked && all.length > 0) throw new AnalysisUnavailable(all.find(({ reason }) => reason)?.reason ?? 'unknown')
}

/** The evidence every look at the target begins with. */
const ROOT_EVIDENCE: EvidenceName = 'addresses'
