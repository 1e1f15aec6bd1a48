// The enclosing zone: name servers, CAA and DNSSEC.
import { type Evidence, orUnknown, printable } from '../../src/engine/plugin.ts'
import { nameOfAlgorithm, weakAlgorithms } from './dnssec_algorithms.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement } from './judgement.ts'
import { MAX_ENTRIES, quote } from './quoted.ts'
import type { Section } from './schema.ts'
import { keyFaults, keysPart, signaturesPart, soaFaults, soaPart } from './zone_details.ts'

type Dns = Evidence['dns']
type Addresses = Evidence['addresses']
type ZonePart = Pick<
  Section,
  'dnssec' | 'dnssec_algorithms' | 'dnssec_keys' | 'dnssec_signatures' | 'zone' | 'name_servers' | 'soa' | 'caa'
>

function caaPart({ caa, caa_at }: Dns): ZonePart['caa'] {
  if (caa.status === 'unknown') return null
  const records = caa.status === 'found' ? caa.records : []
  return {
    found_at: caa_at,
    records: records
      .slice(0, MAX_ENTRIES)
      .map(({ critical, tag, value }) => ({ critical, tag: printable(tag), value: printable(value) })),
  }
}

/** Only these two properties restrict issuance; without them any authority may issue (RFC 8659 section 4.2). */
const namesAuthority = ({ tag }: { readonly tag: string }) => /^issue(?:wild)?$/i.test(tag)

/** Properties that authorities know (IANA's registry of CAA properties). */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone'])

/** `[domain] *(; tag=value)` (RFC 8659 section 4.2). */
const isIssuer = (text: string) =>
  /^[ \t]*(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)?[ \t]*(?:;.*)?$/i.test(text) &&
  text
    .split(';')
    .slice(1)
    .every(parameter => /^[ \t]*(?:[a-z0-9-]+[ \t]*=[\x21-\x7e]*)?[ \t]*$/i.test(parameter))

function caaFaults({ caa }: Dns): DnsFault[] {
  const records = caa.status === 'found' ? caa.records : []
  return records.flatMap(({ critical, tag, value }): DnsFault[] => {
    const name = tag.toLowerCase()
    if (critical && !knownTags.has(name)) {
      const message = `The CAA property ${quote(printable(tag))} is critical and unknown, so no authority may issue certificates.`
      return [{ code: 'caa_unknown_critical', message }]
    }
    if (name.startsWith('issue') && knownTags.has(name) && !isIssuer(value)) {
      const message = `The CAA value ${quote(printable(value))} of ${name} is malformed, so it allows no authority.`
      return [{ code: 'caa_malformed_value', message }]
    }
    if (name === 'iodef' && !/^(?:mailto:[^@\s]+@[^@\s]+|https?:\/\/\S+)$/i.test(value)) {
      const message = `The CAA value ${quote(printable(value))} of iodef is not a mailto or http URL.`
      return [{ code: 'caa_malformed_value', message }]
    }
    return []
  })
}

const algorithmsOf = ({ ds }: Dns): number[] =>
  ds.status === 'found' ? [...new Set(ds.records.map(({ algorithm }) => algorithm))] : []

function dsFaults(dns: Dns): DnsFault[] {
  const algorithms = algorithmsOf(dns)
  if (algorithms.length === 0 || !algorithms.every(algorithm => weakAlgorithms.has(algorithm))) return []
  const message = `The zone is signed with ${algorithms.map(nameOfAlgorithm).join(', ')}, which validators no longer accept.`
  return [{ code: 'dnssec_weak_algorithm', message }]
}

/** Which record sets fail validation, in a sentence. */
export function bogusSets({ bogus = [] }: Dns): string {
  const names = [...new Set(bogus.map(({ name }) => name))]
  const sets = names.map(name => {
    const types = bogus.filter(one => one.name === name).map(({ type }) => type)
    return `${types.join(' and ')} of ${printable(name)}`
  })
  const which = sets.length === 0 ? 'the zone' : sets.join(', ')
  return `DNSSEC validation fails for ${which}: the signatures are invalid, expired or missing.`
}

function dnssecFaults(dns: Dns, addresses: Addresses | null): DnsFault[] {
  if (dns.dnssec === 'bogus') return [{ code: 'dnssec_bogus', message: bogusSets(dns) }]
  if (dns.dnssec === 'unsigned') return [{ code: 'dnssec_unsigned', message: 'The zone is not signed with DNSSEC.' }]
  const alias = addresses?.status === 'found' && !addresses.authenticated ? addresses.cnames.at(-1) : undefined
  if (dns.dnssec === 'unknown' || alias === undefined) return []
  const message = `The name is an alias of ${printable(alias)}, in a zone that is not signed: DNSSEC does not secure its address.`
  return [{ code: 'dnssec_unsigned_address', message }]
}

/** Judges name servers, CAA and DNSSEC of the zone. */
export function judgeZone(dns: Dns | null, addresses: Addresses | null): PartJudgement<ZonePart> {
  if (dns === null) {
    const part = {
      dnssec: 'unknown',
      dnssec_algorithms: null,
      dnssec_keys: null,
      dnssec_signatures: null,
      zone: null,
      name_servers: null,
      soa: null,
      caa: null,
    } as const
    return { part, faults: [], unknown: 'dns_unavailable' }
  }
  const nameServers =
    dns.ns.status === 'unknown' ? null : dns.ns.status === 'found' ? dns.ns.records.map(text => printable(text)) : []
  const faults: (DnsFault | null)[] = [
    ...dnssecFaults(dns, addresses),
    ...dsFaults(dns),
    ...keyFaults(dns),
    ...soaFaults(dns),
    ...caaFaults(dns),
  ]
  if (dns.caa.status !== 'unknown' && !(dns.caa.status === 'found' && dns.caa.records.some(namesAuthority))) {
    faults.push({
      code: 'missing_caa_records',
      message: 'No CAA record restricts which authorities may issue certificates.',
    })
  }
  if (nameServers?.length === 1) {
    const message = `The zone has only one name server, ${nameServers[0]}; two are required (RFC 1034 section 4.1).`
    faults.push({ code: 'single_name_server', message })
  }
  const answers = [dns.ns, dns.caa, dns.ds, dns.soa, dns.dnskey]
  const failure = answers.flatMap(answer => (answer?.status === 'unknown' ? [answer.reason] : []))[0] ?? null
  const isPartial = dns.dnssec === 'unknown' || dns.name_server_ipv6.some(({ ipv6 }) => ipv6 === null)
  const unknownReason = failure ?? (isPartial || addresses?.unanswered !== undefined ? 'dns_unavailable' : null)
  return {
    part: {
      dnssec: dns.dnssec,
      dnssec_algorithms: orUnknown(algorithmsOf(dns).map(nameOfAlgorithm), dns.ds.status !== 'unknown'),
      dnssec_keys: keysPart(dns),
      dnssec_signatures: signaturesPart(dns),
      zone: dns.zone,
      name_servers: nameServers?.slice(0, MAX_ENTRIES) ?? null,
      soa: soaPart(dns),
      caa: caaPart(dns),
    },
    faults: faults.filter(fault => fault !== null),
    unknown: unknownReason,
  }
}
