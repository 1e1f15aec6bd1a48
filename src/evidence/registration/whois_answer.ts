// Reads what WHOIS servers answer about a domain, in their many layouts. Pure; never throws.
import { hostName } from '../reverse_names/host_name.ts'
import {
  expiresAt,
  nameServers,
  notRegistered,
  type Reading,
  registeredAt,
  shortName,
  updatedAt,
} from './answer_values.ts'
import { parseMoment } from './dates.ts'
import type { RegistrationFacts } from './facts.ts'
import { statuses } from './status.ts'
import { type Field, linesOf, readFields } from './whois_fields.ts'
import {
  DNSSEC_KEYS,
  DOMAIN_KEYS,
  EXPIRES_KEYS,
  type Keys,
  NAME_KEYS,
  NAME_SERVER_KEYS,
  REGISTERED_KEYS,
  REGISTRAR_KEYS,
  STATUS_KEYS,
  UPDATED_KEYS,
} from './whois_keys.ts'
import { isFree, sayingOf } from './whois_sayings.ts'

/**
 * `now` in milliseconds since the Unix epoch. `failure` is `limited` when the server was asked too often, `other_domain`
 * when it answers another question, else `unreadable`.
 */
export function readWhois(octets: Buffer, domain: string, now: number): Reading {
  const lines = linesOf(decode(octets))
  const fields = readFields(lines)
  if (!isAbout(fields, domain)) return { ok: false, failure: 'other_domain' }
  const facts = factsOf(fields, domain, now)
  if (facts.status.some(isFree)) return { ok: true, facts: notRegistered }
  if (isTelling(facts)) return { ok: true, facts }
  const saying = sayingOf(lines, domain)
  if (saying === 'not_registered') return { ok: true, facts: notRegistered }
  return { ok: false, failure: saying ?? 'unreadable' }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** UTF-8 where it is that, else one character an octet: the keys are ASCII everywhere. */
function decode(octets: Buffer): string {
  try {
    return utf8.decode(octets)
  } catch {
    return octets.toString('latin1')
  }
}

/** Of a date the first line counts: contacts and the registrar's own answer follow the domain. */
function factsOf(fields: readonly Field[], domain: string, now: number): RegistrationFacts {
  const named = paragraphsOf(fields, domain)
  const under = ({ anywhere, in_domain }: Keys) =>
    fields.filter(({ key, paragraph }) => anywhere.has(key) || (in_domain.has(key) && named.has(paragraph)))
  const firstMoment = (keys: Keys) => {
    const moment = parseMoment(under(keys)[0]?.values[0] ?? '')
    return moment === null ? [] : [moment]
  }
  const registered = firstMoment(REGISTERED_KEYS)
  return {
    registered: true,
    ...registeredAt(registered.length > 0 ? registered : assignment(fields), now),
    expires_at: expiresAt(firstMoment(EXPIRES_KEYS)),
    updated_at: updatedAt(firstMoment(UPDATED_KEYS), now),
    registrar: registrarOf(fields),
    status: statuses(under(STATUS_KEYS).flatMap(({ values }) => values)),
    dnssec_signed: signed(under(DNSSEC_KEYS)[0]?.values[0] ?? ''),
    name_servers: nameServers(under(NAME_SERVER_KEYS).flatMap(({ values }) => values.map(lastHost))),
  }
}

/** Whether the domain is among those it names in A-labels, if it names any: some servers write none, or U-labels. */
function isAbout(fields: readonly Field[], domain: string): boolean {
  const named = fields
    .flatMap(({ key, values }) => (DOMAIN_KEYS.anywhere.has(key) ? values.map(hostName) : []))
    .filter(name => name !== null)
  return named.length === 0 || named.includes(domain)
}

function paragraphsOf(fields: readonly Field[], domain: string): ReadonlySet<number> {
  const naming = fields.filter(
    ({ key, values: [first = ''] }) => DOMAIN_KEYS.anywhere.has(key) || hostName(first) === domain,
  )
  return new Set(naming.map(({ paragraph }) => paragraph))
}

/** `changed: registrar AT ns.il 19990605 (Assigned)`: a history, whose first entry is the registration. */
function assignment(fields: readonly Field[]): number[] {
  const entries = fields.flatMap(({ key, values }) => (key === 'changed' ? values : []))
  const written = entries.find(entry => entry.toLowerCase().endsWith('(assigned)'))
  const moment = parseMoment(written?.split(' ').at(-2) ?? '')
  return moment === null ? [] : [moment]
}

/** Below a bare heading the name may stand under a key of its own. */
function registrarOf(fields: readonly Field[]): string | null {
  for (const [at, field] of fields.entries()) {
    if (!REGISTRAR_KEYS.anywhere.has(field.key)) continue
    const next = fields[at + 1]
    const below = next !== undefined && next.paragraph === field.paragraph && NAME_KEYS.has(next.key) ? next : undefined
    const name = shortName(field.values[0] ?? below?.values[0] ?? '')
    if (name !== null) return name
  }
  return null
}

/** `ns1.example.com [192.0.2.1]`, `example.pt NS ns1.example.pt.`: the last word that is a host's name. */
function lastHost(value: string): string | null {
  const hosts = value.slice(0, 512).split(/\s+/).map(hostName)
  return hosts.findLast(host => host !== null) ?? null
}

const SIGNED: ReadonlySet<string> = new Set(['signed', 'signeddelegation', 'yes', 'y', 'active'])
const UNSIGNED: ReadonlySet<string> = new Set(['unsigned', 'unsigneddelegation', 'no', 'n', 'inactive'])

function signed(value: string): boolean | null {
  const word = value.slice(0, 64).toLowerCase().replace(/[ .]/g, '')
  if (SIGNED.has(word)) return true
  return UNSIGNED.has(word) ? false : null
}

/** The name alone, or nothing at all, is no registration. */
function isTelling(facts: RegistrationFacts): boolean {
  const { registered_at, registered_in_future, expires_at, updated_at, registrar, status, name_servers } = facts
  const said = [registered_at, expires_at, updated_at, registrar].some(one => one !== null)
  return said || registered_in_future || status.length > 0 || name_servers.length > 0
}
