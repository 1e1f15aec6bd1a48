// Record data on the wire (RFC 1035), each read exactly within its bounds.
import ipaddr from 'ipaddr.js'
import { NAME_OCTETS, readName } from './dns_name.ts'
import { readServiceBinding, type ServiceBinding } from './service_binding.ts'

/** The form in which names are compared: lower case, without the final dot. */
export const canonicalName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()

/** Whether a query can carry the name: plain labels of 1 to 63 octets, 253 octets in all, or the root. */
export function isAskable(name: string): boolean {
  if (name === '') return true
  return name.length <= NAME_OCTETS - 2 && name.split('.').every(part => /^[!-\-/-[\]-~]{1,63}$/.test(part))
}

/** Whether the name is the zone's own name or below it. */
export const isWithin = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`)

/** A resource record of class IN with its data not yet read, or OPT (its class and TTL have other meanings). */
export interface Frame {
  readonly owner: string
  readonly type: number
  /** Seconds, as sent. */
  readonly ttl: number
  /** Offsets of the data in the message. */
  readonly start: number
  readonly end: number
}

/** Times in seconds (RFC 1035 section 3.3.13); `minimum` is the TTL of denials (RFC 2308 section 4). */
export interface Soa {
  readonly mname: string
  /** The mailbox of the person in charge; its first label is the local part. */
  readonly rname: string
  readonly serial: number
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
}

export interface DnsKey {
  /** 257: a key-signing key; 256: a zone-signing key (RFC 4034 section 2.1.1). */
  readonly flags: number
  readonly algorithm: number
  /** Size of the key: of the modulus for RSA (RFC 3110), else of the whole key; null if it cannot be read. */
  readonly bits: number | null
}

/** The data of each record type. Names are lower case without the final dot; the root is ''. */
export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  NS: string
  PTR: string
  MX: { readonly preference: number; readonly exchange: string }
  /** One character per octet (latin1); the strings of the record are joined without a separator. */
  TXT: string
  SOA: Soa
  /** A target of '' says that there is no such service (RFC 2782). */
  SRV: { readonly priority: number; readonly weight: number; readonly port: number; readonly target: string }
  SVCB: ServiceBinding
  HTTPS: ServiceBinding
  CAA: { readonly critical: boolean; readonly tag: string; readonly value: string }
  DS: { readonly key_tag: number; readonly algorithm: number; readonly digest_type: number }
  DNSKEY: DnsKey
  TLSA: {
    readonly usage: number
    readonly selector: number
    readonly matching_type: number
    /** The certificate, key or digest as lower-case hexadecimal, cut after 4 KiB. */
    readonly data: string
  }
}
export type RecordType = keyof RecordData

/** Octets kept of a TLSA record: more than a certificate has; nearly all records hold a digest. */
const TLSA_BYTES = 4_096

type Reader<T> = (message: Buffer, frame: Frame) => T | null
type Readers = { readonly [Type in keyof RecordData]: Reader<RecordData[Type]> }

/**
 * Reads the data of each type; null when it is malformed. RFC 1035 section 3.3 for the old types, RFC 3596 (AAAA), RFC
 * 8659 section 4.1 (CAA), RFC 4034 sections 5.1 (DS) and 2.1 (DNSKEY), RFC 6698 section 2.1 (TLSA), RFC 2782 (SRV), RFC
 * 9460 (SVCB, HTTPS).
 */
export const readers: Readers = {
  A: (message, frame) => address(message, frame, 4),
  AAAA: (message, frame) => address(message, frame, 16),
  CNAME: (message, frame) => lastName(message, frame, 0),
  NS: (message, frame) => lastName(message, frame, 0),
  PTR: (message, frame) => lastName(message, frame, 0),
  MX(message, frame) {
    const exchange = lastName(message, frame, 2)
    return exchange === null ? null : { preference: message.readUInt16BE(frame.start), exchange }
  },
  TXT: characterStrings,
  SOA(message, { start, end }) {
    const mname = readName(message, start)
    const rname = mname && readName(message, mname.end)
    if (!rname || rname.end + 20 !== end) return null
    const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = [0, 4, 8, 12, 16].map(offset =>
      message.readUInt32BE(rname.end + offset),
    )
    return { mname: mname.name, rname: rname.name, serial, refresh, retry, expire, minimum }
  },
  SRV(message, frame) {
    const target = lastName(message, frame, 6)
    if (target === null) return null
    const [priority = 0, weight = 0, port = 0] = [0, 2, 4].map(offset => message.readUInt16BE(frame.start + offset))
    return { priority, weight, port, target }
  },
  SVCB: readServiceBinding,
  HTTPS: readServiceBinding,
  CAA(message, { start, end }) {
    const value = start + 2 + (message[start + 1] ?? 0)
    if (end - start < 3 || value === start + 2 || value > end) return null
    return {
      critical: message.readUInt8(start) >= 0x80,
      tag: message.toString('latin1', start + 2, value),
      value: message.toString('latin1', value, end),
    }
  },
  DS(message, { start, end }) {
    if (end - start < 5) return null
    const keyTag = message.readUInt16BE(start)
    return { key_tag: keyTag, algorithm: message.readUInt8(start + 2), digest_type: message.readUInt8(start + 3) }
  },
  DNSKEY(message, { start, end }) {
    if (end - start < 5) return null
    const algorithm = message.readUInt8(start + 3)
    const key = message.subarray(start + 4, end)
    return {
      flags: message.readUInt16BE(start),
      algorithm,
      bits: RSA_ALGORITHMS.has(algorithm) ? modulusBits(key) : 8 * key.length,
    }
  },
  TLSA(message, { start, end }) {
    if (end - start < 4) return null
    const usage = message.readUInt8(start)
    return {
      usage,
      selector: message.readUInt8(start + 1),
      matching_type: message.readUInt8(start + 2),
      data: message.toString('hex', start + 3, Math.min(end, start + 3 + TLSA_BYTES)),
    }
  },
}

/** DNSSEC algorithms with RSA keys (IANA's registry). */
const RSA_ALGORITHMS: ReadonlySet<number> = new Set([1, 5, 7, 8, 10])

/**
 * The modulus follows the exponent. The length of the exponent takes one octet, or three that begin with 0 (RFC 3110
 * section 2).
 */
function modulusBits(key: Buffer): number | null {
  const isLong = key[0] === 0
  if (key.length < (isLong ? 3 : 1)) return null
  const start = isLong ? 3 + key.readUInt16BE(1) : 1 + key.readUInt8(0)
  const first = key[start]
  return first === undefined || first === 0 ? null : 8 * (key.length - start) - Math.clz32(first) + 24
}

function address(message: Buffer, { start, end }: Frame, octets: number): string | null {
  return end - start === octets ? ipaddr.fromByteArray([...message.subarray(start, end)]).toString() : null
}

/** A name that ends where the data ends, after `skip` other octets. */
function lastName(message: Buffer, { start, end }: Frame, skip: number): string | null {
  if (end - start <= skip) return null
  const nameRead = readName(message, start + skip)
  return nameRead?.end === end ? nameRead.name : null
}

/** One or more strings, each with a length octet, joined without a separator (RFC 7208 section 3.3). */
function characterStrings(message: Buffer, { start, end }: Frame): string | null {
  const parts: string[] = []
  for (let at = start; at < end; ) {
    const next = at + 1 + message.readUInt8(at)
    if (next > end) return null
    parts.push(message.toString('latin1', at + 1, next))
    at = next
  }
  return parts.length === 0 ? null : parts.join('')
}
