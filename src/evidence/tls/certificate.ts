// One X.509 certificate (RFC 5280 section 4.1) as plain facts, read from its DER.
import { createHash } from 'node:crypto'
import { curves, extensions, keyKinds, signatureAlgorithms } from './algorithms.ts'
import { bitLength, dottedOid, type Element, elements, inside, tags } from './der.ts'
import { nameKey, readName } from './distinguished_name.ts'
import type { Certificate } from './facts.ts'
import { readAlternativeNames } from './subject_alt_name.ts'

/** A certificate with what linking it to others needs. */
export interface Parsed {
  readonly raw: Buffer
  readonly subjectKey: string
  readonly issuerKey: string
  /** `self_signed` is not told by the bytes alone. */
  readonly facts: Omit<Certificate, 'self_signed'>
}

/** Octets of a serial number that are shown; RFC 5280 allows 20. */
const serialOctets = 32
const mostUsages = 64

/** UTCTime or GeneralizedTime (RFC 5280 section 4.1.2.5) as `YYYY-MM-DDTHH:MM:SSZ`; null when it is neither. */
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
  // RSA's modulus is the first INTEGER of the key itself, DSA's prime the first of the parameters; the BIT STRING
  // opens with an octet that counts unused bits.
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

/** The value of each extension by the OID it has; the first counts when one is repeated. */
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

/** The fields before [3] extensions, in their order; version [0] may be left out. */
function fieldsOf(raw: Buffer): { readonly fields: Element[]; readonly algorithm: Element | undefined } {
  const [tbs, algorithm] = inside(raw, 3)
  const all = tbs === undefined ? [] : elements(tbs.content)
  return { fields: all[0]?.tag === 0xa0 ? all.slice(1) : all, algorithm }
}

/** Null when a part that every certificate has cannot be read. Never throws. */
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

/** RFC 5280 wants every issuer named; some are not. */
const unnamed = { label: '(unnamed)', common_name: null, organization: null, country: null }
