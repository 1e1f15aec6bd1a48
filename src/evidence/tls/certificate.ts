// Reads an X.509 certificate (RFC 5280 section 4.1) from its DER into plain facts.
//
// No library: node:crypto returns names and alternative names as formatted text and throws on keys that OpenSSL does not
// know; ASN.1 packages parse recursively and reject malformed certificates, which are evidence here.
import { createHash } from 'node:crypto'
import { curves, keyKinds, signatureAlgorithms } from './algorithms.ts'
import { bitLength, dottedOid, type Element, elements, inside, tags } from './der.ts'
import { nameKey, readName } from './distinguished_name.ts'
import { type Extensions, readExtensions } from './extensions.ts'
import type { Certificate } from './facts.ts'

/** A certificate with the keys that link it to its issuer. */
export interface ParsedCertificate {
  readonly raw: Buffer
  readonly subjectKey: string
  readonly issuerKey: string
  /** SHA-256 of its SubjectPublicKeyInfo. */
  readonly keyHash: string
  readonly extensions: Extensions
  /** Without `self_signed`, which needs a signature check. */
  readonly facts: Omit<Certificate, 'self_signed'>
}

/** Octets kept of a serial number; RFC 5280 allows 20. */
const SERIAL_BYTES = 32

/** UTCTime or GeneralizedTime (RFC 5280 section 4.1.2.5) as `YYYY-MM-DDTHH:MM:SSZ`; null for anything else. */
function readTime(element: Element | undefined): string | null {
  if (element?.tag !== tags.utcTime && element?.tag !== tags.generalizedTime) return null
  const text = element.content.subarray(0, 32).toString('latin1')
  const century = element.tag === tags.generalizedTime ? '' : text < '5' ? '20' : '19'
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
  // `Date` turns 30 February into 2 March and 24:00 into the next day.
  const moment = new Date(iso)
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === iso.replace('Z', '.000Z') ? iso : null
}

function readSerial(content: Buffer): string {
  const digits = BigInt(`0x${content.subarray(0, SERIAL_BYTES).toString('hex') || '0'}`)
  const bits = Math.min(content.length, SERIAL_BYTES) * 8
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
  const isSized = kind === 'dsa' || kind.startsWith('rsa')
  const [size] = isSized && integers !== undefined ? inside(integers, 1) : []
  const curve = kind === 'ec' && parameters?.tag === tags.oid ? dottedOid(parameters.content) : null
  return {
    kind,
    bits: size?.tag === tags.integer ? bitLength(size.content) : null,
    curve: curve === null ? null : (curves.get(curve) ?? curve),
  }
}

/** The fields of the certificate in order, without the optional version [0]. */
export function fieldsOf(raw: Buffer): { readonly fields: Element[]; readonly algorithm: Element | undefined } {
  const [tbs, algorithm] = inside(raw, 3)
  const all = tbs === undefined ? [] : elements(tbs.content)
  return { fields: all[0]?.tag === 0xa0 ? all.slice(1) : all, algorithm }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Null when a mandatory part cannot be read. Never throws. */
export function parseCertificate(raw: Buffer): ParsedCertificate | null {
  const { fields, algorithm } = fieldsOf(raw)
  const [serial, , issuer, validity, subject, key, ...rest] = fields
  const [signature] = algorithm === undefined ? [] : elements(algorithm.content, 1)
  if (!serial || !issuer || !validity || !subject || !key || signature?.tag !== tags.oid) return null
  const [from, until] = elements(validity.content, 2)
  const [notBefore, notAfter] = [readTime(from), readTime(until)]
  if (notBefore === null || notAfter === null) return null
  const oid = dottedOid(signature.content)
  const extensions = readExtensions(rest.find(field => field.tag === 0xa3))
  const facts = {
    subject: readName(subject.whole),
    issuer: readName(issuer.whole) ?? unnamedSubject,
    serial: readSerial(serial.content),
    not_before: notBefore,
    not_after: notAfter,
    dns_names: extensions.dns_names,
    ip_addresses: extensions.ip_addresses,
    key: readKey(key),
    signature_algorithm: signatureAlgorithms.get(oid) ?? oid,
    is_ca: extensions.is_ca,
    extended_key_usage: extensions.extended_key_usage,
    fingerprint_sha256: sha256(raw),
  }
  const [subjectKey, issuerKey] = [nameKey(subject.whole), nameKey(issuer.whole)]
  return { raw, subjectKey, issuerKey, keyHash: sha256(key.whole), extensions, facts }
}

/** RFC 5280 requires a name for every issuer, but some have none. */
const unnamedSubject = { label: '(unnamed)', common_name: null, organization: null, country: null }
