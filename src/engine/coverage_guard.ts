// Whether a result may be given at all. What was not seen is the target's doing only where our own instruments are
// proved; where they are not, there is no verdict, and no `safe` above all. A listing that decides alone is always told.
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import { resolverSentence, wayOutSentence } from '../health/report.ts'
import { type Instruments, isHealthy, type Standing, type Suspect } from '../health/standing.ts'
import type { Verdict } from '../scoring/verdict.ts'
import type { Target } from '../targets/target.ts'
import type { Analysis, Gathered } from './analysis.ts'

/** Why no result is given. */
export interface Refusal {
  /** A slug: `resolver_timeout`, `way_out_no_route`, `gatherer_failed`, ... */
  readonly reason: string
  /** A sentence for the client; null where there is nothing to say beyond the reason. */
  readonly detail: string | null
}

/** As gathered, or as an extension yields it in a gatherer's place, which nobody has checked. */
type Given<Name extends EvidenceName> = Partial<Evidence[Name]>

type Kinds = ReadonlyMap<string, Gathered>

/** The evidence that DNS alone yields. */
const BY_DNS: readonly EvidenceName[] = ['addresses', 'dns', 'mail_records', 'reverse_names', 'listings']
/** The evidence that only a connection to the target yields. */
const BY_CONNECTION: readonly EvidenceName[] = ['tls', 'page', 'document', 'crawl_files', 'entrances']
/** What a peer that was never heard looks like: a firewall of ours may have said it. */
const SILENT: ReadonlySet<string | null> = new Set(['refused', 'reset', 'closed', 'timeout', 'unreachable'])

/** The operator forbids the contact: that is nobody's failure. */
const DENIED = 'denied'

/** Which instrument to prove again, when this is how a kind of evidence went; null when it speaks for itself. */
export function suspectOf(name: string, gathered: Gathered): Suspect | null {
  if (isOneOf(BY_DNS, name)) return leansOnResolver(name, gathered) ? 'resolver' : null
  if (isOneOf(BY_CONNECTION, name)) return isUnheard(name, gathered) ? 'way_out' : null
  return null
}

/** Every question of the check to DNS was answered. */
export const isAnswered = (evidence: Kinds): boolean =>
  BY_DNS.every(name => {
    const gathered = evidence.get(name)
    return gathered?.status !== 'unavailable' || gathered.reason === DENIED
  })

/** Where connections of this check go, as far as that is known. */
export function addressesOf({ target, evidence }: Pick<Analysis, 'target' | 'evidence'>): readonly string[] {
  if (target.ip !== null) return [target.ip]
  return gatheredValue(evidence, 'addresses')?.dialable?.map(({ address }) => address) ?? []
}

export interface Judged {
  readonly verdict: Verdict
  /** A listing of it is confirmed, whatever else is unknown. */
  readonly decided: boolean
}

/** Null when the result may be given. */
export function refusalOf(analysis: Analysis, instruments: Instruments, { verdict, decided }: Judged): Refusal | null {
  if (decided) return null
  const { evidence, target } = analysis
  const broken = defectOf(evidence, target)
  if (broken !== null) return { reason: broken, detail: null }
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

/** Every check leans on a resolver that is down: it may deny anything. One that is unproved is leant on for denials and failures. */
const isResolverNeeded = (evidence: Kinds, { state }: Standing): boolean =>
  BY_DNS.some(name => {
    const gathered = evidence.get(name)
    return gathered !== undefined && (state === 'down' || leansOnResolver(name, gathered))
  })

/** Nothing was heard of the target, or it reads as safe beside registries and directories that cannot be asked either. */
function isWayOutNeeded(analysis: Analysis, { state }: Standing, verdict: Verdict): boolean {
  const { evidence } = analysis
  const kinds = BY_CONNECTION.flatMap(name => {
    const gathered = evidence.get(name)
    return gathered ? [{ name, gathered }] : []
  })
  if (kinds.some(({ name, gathered }) => isHeard(name, gathered))) return false
  if (state === 'down' && verdict === 'safe') return true
  return addressesOf(analysis).length > 0 && kinds.some(({ name, gathered }) => isUnheard(name, gathered))
}

/** It is no record: a denial or a failure, which a resolver that is not proved may have made up. */
function leansOnResolver(name: string, gathered: Gathered): boolean {
  if (gathered.status === 'unavailable') return gathered.reason !== DENIED
  if (gathered.status !== 'gathered') return false
  const { status, names, lists } = gathered.value as Given<'addresses'> & Given<'reverse_names'> & Given<'listings'>
  if (name === 'addresses') return status === 'no_data' || status === 'not_found'
  if (name === 'reverse_names') return names?.length === 0
  return name === 'listings' && lists !== undefined && lists.every(one => one.status === 'unknown')
}

/** A peer said something over a connection of ours. */
function isHeard(name: string, gathered: Gathered): boolean {
  if (gathered.status !== 'gathered') return false
  if (name === 'tls') {
    const { status, failure = null } = gathered.value as Given<'tls'>
    return status === 'handshake' || (status === 'failed' && !SILENT.has(failure))
  }
  if (name === 'page') {
    const { exchanges = [], failure = null } = gathered.value as Given<'page'>
    return exchanges.length > 0 || !SILENT.has(failure)
  }
  if (name === 'entrances') {
    const { http, www } = gathered.value as Given<'entrances'>
    return [http, www].some(entrance => typeof entrance?.status === 'number')
  }
  return name === 'document'
}

/** A connection was wanted, and nothing was heard. */
function isUnheard(name: string, gathered: Gathered): boolean {
  if (gathered.status === 'unavailable') return gathered.reason !== DENIED
  if (gathered.status === 'not_applicable') return gathered.reason === 'no_response'
  if (gathered.status !== 'gathered' || (name !== 'tls' && name !== 'page')) return false
  const { failure = null } = gathered.value as Given<'tls' | 'page'>
  return SILENT.has(failure) && !isHeard(name, gathered)
}

/** What every look at the target begins with broke: that is our defect, and says nothing of the target. */
function defectOf(evidence: Kinds, { kind }: Target): string | null {
  const roots = (kind === 'domain' ? ['addresses'] : ['tls', 'page']).flatMap(name => evidence.get(name) ?? [])
  const failed = roots.flatMap(root => (root.status === 'failed' ? root.reason : []))
  return failed[0] !== undefined && failed.length === roots.length ? failed[0] : null
}

/** No section saw anything, and it was not the target that hid. */
function nothingSeen({ outcomes, evidence }: Analysis): Refusal | null {
  const all = [...outcomes.values()]
  const saw = all.some(
    ({ status, signals }) => status === 'completed' || status === 'not_applicable' || signals.length > 0,
  )
  if (saw || all.length === 0) return null
  const hidden = [...evidence].some(([name, gathered]) => suspectOf(name, gathered) !== null)
  const isDefect = all.some(({ status }) => status === 'failed')
  if (hidden && !isDefect) return null
  return { reason: all.find(({ reason }) => reason)?.reason ?? 'unknown', detail: null }
}

/** What this check could not see is not our fault: the resolver is proved, and its way out is not known to be down. */
export const areProved = (analysis: Analysis, instruments: Instruments): boolean =>
  isHealthy(instruments.resolver(analysis.now.getTime())) && instruments.wayOut(addressesOf(analysis))?.state !== 'down'

/** A local feed, which needs no network, lists the target now. */
export function isListedNow({ evidence }: Pick<Analysis, 'evidence'>): boolean {
  const feeds = gatheredValue(evidence, 'feeds')
  return feeds?.lists?.some(({ status, strength }) => status === 'listed' && strength !== 'none') ?? false
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

function gatheredValue<Name extends EvidenceName>(evidence: Kinds, name: Name): Given<Name> | null {
  const gathered = evidence.get(name)
  return gathered?.status === 'gathered' ? (gathered.value as Given<Name>) : null
}
