// What an analyzer answered, checked before anything believes it: its section, its reasons, its signals.
import { isReason } from '../evidence/facts.ts'
import type { SignalFound } from '../scoring/signal.ts'
import { isThreatTypes, THREAT_TYPES } from '../scoring/threats.ts'
import type { Outcome } from './analysis.ts'
import { BUILT_IN } from './contract.ts'
import type { Finding } from './plugin.ts'
import type { ReadyAnalyzer } from './registry.ts'

/** Octets of JSON that a finding may come to: eight of them still leave the answer within its 256 KiB. */
const FINDING_BYTES = 32 * 1024

export type Concluded = Omit<Outcome, 'duration_ms'>

/** A contribution that breaks the contract; `reason` is the slug the client reads. */
export class Broken extends Error {
  readonly reason: string
  constructor(reason: string, detail: string) {
    super(detail)
    this.reason = reason
  }
}

export const without = (
  status: Outcome['status'],
  reason: string,
  signals: readonly SignalFound[] = [],
): Concluded => ({ status, reason, section: null, signals })

/**
 * `missed` is what a section lacks that does not say itself whether it lacks anything. Throws `Broken`, or whatever the
 * answer throws when it is looked at.
 */
export function accept(ready: ReadyAnalyzer, answer: unknown, missed: string | null = null): Concluded {
  const finding = findingOf(ready, answer)
  const signals = acceptSignals(ready, finding.signals ?? [])
  if ('notApplicable' in finding) return without('not_applicable', acceptReason(finding.notApplicable), signals)
  if ('unavailable' in finding) return without('unavailable', acceptReason(finding.unavailable), signals)
  const { section, unknown = missed } = finding
  const complaint = ready.complaint(section)
  if (complaint !== null) {
    throw new Broken('invalid_section', `section${complaint.instancePath} ${complaint.message ?? 'is not valid'}`)
  }
  return { status: 'completed', reason: unknown === null ? null : acceptReason(unknown), section, signals }
}

/** A stranger's finding is taken as the JSON it will become: no getters, no cycles, no surprises, not too much. */
function findingOf({ origin }: ReadyAnalyzer, answer: unknown): Finding<unknown, string> {
  if (answer === null || typeof answer !== 'object' || 'then' in answer) {
    throw new Broken('not_a_finding', 'analyze must return a finding, synchronously')
  }
  if (origin === BUILT_IN) return answer as Finding<unknown, string>
  const text = JSON.stringify(answer) ?? 'null'
  if (Buffer.byteLength(text) > FINDING_BYTES) {
    throw new Broken('finding_too_large', `more than ${FINDING_BYTES} octets of JSON`)
  }
  return JSON.parse(text)
}

function acceptReason(reason: unknown): string {
  if (!isReason(reason)) throw new Broken('invalid_reason', 'a reason must be a slug of at most 64 characters')
  return reason
}

function acceptSignals(ready: ReadyAnalyzer, signals: unknown): readonly SignalFound[] {
  if (!Array.isArray(signals)) throw new Broken('invalid_signal', '"signals" must be an array')
  const seen = new Set<unknown>()
  for (const signal of signals as readonly (SignalFound | null)[]) {
    const fault = signalFault(ready, signal) ?? (seen.has(signal?.id) ? 'was returned twice' : null)
    if (fault !== null) throw new Broken('invalid_signal', `signal "${String(signal?.id)}" ${fault}`)
    seen.add(signal?.id)
  }
  return signals
}

function signalFault({ signals }: ReadyAnalyzer, found: SignalFound | null): string | null {
  const { id, strength = 1, detail = '', evidence = {}, threat_types = [] } = found ?? {}
  if (typeof id !== 'string' || !Object.hasOwn(signals, id)) return 'was not declared'
  if (typeof strength !== 'number' || !(strength >= 0 && strength <= 1)) return 'has a strength outside 0 to 1'
  if (typeof detail !== 'string') return 'has a detail that is no text'
  if (evidence === null || typeof evidence !== 'object' || Array.isArray(evidence))
    return 'has evidence that is no object'
  if (!isThreatTypes(threat_types)) return `has threat types other than ${THREAT_TYPES.join(', ')}`
  return null
}
