// When nothing could be looked at, there is no answer: least of all that the target is safe.
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { TargetKind } from '../target/target.ts'
import type { Analysis, Gathered } from './analysis.ts'
import { AnalysisUnavailable } from './outcome.ts'

/** Reasons that are the resolver's answer about the target: the zone is broken, not our way to it. */
const ANSWERED = new Set(['servfail', 'cname_loop', 'cname_too_long'])

/**
 * The evidence every look at a target begins with. A name must be resolved; an address is its own, so that only when
 * the resolver and all lists are silent about it and no port of it answers has nothing been seen.
 */
const ROOTS: Readonly<Record<TargetKind, readonly EvidenceName[]>> = {
  domain: ['addresses'],
  ip: ['reverse_names', 'listings'],
}
/** What is looked at where an address was given, also when the name beside it cannot be resolved. */
const AT_ADDRESS: readonly EvidenceName[] = ['tls', 'page']

/**
 * With our resolver or network down nothing was looked at, whatever local sections may say: no answer then. That is
 * so when every root that was asked for could not be had for reasons of ours, our defects included, or when no section
 * completed nor noticed anything.
 */
export function refuseIfBlind({ target, evidence, outcomes }: Analysis): void {
  const names = target.ip === null ? ROOTS[target.kind] : [...ROOTS[target.kind], ...AT_ADDRESS]
  const roots = names.flatMap(name => evidence.get(name) ?? [])
  const unseen = roots.flatMap(root => unseenBecause(root) ?? [])
  if (unseen[0] !== undefined && unseen.length === roots.length) throw new AnalysisUnavailable(unseen[0])
  const all = [...outcomes.values()]
  const looked = all.some(
    ({ status, signals }) => status === 'completed' || status === 'not_applicable' || signals.length > 0,
  )
  if (!looked && all.length > 0) throw new AnalysisUnavailable(all.find(({ reason }) => reason)?.reason ?? 'unknown')
}

/** Why it shows nothing of the target, for reasons of ours; null when it does. */
function unseenBecause(root: Gathered): string | null {
  if (root.status === 'gathered') return isMute(root.value) ? 'no_list_answered' : null
  const isOurs = root.status === 'failed' || (root.status === 'unavailable' && !ANSWERED.has(root.reason))
  return isOurs ? root.reason : null
}

/** Blocklists were asked, and none of them answered. */
function isMute(value: unknown): boolean {
  const { lists } = value as Partial<Evidence['listings']>
  return Array.isArray(lists) && lists.every(({ status }) => status === 'unknown')
}
