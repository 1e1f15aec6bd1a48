// Whether the name resolves: it may not exist, fail to resolve, or point to addresses that must not be contacted.
import {
  type AnalysisContext,
  type Evidence,
  type Finding,
  printable,
  type SignalFound,
} from '../../src/engine/plugin.ts'
import { type DnsFault, signalsOf } from './faults.ts'
import { isPrivateAddress } from './private_address.ts'
import type { Section } from './schema.ts'

import type { SignalId } from './signals.ts'
import { bogusSets } from './zone.ts'

type Mail = Evidence['mail_records']
type Addresses = Evidence['addresses']
type Target = AnalysisContext<unknown>['target']

/** The addresses evidence holds at most this many answers. Beyond them, an address that is not listed may still be one. */
const ANSWERS_KEPT = 16

/** CNAME records that loop or form an overlong chain. Nothing else uses up all the queries of a check. */
const aliasReasons = new Set(['cname_loop', 'cname_too_long', 'too_many_queries'])

/** The behaviour of name servers that did not answer, by the evidence's reason. */
const unansweredBecause: Readonly<Record<string, string>> = {
  timeout: 'do not answer',
  refused: 'refuse to answer',
  malformed: 'send malformed replies',
}

function unresolvedSignals(domain: string, reason: string): SignalFound<SignalId>[] {
  if (reason === 'servfail') {
    const detail = `${domain} cannot be resolved: its name servers return SERVFAIL, or its DNSSEC signatures are invalid.`
    return [{ id: 'dns_servfail', detail }]
  }
  const reasonText = unansweredBecause[reason]
  if (reasonText !== undefined) {
    return [{ id: 'dns_unanswered', detail: `${domain} cannot be resolved: its name servers ${reasonText}.` }]
  }
  if (!aliasReasons.has(reason)) return []
  return [
    {
      id: 'dns_alias_loop',
      detail: `${domain} cannot be resolved: its CNAME records form a loop or an overlong chain.`,
    },
  ]
}

const isNotFound = (status: string): boolean => status === 'not_found'

export interface ResolutionEvidence<MailSeen = Mail | null> {
  /** Null if it was not gathered. */
  readonly mail_records: MailSeen
  readonly addresses: Addresses | null
  readonly dns: Evidence['dns'] | null
}

type DomainTarget = Target & { kind: 'domain' }
type Unspeakable = Exclude<Finding<Section, SignalId>, { section: Section }>

/** The finding about a name that does not exist; null if it does, or if that is unknown. */
export function nonexistent(
  target: DomainTarget,
  { mail_records: mail, addresses }: ResolutionEvidence,
): Unspeakable | null {
  const statuses = mail === null ? [] : [mail.mx.status, mail.spf.root.status]
  const isGone = addresses === null ? mail !== null && statuses.every(isNotFound) : isNotFound(addresses.status)
  // A name that has records exists, whatever its servers answer to other queries (RFC 8020 section 2).
  if (!isGone || statuses.includes('found')) return null
  const alias = addresses?.cnames.at(-1)
  const does = alias ? `is a CNAME of ${alias}, which does` : 'does'
  const detail = printable(`${target.domain} ${does} not exist in DNS.`)
  const others = signalsOf(addressFaults(target, addresses), true)
  return { notApplicable: 'domain_not_found', signals: [{ id: 'domain_not_found', detail }, ...others] }
}

/** The finding when the mail records were not gathered: what else is known about the name. */
export function unasked(
  target: DomainTarget,
  { addresses, dns }: ResolutionEvidence,
  { mail_records }: AnalysisContext<unknown>['missing'],
): Unspeakable {
  const signals = [...signalsOf(addressFaults(target, addresses), true), ...bogusSignals(dns)]
  return { unavailable: mail_records?.reason ?? 'dns_unavailable', signals }
}

/** The finding when no query about the mail of this name was answered; null if something can be said. */
export function unanswered(
  target: DomainTarget,
  { mail_records, addresses, dns }: ResolutionEvidence<Mail>,
): Unspeakable | null {
  const { mx, spf, dmarc } = mail_records
  const own = dmarc.steps[0]
  if (mx.status !== 'unknown' || spf.root.status !== 'unknown' || own?.record) return null
  const reason = mx.reason ?? 'unknown'
  const isSame = spf.root.reason === reason && addresses === null
  const signals = isSame ? unresolvedSignals(target.domain, reason) : signalsOf(addressFaults(target, addresses), true)
  return { unavailable: reason, signals: [...signals, ...bogusSignals(dns)] }
}

const bogusSignals = (dns: Evidence['dns'] | null): SignalFound<SignalId>[] =>
  dns?.dnssec === 'bogus' ? [{ id: 'dnssec_bogus', detail: bogusSets(dns) }] : []

/** Faults of the addresses that the name resolves to. */
export function addressFaults(target: Target, addresses: Addresses | null): DnsFault[] {
  if (addresses === null || target.kind === 'ip') return []
  const { answers, unanswered } = addresses
  const faults: DnsFault[] = []
  const privateAddresses = answers.filter(isPrivateAddress)
  if (privateAddresses.length > 0) {
    const all = privateAddresses.length === answers.length
    const code = all ? 'resolves_to_private_address' : 'resolves_partly_to_private_address'
    const message = `${target.domain} resolves to ${privateAddresses[0]?.address}, which is not a public address.`
    const evidence = { addresses: privateAddresses.map(({ address, refused: reason }) => ({ address, reason })) }
    faults.push({ code, message, evidence })
  }
  const ownAddress = target.ip
  const allKnown = answers.length < ANSWERS_KEPT && unanswered !== (ownAddress?.includes(':') ? 6 : 4)
  if (ownAddress !== null && allKnown && answers.every(({ address }) => address !== ownAddress)) {
    const message = `${target.domain} does not resolve to ${ownAddress}.`
    const evidence = { answers: answers.map(({ address }) => address) }
    faults.push({ code: 'ip_not_in_dns_answers', message, evidence })
  }
  return faults
}
