// Decides whether a result may be returned. Gaps count as the target's fault only if the service's own instruments are
// proved to work; otherwise there is no verdict, and never `safe`. A listing that decides alone is always reported.

import { resolverSentence, wayOutSentence } from '../base/health/report.ts'
import { type Instruments, isHealthy, type Standing, type Suspect } from '../base/health/standing.ts'
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { Target } from '../targets/target.ts'
import type { Analysis, GatherOutcome } from './analysis.ts'
import type { Verdict } from './scoring/verdict.ts'

/** Why no result is returned. */
export interface Refusal {
  /** A slug: `resolver_timeout`, `way_out_no_route`, `gatherer_failed`, ... */
  readonly reason: string
  /** A sentence for the client; null when the reason is enough. */
  readonly detail: string | null
}

/** As gathered, or as an extension returns it in place of a gatherer, without validation. */
type PartialEvidence<Name extends EvidenceName> = Partial<Evidence[Name]>

type Kinds = ReadonlyMap<string, GatherOutcome>

/** Evidence that needs only DNS. */
const BY_DNS: readonly EvidenceName[] = ['addresses', 'dns', 'mail_records', 'reverse_names', 'listings']
/** Evidence that needs a connection to the target. */
const BY_CONNECTION: readonly EvidenceName[] = ['tls', 'page', 'document', 'crawl_files', 'icon', 'entrances']
/** Failures that look the same when the operator's firewall causes them. */
const SILENT: ReadonlySet<string | null> = new Set(['refused', 'reset', 'closed', 'timeout', 'unreachable'])

/** The operator forbids the contact: not a failure. */
const DENIED = 'denied'

/** Returns the instrument to prove again after this outcome; null when the outcome is conclusive. */
export function suspectOf(name: string, gatherOutcome: GatherOutcome): Suspect | null {
  if (isOneOf(BY_DNS, name)) return leansOnResolver(name, gatherOutcome) ? 'resolver' : null
  if (isOneOf(BY_CONNECTION, name)) return isUnheard(name, gatherOutcome) ? 'way_out' : null
  return null
}

/** All DNS queries of the check were answered. */
export const isAnswered = (evidence: Kinds): boolean =>
  BY_DNS.every(name => {
    const gatherOutcome = evidence.get(name)
    return gatherOutcome?.status !== 'unavailable' || gatherOutcome.reason === DENIED
  })

/** The addresses that this check connects to, as far as known. */
export function addressesOf({ target, evidence }: Pick<Analysis, 'target' | 'evidence'>): readonly string[] {
  if (target.ip !== null) return [target.ip]
  return gatheredValue(evidence, 'addresses')?.dialable?.map(({ address }) => address) ?? []
}

export interface Judgement {
  readonly verdict: Verdict
  /** A listing of the target is confirmed, which decides regardless of anything unknown. */
  readonly decided: boolean
}

/** Null when the result may be returned. */
export function refusalOf(
  analysis: Analysis,
  instruments: Instruments,
  { verdict, decided }: Judgement,
): Refusal | null {
  if (decided) return null
  const { evidence, target } = analysis
  const defect = defectOf(evidence, target)
  if (defect !== null) return { reason: defect, detail: null }
  const resolver = instruments.resolver(analysis.now.getTime())
  if (!isHealthy(resolver) && isResolverNeeded(evidence, resolver)) {
    return { reason: `resolver_${resolver.fault ?? resolver.state}`, detail: resolverSentence(resolver) }
  }
  const wayOut = instruments.wayOut(addressesOf(analysis))
  if (wayOut !== null && !isHealthy(wayOut) && isWayOutNeeded(analysis, wayOut, verdict)) {
    return { reason: `way_out_${wayOut.fault ?? wayOut.state}`, detail: wayOutSentence(wayOut) }
  }
  return nothingSeen(analysis)
}

/**
 * Every check depends on a resolver that is down, because it may deny anything. Denials and failures depend on one that
 * is unproved.
 */
const isResolverNeeded = (evidence: Kinds, { state }: Standing): boolean =>
  BY_DNS.some(name => {
    const gatherOutcome = evidence.get(name)
    return gatherOutcome !== undefined && (state === 'down' || leansOnResolver(name, gatherOutcome))
  })

/**
 * The target did not respond, or the verdict is safe although the way out is down, so registries and directories cannot
 * be asked.
 */
function isWayOutNeeded(analysis: Analysis, { state }: Standing, verdict: Verdict): boolean {
  const { evidence } = analysis
  const kinds = BY_CONNECTION.flatMap(name => {
    const gatherOutcome = evidence.get(name)
    return gatherOutcome ? [{ name, gatherOutcome }] : []
  })
  if (kinds.some(({ name, gatherOutcome }) => isHeard(name, gatherOutcome))) return false
  if (state === 'down' && verdict === 'safe') return true
  return addressesOf(analysis).length > 0 && kinds.some(({ name, gatherOutcome }) => isUnheard(name, gatherOutcome))
}

/** The outcome is a denial or a failure, which an unproved resolver may have invented. */
function leansOnResolver(name: string, gatherOutcome: GatherOutcome): boolean {
  if (gatherOutcome.status === 'unavailable') return gatherOutcome.reason !== DENIED
  if (gatherOutcome.status !== 'gathered') return false
  const { status, names, lists } = gatherOutcome.value as PartialEvidence<'addresses'> &
    PartialEvidence<'reverse_names'> &
    PartialEvidence<'listings'>
  if (name === 'addresses') return status === 'no_data' || status === 'not_found'
  if (name === 'reverse_names') return names?.length === 0
  return name === 'listings' && lists !== undefined && lists.every(one => one.status === 'unknown')
}

/** A peer responded over one of our connections. */
function isHeard(name: string, gatherOutcome: GatherOutcome): boolean {
  if (gatherOutcome.status !== 'gathered') return false
  if (name === 'tls') {
    const { status, failure = null } = gatherOutcome.value as PartialEvidence<'tls'>
    return status === 'handshake' || (status === 'failed' && !SILENT.has(failure))
  }
  if (name === 'page') {
    const { exchanges = [], failure = null } = gatherOutcome.value as PartialEvidence<'page'>
    return exchanges.length > 0 || !SILENT.has(failure)
  }
  if (name === 'entrances') {
    const { http, www } = gatherOutcome.value as PartialEvidence<'entrances'>
    return [http, www].some(entrance => typeof entrance?.status === 'number')
  }
  return name === 'document'
}

/** A connection was attempted, and no host responded. */
function isUnheard(name: string, gatherOutcome: GatherOutcome): boolean {
  if (gatherOutcome.status === 'unavailable') return gatherOutcome.reason !== DENIED
  if (gatherOutcome.status === 'not_applicable') return gatherOutcome.reason === 'no_response'
  if (gatherOutcome.status !== 'gathered' || (name !== 'tls' && name !== 'page')) return false
  const { failure = null } = gatherOutcome.value as PartialEvidence<'tls' | 'page'>
  return SILENT.has(failure) && !isHeard(name, gatherOutcome)
}

/** The first step of every check failed, which is our defect and says nothing about the target. */
function defectOf(evidence: Kinds, { kind }: Target): string | null {
  const roots = (kind === 'domain' ? ['addresses'] : ['tls', 'page']).flatMap(name => evidence.get(name) ?? [])
  const failureReasons = roots.flatMap(root => (root.status === 'failed' ? root.reason : []))
  return failureReasons[0] !== undefined && failureReasons.length === roots.length ? failureReasons[0] : null
}

/** No section saw anything, and the target did not withhold it. */
function nothingSeen({ outcomes, evidence }: Analysis): Refusal | null {
  const all = [...outcomes.values()]
  const saw = all.some(
    ({ status, signals }) => status === 'completed' || status === 'not_applicable' || signals.length > 0,
  )
  if (saw || all.length === 0) return null
  const isHidden = [...evidence].some(([name, gatherOutcome]) => suspectOf(name, gatherOutcome) !== null)
  const isDefect = all.some(({ status }) => status === 'failed')
  if (isHidden && !isDefect) return null
  return { reason: all.find(({ reason }) => reason)?.reason ?? 'unknown', detail: null }
}

/** Gaps in this check are not our fault: the resolver is proved, and the way out is not known to be down. */
export const areProved = (analysis: Analysis, instruments: Instruments): boolean =>
  isHealthy(instruments.resolver(analysis.now.getTime())) && instruments.wayOut(addressesOf(analysis))?.state !== 'down'

/** A local feed, which needs no network, lists the target. */
export function isListedNow({ evidence }: Pick<Analysis, 'evidence'>): boolean {
  const feeds = gatheredValue(evidence, 'feeds')
  return feeds?.lists?.some(({ status, strength }) => status === 'listed' && strength !== 'none') ?? false
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

function gatheredValue<Name extends EvidenceName>(evidence: Kinds, name: Name): PartialEvidence<Name> | null {
  const gatherOutcome = evidence.get(name)
  return gatherOutcome?.status === 'gathered' ? (gatherOutcome.value as PartialEvidence<Name>) : null
}
