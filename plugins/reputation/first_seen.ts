// Whether this installation has checked the name or address before.
import { day, type Evidence, type SignalFound, type Target } from '../../src/engine/plugin.ts'
import type { SignalId } from './signals.ts'

type FirstSeen = Evidence['first_seen']

/** The first check counts: it is then that the installation sees the target for the first time. Null if unknown. */
export const firstSeenAt = (seen: FirstSeen | null, now: Date): string | null =>
  seen && (seen.at ?? `${now.toISOString().slice(0, 19)}Z`)

/** A record that is young, or that has forgotten old checks, proves little: the detail says how far back it reaches. */
export function firstSeenSignals({ at, since }: FirstSeen, { domain, ip }: Target): SignalFound<SignalId>[] {
  if (at !== null) return []
  const detail = `This is the first check of ${domain ?? ip} on record. The record begins on ${day(since)}.`
  return [{ id: 'first_seen_here', detail, evidence: { since } }]
}
