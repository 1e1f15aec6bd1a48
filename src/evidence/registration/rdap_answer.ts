// Reads what RDAP answers about a domain (RFC 9083 section 5.3), the part of it that is evidence. Pure; never throws.

import { hostName } from '../host_name.ts'
import { parseMoment } from './dates.ts'
import { expiresAt, nameServers, notRegistered, type Reading, registeredAt, registrarName, updatedAt } from './facts.ts'
import { asList, asRecord, asText, parseJson } from './json_value.ts'
import { statuses } from './status.ts'

/** Members of a list that are looked at: far more than any registry lists. */
const MEMBERS = 100

type Json = Readonly<Record<string, unknown>>

/** `now` in milliseconds since the Unix epoch. `failure` is `unreadable`, or `other_domain` when it answers another question. */
export function readRdap(body: Buffer, domain: string, now: number): Reading {
  const answer = asRecord(parseJson(new TextDecoder().decode(body)))
  if (answer === null) return { ok: false, failure: 'unreadable' }
  if (answer['errorCode'] === 404) return { ok: true, facts: notRegistered }
  if (!isDomain(answer)) return { ok: false, failure: 'unreadable' }
  if (!isAbout(answer, domain)) return { ok: false, failure: 'other_domain' }
  const moments = (action: string) => momentsOf(answer, action)
  const facts = {
    registered: true,
    ...registeredAt(moments('registration'), now),
    expires_at: expiresAt(moments('expiration')),
    updated_at: updatedAt(moments('last changed'), now),
    registrar: registrarOf(answer),
    status: statuses(asList(answer['status'], MEMBERS).flatMap(status => asText(status) ?? [])),
    dnssec_signed: signed(asRecord(answer['secureDNS'])),
    name_servers: nameServers(records(answer, 'nameservers').map(({ ldhName }) => hostName(asText(ldhName) ?? ''))),
  }
  return { ok: true, facts }
}

const records = (object: Json, member: string): readonly Json[] =>
  asList(object[member], MEMBERS)
    .map(asRecord)
    .filter(item => item !== null)

/** Some servers leave the class out (RFC 9083 section 4.9). */
function isDomain({ objectClassName, ldhName, errorCode }: Json): boolean {
  if (errorCode !== undefined) return false
  const class_ = asText(objectClassName)
  return class_ === null ? typeof ldhName === 'string' : class_.toLowerCase() === 'domain'
}

/** Some servers write U-labels where A-labels belong: those are not compared. */
function isAbout({ ldhName }: Json, domain: string): boolean {
  const name = asText(ldhName)
  if (name === null || /[^\u0021-\u007e]/.test(name)) return true
  return name.toLowerCase().replace(/\.$/, '') === domain
}

/** Of the domain's own events (RFC 9083 section 4.5), never of its entities'. */
const momentsOf = (answer: Json, action: string): readonly number[] =>
  records(answer, 'events')
    .filter(({ eventAction }) => asText(eventAction)?.trim().toLowerCase() === action)
    .flatMap(({ eventDate }) => parseMoment(asText(eventDate) ?? '') ?? [])

function registrarOf(answer: Json): string | null {
  const registrar = records(answer, 'entities').find(entity =>
    asList(entity['roles'], MEMBERS).some(role => asText(role)?.toLowerCase() === 'registrar'),
  )
  return registrar === undefined ? null : cardName(registrar['vcardArray'])
}

/** The formatted name, else the organization, of a jCard (RFC 7095 section 3). */
function cardName(card: unknown): string | null {
  const [, list] = asList(card, 2)
  const properties = asList(list, MEMBERS).map(property => asList(property, 4))
  const named = (wanted: string) => {
    const value = properties.find(([name]) => asText(name)?.toLowerCase() === wanted)?.[3]
    return registrarName(asText(value) ?? asText(asList(value, 1)[0]) ?? '')
  }
  return named('fn') ?? named('org')
}

/** RFC 9083 section 5.3: `delegationSigned`, else whether there is DS or key data. */
function signed(secureDns: Json | null): boolean | null {
  if (secureDns === null) return null
  const { delegationSigned } = secureDns
  if (typeof delegationSigned === 'boolean') return delegationSigned
  const data = [...asList(secureDns['dsData'], 1), ...asList(secureDns['keyData'], 1)]
  return data.length > 0 ? true : null
}
