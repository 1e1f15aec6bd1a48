// The records of the lab's DNS, looked up as a resolver would (RFC 1034 section 4.3.2, RFC 4592).
import type { Answer } from 'dns-packet'
import ipaddr from 'ipaddr.js'
import { TYPE } from '../network/dns_message.ts'
import type { RecordData } from '../network/dns_records.ts'
import { SERVICE_PARAMETER } from '../network/service_binding.ts'

/** Records of one name by type, in the format of the resolver's answers. */
export type LabRecords = { readonly [Type in keyof RecordData]?: readonly RecordData[Type][] }
/** Names in lower case without the final dot; `*.example.com` is a wildcard. */
export type LabZones = Record<string, LabRecords>

const soa = (mname: string) => ({
  mname,
  rname: 'hostmaster.invalid',
  serial: 1,
  refresh: 3600,
  retry: 600,
  expire: 1_209_600,
  minimum: 300,
})

/** The root and large top-level domains; each denial has their SOA. */
export const PUBLIC_ZONES: LabZones = {
  '': { NS: ['a.root-servers.net'], SOA: [soa('a.root-servers.net')] },
  com: { NS: ['a.gtld-servers.net'], SOA: [soa('a.gtld-servers.net')] },
  net: { NS: ['a.gtld-servers.net'], SOA: [soa('a.gtld-servers.net')] },
  org: { NS: ['a0.org.afilias-nst.info'], SOA: [soa('a0.org.afilias-nst.info')] },
}

export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const

export interface LabResolution {
  readonly rcode: 'NOERROR' | 'NXDOMAIN'
  readonly answers: Answer[]
  readonly authorities: Answer[]
}

/** CNAMEs that a resolver follows before it stops. */
const MAX_ALIASES = 128

export function resolveInLab(
  zones: LabZones,
  name: string,
  type: string,
  { ttl, chase }: { readonly ttl: number; readonly chase: boolean },
): LabResolution {
  const answers: Answer[] = []
  const aliasNames = new Set<string>()
  for (let at = name; ; ) {
    const records = recordsAt(zones, at)
    if (!records) return { rcode: 'NXDOMAIN', answers, authorities: soaAbove(zones, at, ttl) }
    const direct = wire(at, type, records, ttl)
    answers.push(...direct)
    const alias = type === 'CNAME' ? undefined : records.CNAME?.[0]
    if (direct.length > 0) return { rcode: 'NOERROR', answers, authorities: [] }
    if (alias === undefined) return { rcode: 'NOERROR', answers, authorities: soaAbove(zones, at, ttl) }
    answers.push(...wire(at, 'CNAME', records, ttl))
    aliasNames.add(at)
    if (!chase || aliasNames.has(alias) || aliasNames.size >= MAX_ALIASES)
      return { rcode: 'NOERROR', answers, authorities: [] }
    at = alias
  }
}

/**
 * The records of the name or of a wildcard; empty for a name that only has names below it; null for a name that does
 * not exist.
 */
function recordsAt(zones: LabZones, name: string): LabRecords | null {
  if (Object.hasOwn(zones, name)) return zones[name] ?? null
  if (exists(zones, name)) return {}
  for (let above = parent(name); above !== null; above = parent(above)) {
    const wildcard = above === '' ? '*' : `*.${above}`
    if (Object.hasOwn(zones, wildcard)) return zones[wildcard] ?? null
    if (exists(zones, above)) return null
  }
  return null
}

const exists = (zones: LabZones, name: string) =>
  Object.keys(zones).some(entry => entry === name || entry.endsWith(`.${name}`))

const parent = (name: string): string | null => (name === '' ? null : name.slice(`${name}.`.indexOf('.') + 1))

function soaAbove(zones: LabZones, name: string, ttl: number): Answer[] {
  for (let at: string | null = name; at !== null; at = parent(at)) {
    const soa = Object.hasOwn(zones, at) ? zones[at]?.SOA?.[0] : undefined
    if (soa) return wire(at, 'SOA', { SOA: [soa] }, ttl)
  }
  return []
}

type Wire = { readonly [Type in keyof RecordData]: (data: RecordData[Type]) => unknown }

/** The data of each type in the format of dns-packet. Digests are zeros, because nothing verifies them. */
const toPacket: Wire = {
  A: data => data,
  AAAA: data => data,
  CNAME: data => data || '.',
  NS: data => data || '.',
  PTR: data => data || '.',
  MX: data => ({ preference: data.preference, exchange: data.exchange || '.' }),
  TXT: data => strings(Buffer.from(data, 'latin1')),
  SOA: data => data,
  CAA: data => ({ flags: data.critical ? 128 : 0, tag: data.tag, value: data.value }),
  DS: data => ({ keyTag: data.key_tag, algorithm: data.algorithm, digestType: data.digest_type, digest: ZEROS }),
  // With the exponent 3; the size of the modulus is what counts.
  DNSKEY: data => ({ flags: data.flags, algorithm: data.algorithm, key: keyOf(data) }),
  SRV: data => ({ ...data, target: data.target || '.' }),
  SVCB: serviceBinding,
  HTTPS: serviceBinding,
  TLSA: data => ({
    usage: data.usage,
    selector: data.selector,
    matchingType: data.matching_type,
    certificate: Buffer.from(data.data, 'hex'),
  }),
}

/** RFC 9460 section 2.2. `ech` is an empty configuration list, because nothing reads it. */
function serviceBinding(data: RecordData['HTTPS']): Buffer {
  const values: readonly (readonly [key: number, value: Buffer | null])[] = [
    [SERVICE_PARAMETER.mandatory, octetsOf(data.mandatory.map(u16))],
    [SERVICE_PARAMETER.alpn, octetsOf(data.alpn.map(id => Buffer.concat([u8(id.length), Buffer.from(id, 'latin1')])))],
    [SERVICE_PARAMETER.no_default_alpn, data.no_default_alpn ? Buffer.alloc(0) : null],
    [SERVICE_PARAMETER.port, data.port === null ? null : u16(data.port)],
    [SERVICE_PARAMETER.ipv4_hints, octetsOf(data.ipv4_hints.map(addressOctets))],
    [SERVICE_PARAMETER.ech, data.ech ? u16(0) : null],
    [SERVICE_PARAMETER.ipv6_hints, octetsOf(data.ipv6_hints.map(addressOctets))],
  ]
  const parameters = values.flatMap(([key, value]) => (value === null ? [] : [u16(key), u16(value.length), value]))
  return Buffer.concat([u16(data.priority), nameOctets(data.target), ...parameters])
}

const nameOctets = (name: string): Buffer =>
  Buffer.concat(
    [...name.split('.').filter(Boolean), ''].map(label => Buffer.concat([u8(label.length), Buffer.from(label)])),
  )
const octetsOf = (parts: readonly Buffer[]): Buffer | null => (parts.length === 0 ? null : Buffer.concat(parts))
const addressOctets = (address: string): Buffer => Buffer.from(ipaddr.parse(address).toByteArray())
const u8 = (value: number): Buffer => Buffer.from([value])
const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

/** dns-packet has no names for the newer types, and takes their data as octets. */
const numericTypes: Readonly<Record<string, string>> = { SVCB: `UNKNOWN_${TYPE.SVCB}`, HTTPS: `UNKNOWN_${TYPE.HTTPS}` }

/** The type as dns-packet names it, and as the lab does. */
export const packetType = (type: string): string => numericTypes[type] ?? type
export const labType = (type: string): string =>
  Object.entries(numericTypes).find(([, number]) => number === type)?.[0] ?? type

const ZEROS = Buffer.alloc(32)

/** A key of that size; the algorithms 5 to 10 have RSA keys with an exponent before the modulus (RFC 3110). */
function keyOf({ algorithm, bits }: RecordData['DNSKEY']): Buffer {
  const number = Buffer.alloc(Math.ceil((bits ?? 0) / 8), 0xff)
  return algorithm <= 10 ? Buffer.concat([Buffer.from([1, 3]), number]) : number
}

function wire(name: string, type: string, records: LabRecords, ttl: number): Answer[] {
  if (!Object.hasOwn(toPacket, type)) return []
  const write = toPacket[type as keyof RecordData] as (data: unknown) => unknown
  const data: readonly unknown[] = records[type as keyof RecordData] ?? []
  return data.map(
    item => ({ name: name || '.', type: packetType(type), ttl, class: 'IN', data: write(item) }) as Answer,
  )
}

/** Octets as character-strings of at most 255 (RFC 1035 section 3.3). */
function strings(octets: Buffer): Buffer[] {
  const parts = [octets.subarray(0, 255)]
  for (let at = 255; at < octets.length; at += 255) parts.push(octets.subarray(at, at + 255))
  return parts
}
