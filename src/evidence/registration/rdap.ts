// Queries a registry's RDAP service (RFC 7480) and reads its answers (RFC 9083). Links in answers are not followed.
import { asList, asRecord, asText, type Json, parseJson } from '../../base/untrusted_json.ts'
import type { Exchange } from '../../network/http.ts'
import type { CheckNetwork } from '../../network/network.ts'
import { toAsciiLabels } from '../../targets/domain.ts'
import { hostName } from '../reverse_names/host_name.ts'
import { notRegistered, type RegistrationFacts } from './facts.ts'
import type { Reading, RegistryAnswer, RegistryLookup, RegistryQuestion } from './registry.ts'
import { dates, type Moment, nameServers, parseMoment, shortName, statuses } from './values.ts'

/** A hundred times a usual answer. */
const ANSWER_BYTES = 512 * 1024
/** Registries redirect at most to another service, and that one to its new address. */
const REDIRECTS = 3
/** Base URLs tried per service. */
const BASES_TRIED = 2

export interface RdapQuery<Facts> {
  readonly url: string
  /** `now` in milliseconds since the Unix epoch. */
  read(body: Buffer, now: number): Reading<Facts>
  /** The facts when the registry has no such object. */
  readonly none: Facts
}

export const rdapLookups = <Facts>(
  bases: readonly string[],
  query: (base: string) => RdapQuery<Facts>,
): readonly RegistryLookup<Facts>[] =>
  bases.slice(0, BASES_TRIED).map(base => ({
    source: 'rdap',
    host: new URL(base).hostname,
    ask: (network, question) => askRdap(network, query(base), question),
  }))

/** Never rejects. */
async function askRdap<Facts>(
  network: CheckNetwork,
  { url, read, none }: RdapQuery<Facts>,
  { now, timeout_ms, signal }: RegistryQuestion,
): Promise<RegistryAnswer<Facts>> {
  const fetchResult = await network.fetch({
    url,
    signal,
    max_bytes: ANSWER_BYTES,
    timeout_ms,
    redirects: REDIRECTS,
    https_only: true,
    accept: 'application/rdap+json, application/json;q=0.9',
    service: true,
    verify_certificate: true,
  })
  if (!fetchResult.ok) return { ok: false, failure: failureOf(fetchResult.failure) }
  const exchange = fetchResult.exchanges.at(-1)
  if (exchange === undefined) return { ok: false, failure: 'no_response' }
  return statusAnswer(exchange, none) ?? read(fetchResult.body, now)
}

/** A registry host that does not resolve must not look like a domain that is not registered. */
const failureOf = (failure: string): string => (failure === 'not_found' ? 'host_not_found' : failure)

/** The answer that the status alone gives (RFC 7480 section 5; 404: no such object); null when the body must be read. */
function statusAnswer<Facts>({ status, truncated, headers }: Exchange, none: Facts): RegistryAnswer<Facts> | null {
  if (status === 404) return { ok: true, facts: none }
  const retryAfter = headers.find(([name]) => name === 'retry-after')?.[1] ?? null
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    return { ok: false, failure: String(status), pause: { retry_after: retryAfter } }
  }
  if (status !== 200) return { ok: false, failure: String(status) }
  return truncated === null ? null : { ok: false, failure: truncated }
}

/**
 * Reads the answer about a domain (RFC 9083 section 5.3). Never throws. `now` in milliseconds since the Unix epoch.
 * `failure` is `unreadable`, or `other_domain` when the answer is about another domain.
 */
export function readDomain(body: Buffer, domain: string, now: number): Reading<RegistrationFacts> {
  const answer = asRecord(parseJson(new TextDecoder().decode(body)))
  if (answer === null) return { ok: false, failure: 'unreadable' }
  if (answer['errorCode'] === 404) return { ok: true, facts: notRegistered }
  if (!isDomain(answer)) return { ok: false, failure: 'unreadable' }
  if (!isAbout(answer, domain)) return { ok: false, failure: 'other_domain' }
  const moments = (action: string) => momentsOf(answer, action)
  const [registrar] = entitiesOf(answer, 'registrar')
  const facts = {
    registered: true,
    ...dates(
      { registered: moments('registration'), expires: moments('expiration'), updated: moments('last changed') },
      now,
    ),
    registrar: registrar === undefined ? null : (nameOf(registrar) ?? handleOf(registrar)),
    status: statuses(asList(answer['status'], MEMBERS).flatMap(status => asText(status) ?? [])),
    dnssec_signed: isSigned(asRecord(answer['secureDNS'])),
    name_servers: nameServers(records(answer, 'nameservers').map(serverName)),
  }
  return { ok: true, facts }
}

/** Some servers omit the class name (RFC 9083 section 4.9). */
function isDomain({ objectClassName, ldhName, errorCode }: Json): boolean {
  if (errorCode !== undefined) return false
  const objectClass = asText(objectClassName)
  return objectClass === null ? typeof ldhName === 'string' : objectClass.toLowerCase() === 'domain'
}

/** Some servers write U-labels in place of A-labels. A name that does not map to ASCII is not compared. */
function isAbout({ ldhName, unicodeName }: Json, domain: string): boolean {
  const name = asText(ldhName) ?? asText(unicodeName) ?? ''
  const ascii = /[^\u0021-\u007e]/.test(name) ? (toAsciiLabels(name) ?? '') : name.toLowerCase()
  return ascii === '' || ascii.replace(/\.$/, '') === domain
}

/** In A-labels, whichever of both fields and spellings the server uses (section 5.2). */
const serverName = ({ ldhName, unicodeName }: Json): string | null =>
  hostName(toAsciiLabels(asText(ldhName) ?? asText(unicodeName) ?? '') ?? '')

/** `delegationSigned` (RFC 9083 section 5.3), else whether DS or key data is present. */
function isSigned(secureDns: Json | null): boolean | null {
  if (secureDns === null) return null
  const { delegationSigned } = secureDns
  if (typeof delegationSigned === 'boolean') return delegationSigned
  const data = [...asList(secureDns['dsData'], 1), ...asList(secureDns['keyData'], 1)]
  return data.length > 0 ? true : null
}

/** Members read of one list: far more than any registry sends. */
const MEMBERS = 100

const records = (object: Json, member: string): readonly Json[] =>
  asList(object[member], MEMBERS)
    .map(asRecord)
    .filter(item => item !== null)

/** Of the object's own events (section 4.5); events of its entities do not count. */
export const momentsOf = (object: Json, action: string): readonly Moment[] =>
  records(object, 'events')
    .filter(({ eventAction }) => asText(eventAction)?.trim().toLowerCase() === action)
    .flatMap(({ eventDate }) => parseMoment(asText(eventDate) ?? '') ?? [])

/** The entities with a role (section 10.2.4), the object's own first. `depth` 2 includes entities of entities. */
export function entitiesOf(object: Json, role: string, depth = 1): readonly Json[] {
  if (depth === 0) return []
  const all = records(object, 'entities')
  const own = all.filter(({ roles }) => asList(roles, MEMBERS).some(one => asText(one)?.toLowerCase() === role))
  return [...own, ...all.flatMap(entity => entitiesOf(entity, role, depth - 1))]
}

/** The formatted name, else the organization, in an entity's jCard (RFC 7095 section 3). */
export const nameOf = (entity: Json): string | null =>
  shortName(cardText(entity, 'fn')) ?? shortName(cardText(entity, 'org'))

/** Some registries give only a handle (`REG-EXAMPLE`). A bare number is an identifier, not a name. */
function handleOf({ handle }: Json): string | null {
  const text = asText(handle) ?? ''
  return /[a-z]/i.test(text) ? shortName(text) : null
}

/** The first value of a jCard property; empty when it is missing. */
export function cardText({ vcardArray }: Json, propertyName: string): string {
  const [, list] = asList(vcardArray, 2)
  const properties = asList(list, MEMBERS).map(property => asList(property, 4))
  const value = properties.find(([name]) => asText(name)?.toLowerCase() === propertyName)?.[3]
  return asText(value) ?? asText(asList(value, 1)[0]) ?? ''
}
