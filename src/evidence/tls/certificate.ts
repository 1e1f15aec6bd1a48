// Reads an X.509 certificate (RFC 5280 section 4.1) from its DER into plain facts.
//
// No library: node:crypto returns names and alternative names as formatted text and throws on keys that OpenSSL does not
// know; ASN.1 packages parse recursively and reject malformed certificates, which are evidence here.
import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { curves, extensions, keyKinds, signatureAlgorithms } from './algorithms.ts'
import { bitLength, dottedOid, type Element, elements, inside, tags } from './der.ts'
import { nameKey, readName } from './distinguished_name.ts'
import type { Certificate } from './facts.ts'

/** A certificate with the keys that link it to its issuer. */
export interface Parsed {
  readonly raw: Buffer
  readonly subjectKey: string
  readonly issuerKey: string
  /** Without `self_signed`, which needs a signature check. */
  readonly facts: Omit<Certificate, 'self_signed'>
}

/** Octets kept of a serial number; RFC 5280 allows 20. */
const serialOctets = 32
const mostUsages = 64

/** UTCTime or GeneralizedTime (RFC 5280 section 4.1.2.5) as `YYYY-MM-DDTHH:MM:SSZ`; null for anything else. */
function readTime(element: Element | undefined): string | null {
  if (element?.tag !== tags.utcTime && element?.tag !== tags.generalizedTime) return null
  const text = element.content.subarray(0, 32).toString('latin1')
  const century = element.tag === tags.generalizedTime ? '' : text < '5' ? '20' : '19'
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Number.isNaN(Date.parse(iso)) ? null : iso
}

function readSerial(content: Buffer): string {
  const digits = BigInt(`0x${content.subarray(0, serialOctets).toString('hex') || '0'}`)
  const bits = Math.min(content.length, serialOctets) * 8
  return BigInt.asIntN(bits, digits).toString(16)
}

/** The key of a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7). */
function readKey(info: Element): Certificate['key'] {
  const [algorithm, bitString] = elements(info.content, 2)
  const [identifier, parameters] = algorithm === undefined ? [] : elements(algorithm.content, 2)
  const oid = identifier?.tag === tags.oid ? dottedOid(identifier.content) : ''
  const kind = keyKinds.get(oid) ?? (oid || 'unknown')
  // RSA's modulus is the first INTEGER of the key, DSA's prime the first of the parameters. The first octet of a
  // BIT STRING is its number of unused bits.
  const integers = kind === 'dsa' ? parameters?.whole : bitString?.content.subarray(1)
  const sized = kind === 'dsa' || kind.startsWith('rsa')
  const [size] = sized && integers !== undefined ? inside(integers, 1) : []
  const curve = kind === 'ec' && parameters?.tag === tags.oid ? dottedOid(parameters.content) : null
  return {
    kind,
    bits: size?.tag === tags.integer ? bitLength(size.content) : null,
    curve: curve === null ? null : (curves.get(curve) ?? curve),
  }
}

/** The extension values by OID; the first counts when one is repeated. */
function readExtensions(field: Element | undefined): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const extension of field === undefined ? [] : inside(field.content)) {
    const parts = elements(extension.content, 3)
    const [type, value] = [parts[0], parts.at(-1)]
    if (type?.tag !== tags.oid || value === undefined) continue
    const oid = dottedOid(type.content)
    if (!found.has(oid)) found.set(oid, value.content)
  }
  return found
}

function readIsCa(value: Buffer | undefined): boolean {
  const [flag] = value === undefined ? [] : inside(value, 1)
  return flag?.tag === tags.boolean && flag.content[0] !== undefined && flag.content[0] !== 0
}

const readUsages = (value: Buffer | undefined) =>
  value === undefined ? null : inside(value, mostUsages).map(usage => dottedOid(usage.content))

/** The fields of the certificate in order, without the optional version [0]. */
function fieldsOf(raw: Buffer): { readonly fields: Element[]; readonly algorithm: Element | undefined } {
  const [tbs, algorithm] = inside(raw, 3)
  const all = tbs === undefined ? [] : elements(tbs.content)
  return { fields: all[0]?.tag === 0xa0 ? all.slice(1) : all, algorithm }
}

/** Null when a mandatory part cannot be read. Never throws. */
export function parseCertificate(raw: Buffer): Parsed | null {
  const { fields, algorithm } = fieldsOf(raw)
  const [serial, , issuer, validity, subject, key, ...rest] = fields
  const [signature] = algorithm === undefined ? [] : elements(algorithm.content, 1)
  if (!serial || !issuer || !validity || !subject || !key || signature?.tag !== tags.oid) return null
  const [from, until] = elements(validity.content, 2)
  const [notBefore, notAfter] = [readTime(from), readTime(until)]
  if (notBefore === null || notAfter === null) return null
  const oid = dottedOid(signature.content)
  const extended = readExtensions(rest.find(field => field.tag === 0xa3))
  const facts = {
    subject: readName(subject.whole),
    issuer: readName(issuer.whole) ?? unnamed,
    serial: readSerial(serial.content),
    not_before: notBefore,
    not_after: notAfter,
    ...readAlternativeNames(extended.get(extensions.subjectAltName) ?? null),
    key: readKey(key),
    signature_algorithm: signatureAlgorithms.get(oid) ?? oid,
    is_ca: readIsCa(extended.get(extensions.basicConstraints)),
    extended_key_usage: readUsages(extended.get(extensions.extendedKeyUsage)),
    fingerprint_sha256: createHash('sha256').update(raw).digest('hex'),
  }
  return { raw, subjectKey: nameKey(subject.whole), issuerKey: nameKey(issuer.whole), facts }
}

/** RFC 5280 requires a name for every issuer, but some have none. */
const unnamed = { label: '(unnamed)', common_name: null, organization: null, country: null }

/** GeneralNames read of one certificate; OpenSSL accepts 100 KiB for all certificates of a handshake. */
const mostNames = 10_000
/** DNS names have at most 253 octets; a longer one is cut here and matches nothing. */
const longestName = 256

const dNSName = 0x82
const iPAddress = 0x87

const escaped = (octet: number) => `\\x${octet.toString(16).padStart(2, '0')}`

/** Lower case; octets that host names cannot contain (NUL, blanks, UTF-8, backslash) as `\xhh`. */
function dnsName(content: Buffer): string {
  const text = content.subarray(0, longestName).toString('latin1')
  return text.replace(/[^!-[\]-~]/g, character => escaped(character.charCodeAt(0))).toLowerCase()
}

/** Canonical text for 4 or 16 octets; other lengths are not addresses and become `#` and hexadecimal. */
function ipAddress(content: Buffer): string {
  if (content.length === 4 || content.length === 16) return ipaddr.fromByteArray([...content]).toString()
  return `#${content.subarray(0, 32).toString('hex')}`
}

interface AlternativeNames {
  readonly dns_names: readonly string[]
  readonly ip_addresses: readonly string[]
}

/** The subject alternative names (RFC 5280 section 4.2.1.6). Unlike OpenSSL's text form, this keeps non-ASCII octets visible. */
function readAlternativeNames(value: Buffer | null): AlternativeNames {
  const names = value === null ? [] : inside(value, mostNames)
  return {
    dns_names: names.filter(name => name.tag === dNSName).map(name => dnsName(name.content)),
    ip_addresses: names.filter(name => name.tag === iPAddress).map(name => ipAddress(name.content)),
  }
}
