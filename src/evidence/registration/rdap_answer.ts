// Reads what RDAP answers about a domain (RFC 9083 section 5.3), the part of it that is evidence. Pure; never throws.
import { domainToASCII } from 'node:url'
import { hostName } from '../reverse_names/host_name.ts'
import { expiresAt, nameServers, notRegistered, type Reading, registeredAt, updatedAt } from './answer_values.ts'
import { asList, asRecord, asText, parseJson } from './json_value.ts'
import { entitiesOf, type Json, MEMBERS, momentsOf, nameOf, records } from './rdap_object.ts'
import { statuses } from './status.ts'

/** `now` in milliseconds since the Unix epoch. `failure` is `unreadable`, or `other_domain` when it answers another question. */
export function readRdap(body: Buffer, domain: string, now: number): Reading {
  const answer = asRecord(parseJson(new TextDecoder().decode(body)))
  if (answer === null) return { ok: false, failure: 'unreadable' }
  if (answer['errorCode'] === 404) return { ok: true, facts: notRegistered }
  if (!isDomain(answer)) return { ok: false, failure: 'unreadable' }
  if (!isAbout(answer, domain)) return { ok: false, failure: 'other_domain' }
  const moments = (action: string) => momentsOf(answer, action)
  const [registrar] = entitiesOf(answer, 'registrar')
  const facts = {
    registered: true,
    ...registeredAt(moments('registration'), now),
    expires_at: expiresAt(moments('expiration')),
    updated_at: updatedAt(moments('last changed'), now),
    registrar: registrar === undefined ? null : nameOf(registrar),
    status: statuses(asList(answer['status'], MEMBERS).flatMap(status => asText(status) ?? [])),
    dnssec_signed: signed(asRecord(answer['secureDNS'])),
    name_servers: nameServers(records(answer, 'nameservers').map(({ ldhName }) => hostName(asText(ldhName) ?? ''))),
  }
  return { ok: true, facts }
}

/** Some servers leave the class out (RFC 9083 section 4.9). */
function isDomain({ objectClassName, ldhName, errorCode }: Json): boolean {
  if (errorCode !== undefined) return false
  const class_ = asText(objectClassName)
  return class_ === null ? typeof ldhName === 'string' : class_.toLowerCase() === 'domain'
}

/** Some servers write U-labels where A-labels belong; what maps to no name cannot be compared. */
function isAbout({ ldhName, unicodeName }: Json, domain: string): boolean {
  const name = asText(ldhName) ?? asText(unicodeName) ?? ''
  const ascii = /[^\u0021-\u007e]/.test(name) ? domainToASCII(name) : name.toLowerCase()
  return ascii === '' || ascii.replace(/\.$/, '') === domain
}

/** RFC 9083 section 5.3: `delegationSigned`, else whether there is DS or key data. */
function signed(secureDns: Json | null): boolean | null {
  if (secureDns === null) return null
  const { delegationSigned } = secureDns
  if (typeof delegationSigned === 'boolean') return delegationSigned
  const data = [...asList(secureDns['dsData'], 1), ...asList(secureDns['keyData'], 1)]
  return data.length > 0 ? true : null
}
