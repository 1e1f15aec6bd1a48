// MX records and whether their hosts can receive mail (RFC 5321 section 5.1, RFC 7505, RFC 2181 section 10.3).
import { type Evidence, orUnknown, unseen } from '../../src/engine/plugin.ts'
import type { DnsFault, FaultCode } from './faults.ts'
import type { PartJudgement } from './judgement.ts'
import { isPrivateAddress } from './private_address.ts'
import { mx, type Section } from './schema.ts'

type MailExchangers = Evidence['mail_records']['mx']
type MailHost = MailExchangers['hosts'][number]

/** The fields of the section about mail servers. */
export interface MxPart {
  readonly mx: Section['mx']
  readonly has_mx: boolean | null
  /** None of the hosts can receive mail, or a null MX is published beside other records; null if unknown. */
  readonly broken: boolean | null
}

const isNull = ({ exchange }: MailHost) => exchange === ''
const isPrivate = ({ status, addresses }: MailHost) => status === 'found' && addresses.every(isPrivateAddress)
const hasNoAddress = ({ status }: MailHost) => status === 'no_data' || status === 'not_found'
const isDead = (host: MailHost) => host.is_address || hasNoAddress(host) || isPrivate(host)
const isAlive = (host: MailHost) => host.status === 'found' && !isDead(host)

/** Null if no host is known to be reachable and some were not looked up or did not resolve. */
function allDead(hosts: readonly MailHost[]): boolean | null {
  if (hosts.length === 0 || hosts.some(isAlive)) return false
  return hosts.every(isDead) ? true : null
}

const hostFaults: readonly (readonly [FaultCode, (host: MailHost) => boolean, string])[] = [
  ['mx_is_address', host => host.is_address, 'is an IP address; MX records must contain a host name'],
  ['mx_without_address', hasNoAddress, 'has no address'],
  ['mx_not_public', isPrivate, 'has no public address'],
  ['mx_is_alias', ({ cnames }) => cnames.length > 0, 'is a CNAME, which MX records must not point to'],
]

function faultsOf(hosts: readonly MailHost[]): DnsFault[] {
  const faults = hostFaults.flatMap(([code, applies, what]) =>
    hosts.filter(applies).map(({ exchange }): DnsFault => {
      return { code, message: `The mail server ${exchange} ${what}.`, evidence: { exchange } }
    }),
  )
  if (!hosts.some(isNull) || hosts.every(isNull)) return faults
  const message = 'A null MX record says that the domain accepts no mail, but other MX records exist.'
  return [{ code: 'null_mx_beside_others', message }, ...faults]
}

const wereLookedUp = ({ status }: MailHost) => status !== 'unknown' && status !== 'not_asked'

const hostFields = (host: MailHost) => ({
  preference: host.preference,
  exchange: host.exchange,
  addresses: orUnknown(
    host.addresses.map(({ address }) => address),
    wereLookedUp(host),
  ),
})

/** Judges the MX records: a null MX, and servers without public addresses (RFC 5321, RFC 7505). */
export function judgeMx({ status, reason, total, hosts }: MailExchangers): PartJudgement<MxPart> {
  if (status === 'unknown') {
    return { part: { mx: unseen(mx, { status }), has_mx: null, broken: null }, faults: [], unknown: reason }
  }
  const mailHosts = hosts.filter(host => !isNull(host))
  const state = mailHosts.length > 0 ? 'found' : hosts.length > 0 ? 'null_mx' : 'none'
  const unresolvedReason = hosts.find(host => host.status === 'unknown')?.reason ?? null
  const isMixed = mailHosts.length > 0 && mailHosts.length < hosts.length
  return {
    part: {
      mx: { status: state, total, hosts: hosts.map(hostFields) },
      has_mx: mailHosts.length > 0,
      broken: isMixed || allDead(mailHosts),
    },
    faults: faultsOf(hosts),
    unknown: unresolvedReason,
  }
}
