// The zone's own data besides its delegation: start of authority, keys, and reachability over IPv6.
import { type Evidence, printable, words } from '../../src/engine/plugin.ts'
import { nameOfAlgorithm, rsaAlgorithms } from './dnssec_algorithms.ts'
import type { DnsFault } from './faults.ts'
import { MAX_ENTRIES } from './quoted.ts'
import type { Section } from './schema.ts'

type Dns = Evidence['dns']

/** The mailbox of an SOA record: the first dot that is not escaped stands for the @ (RFC 1035 section 8). */
function mailbox(rname: string): string | null {
  const match = /^((?:\\\d{3}|[^.\\])+)\.(.+)$/.exec(rname)
  if (match === null) return null
  const [, local = '', domain = ''] = match
  return printable(`${local.replaceAll('\\046', '.')}@${domain}`)
}

/** The SOA record; null if it is unknown. */
export function soaPart({ soa }: Dns): Section['soa'] {
  const record = soa?.status === 'found' ? soa.records[0] : undefined
  if (record === undefined) return null
  const { mname, rname, serial, refresh, retry, expire, minimum } = record
  return {
    primary: printable(mname),
    contact: mailbox(rname),
    serial,
    refresh,
    retry,
    expire,
    negative_ttl: minimum,
  }
}

type Times = Pick<NonNullable<Section['soa']>, 'refresh' | 'retry' | 'expire' | 'negative_ttl'>

/**
 * Seconds, from the least that RFC 1912 section 2.2 recommends to the most of RIPE-203; the least time of expiry and the times of
 * denials (RFC 2308 section 5) are those of large operators, which are shorter and longer.
 */
const USUAL: Readonly<Record<keyof Times, readonly [least: number, most: number]>> = {
  refresh: [1_200, 86_400],
  retry: [120, 7_200],
  expire: [604_800, 3_600_000],
  negative_ttl: [0, 86_400],
}

/** If secondaries drop the zone before they refresh it, it vanishes while its primary is down. */
export function soaFaults(dns: Dns): DnsFault[] {
  const times = soaPart(dns)
  if (times === null) return []
  const { expire, refresh, retry } = times
  if (expire <= refresh + retry) {
    const message = `Secondary name servers drop the zone after ${expire} seconds, before a second attempt to refresh it after ${refresh + retry} (RFC 1912 section 2.2).`
    return [{ code: 'soa_invalid_times', message }]
  }
  const unusual = (Object.keys(USUAL) as (keyof Times)[]).flatMap(name => {
    const [least, most] = USUAL[name]
    const value = times[name]
    return value < least || value > most ? [`${words(name).toLowerCase()} ${value} (${least} to ${most})`] : []
  })
  if (retry >= refresh) unusual.push(`retry ${retry} (less than refresh, ${refresh})`)
  if (unusual.length === 0) return []
  const message = `Times of the zone are unusual, in seconds, with what is recommended: ${unusual.join(', ')} (RFC 1912, RIPE-203).`
  return [{ code: 'soa_unusual_times', message }]
}

/** Bits of the Zone Key and Secure Entry Point flags (RFC 4034 section 2.1.1). */
const ZONE_KEY = 256
const ENTRY_POINT = 1

function roleOf(flags: number): 'key_signing' | 'zone_signing' | 'other' {
  if ((flags & ZONE_KEY) === 0) return 'other'
  return (flags & ENTRY_POINT) === 0 ? 'zone_signing' : 'key_signing'
}

/** The DNSSEC keys of the zone; null if they are unknown. */
export const keysPart = ({ dnskey }: Dns): Section['dnssec_keys'] =>
  dnskey?.status === 'found'
    ? dnskey.records.slice(0, MAX_ENTRIES).map(({ flags, algorithm, bits }) => {
        return { role: roleOf(flags), algorithm: nameOfAlgorithm(algorithm), bits }
      })
    : null

/** RFC 3339, without fractions. */
const timeOf = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`

/** The signature that expires first. Of a zone that is not validated, nobody says what its signatures are worth. */
export function signaturesPart({ dnssec, soa, dnskey }: Dns): Section['dnssec_signatures'] {
  const signatures = [soa, dnskey].flatMap(answer => (answer?.status === 'found' ? (answer.signature ?? []) : []))
  const [first] = signatures.toSorted((one, other) => one.until - other.until)
  if (dnssec !== 'signed' || first === undefined) return null
  return { valid_from: timeOf(first.from), expires_at: timeOf(first.until) }
}

/** No smaller modulus is recommended for any zone (RFC 6781 section 3.4.2); 829 bits have been factored in public. */
const SMALLEST_RSA_BITS = 1024

/** The fault of an RSA key that is too small. */
export function keyFaults({ dnskey }: Dns): DnsFault[] {
  const keys = dnskey?.status === 'found' ? dnskey.records : []
  const small = keys.find(
    ({ algorithm, bits }) => rsaAlgorithms.has(algorithm) && bits !== null && bits < SMALLEST_RSA_BITS,
  )
  if (small === undefined) return []
  const message = `A DNSSEC key has only ${small.bits} bits (${nameOfAlgorithm(small.algorithm)}); its signatures can be forged.`
  return [{ code: 'dnssec_weak_key', message }]
}

/** True if one is; null if none is known to be and at least one is unknown, or if there is none. */
const anyOf = (values: readonly (boolean | null)[]): boolean | null =>
  values.includes(true) ? true : values.length === 0 || values.includes(null) ? null : false

/** The evidence that shows what has IPv6 addresses. */
export interface Ipv6Seen {
  readonly addresses: Evidence['addresses'] | null
  readonly mail: Evidence['mail_records']
  readonly dns: Dns | null
}

/** Which of site, mail servers and name servers have IPv6 addresses; null where unknown. */
export function ipv6Part({ addresses, mail, dns }: Ipv6Seen): Section['ipv6'] {
  const hosts = mail.mx.hosts.filter(({ exchange, status }) => exchange !== '' && status !== 'not_asked')
  const hasIpv6 = ({ status, addresses }: (typeof hosts)[number]) =>
    addresses.some(({ address }) => address.includes(':')) || (status === 'unknown' ? null : false)
  return {
    web: webIpv6(addresses),
    mail: mail.mx.status === 'unknown' ? null : anyOf(hosts.map(hasIpv6)),
    name_servers: dns === null ? null : anyOf(dns.name_server_ipv6.map(({ ipv6 }) => ipv6)),
  }
}

function webIpv6(addresses: Evidence['addresses'] | null): boolean | null {
  if (addresses === null || addresses.status === 'not_found') return null
  if (addresses.answers.some(({ family }) => family === 6)) return true
  return addresses.unanswered === 6 ? null : false
}

/** The fault of name servers without IPv6 addresses. */
export function ipv6Faults({ name_servers }: Section['ipv6']): DnsFault[] {
  if (name_servers !== false) return []
  const message = 'None of the first name servers has an IPv6 address.'
  return [{ code: 'name_servers_without_ipv6', message }]
}
