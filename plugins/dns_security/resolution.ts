// Whether the name leads anywhere: it may not exist, not resolve, or point where nobody may connect.
import type { AnalysisContext, Evidence, Finding, SignalFound } from '../../src/engine/plugin.ts'
import { type Fault, signalsOf } from './faults.ts'
import { isPrivateAddress } from './private_address.ts'
import type { Section } from './schema.ts'
import { shown } from './shown.ts'
import type { SignalId } from './signals.ts'

type Mail = Evidence['mail_records']
type Addresses = Evidence['addresses']
type Target = AnalysisContext<unknown>['target']

/** The addresses evidence holds no more answers than this: beyond, what is not among them may still be one. */
const ANSWERS_KEPT = 16

/** The name is the end of aliases that go round in circles, or on for ever. */
const aliasReasons = new Set(['cname_loop', 'cname_too_long'])

function unresolved(domain: string, reason: string): SignalFound<SignalId>[] {
  if (reason === 'servfail') {
    const detail = `${domain} cannot be resolved: its name servers fail, or its DNSSEC signatures do not verify.`
    return [{ id: 'dns_servfail', detail }]
  }
  if (!aliasReasons.has(reason)) return []
  return [{ id: 'dns_alias_loop', detail: `${domain} cannot be resolved: its aliases (CNAME) lead to no end.` }]
}

const isNotFound = (status: string): boolean => status === 'not_found'

/** Why nothing can be said about the mail of this name; null when something can. */
export function unspeakable(
  target: Target & { kind: 'domain' },
  mail: Mail,
  addresses: Addresses | null,
  dns: Evidence['dns'] | null,
): Exclude<Finding<Section, SignalId>, { section: Section }> | null {
  const { domain } = target
  const known = signalsOf(addressFaults(target, addresses), true)
  const statuses = [mail.mx.status, mail.spf.root.status]
  const isGone = addresses === null ? statuses.every(isNotFound) : isNotFound(addresses.status)
  // A name that has records exists, whatever its servers say to other questions (RFC 8020 section 2)
  if (isGone && !statuses.includes('found')) {
    const alias = addresses?.cnames.at(-1)
    const detail = shown(`${domain} is ${alias ? `an alias (CNAME) of ${alias}, which is ` : ''}not in the DNS.`)
    return { notApplicable: 'domain_not_found', signals: [{ id: 'domain_not_found', detail }, ...known] }
  }
  const { mx, spf, dmarc } = mail
  const own = dmarc.steps[0]
  if (mx.status !== 'unknown' || spf.root.status !== 'unknown' || own?.record) return null
  const reason = mx.reason ?? 'unknown'
  const isSame = spf.root.reason === reason && addresses === null
  const signals = isSame ? unresolved(domain, reason) : known
  if (dns?.dnssec !== 'bogus') return { unavailable: reason, signals }
  return { unavailable: reason, signals: [...signals, { id: 'dnssec_bogus', detail: bogusDetail(domain) }] }
}

const bogusDetail = (domain: string) => `The DNSSEC signatures of ${domain} do not verify.`

/** Faults of the addresses the name resolves to. */
export function addressFaults(target: Target, addresses: Addresses | null): Fault[] {
  if (addresses === null || target.kind === 'ip') return []
  const { answers, unanswered } = addresses
  const faults: Fault[] = []
  const refused = answers.filter(isPrivateAddress)
  if (refused.length > 0) {
    const all = refused.length === answers.length
    const code = all ? 'resolves_to_private_address' : 'resolves_partly_to_private_address'
    const message = `${target.domain} resolves to ${refused[0]?.address}, which is not a public address.`
    const evidence = { addresses: refused.map(({ address, refused: reason }) => ({ address, reason })) }
    faults.push({ code, message, evidence })
  }
  const given = target.ip
  const allKnown = answers.length < ANSWERS_KEPT && unanswered !== (given?.includes(':') ? 6 : 4)
  if (given !== null && allKnown && answers.every(({ address }) => address !== given)) {
    const message = `${target.domain} does not resolve to ${given}.`
    const evidence = { answers: answers.map(({ address }) => address) }
    faults.push({ code: 'ip_not_in_dns_answers', message, evidence })
  }
  return faults
}
