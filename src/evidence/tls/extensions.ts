// The extensions of a certificate (RFC 5280 section 4.2).
import ipaddr from 'ipaddr.js'
import { extensions as oids } from './algorithms.ts'
import { dottedOid, type Element, elements, sequenceIn, soleElement, tags } from './der.ts'
import { nameKey } from './distinguished_name.ts'

/** Extensions that a path check knows besides those above; any other critical one makes it fail (RFC 5280 section 4.2). */
const OTHER_KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([
  ...Object.values(oids),
  '2.5.29.31', // CRL distribution points
  '2.5.29.32', // certificate policies
  '2.5.29.33', // policy mappings
  '2.5.29.36', // policy constraints
  '2.5.29.54', // inhibit anyPolicy
  '1.3.6.1.5.5.7.1.7', // IP address blocks (RFC 3779)
  '1.3.6.1.5.5.7.1.8', // autonomous system numbers (RFC 3779)
  '1.3.6.1.5.5.7.1.14', // proxy certificate information (RFC 3820)
  '2.16.840.1.113730.1.1', // Netscape certificate type
])

const CA_ISSUERS_OID = '1.3.6.1.5.5.7.48.2'
const KEY_CERT_SIGN_BIT = 0x04

export interface Extensions {
  /** An extension occurs twice, or its value is not what its standard says. */
  readonly malformed: boolean
  readonly unknown_critical: boolean
  readonly dns_names: readonly string[]
  readonly ip_addresses: readonly string[]
  readonly is_ca: boolean
  /** Intermediates allowed below this one; null for any number. */
  readonly path_length: number | null
  /** False when a key usage excludes the signing of certificates. */
  readonly signs_certificates: boolean
  readonly extended_key_usage: readonly string[] | null
  readonly subject_key_id: string | null
  readonly authority_key_id: string | null
  readonly name_constraints: NameConstraints | null
  /** Says where its issuer's certificate can be fetched. */
  readonly has_issuer_url: boolean
  /** Carries timestamps of Certificate Transparency logs; they are not verified. */
  readonly has_timestamps: boolean
}

/** Reads all extensions of the field [3]; what cannot be read is as if it were absent, and `malformed`. */
export function readExtensions(field: Element | undefined): Extensions {
  const { values, malformed, unknown_critical } = listExtensions(field)
  const of = (name: keyof typeof oids) => values.get(oids[name])
  const names = sequenceIn(of('subjectAltName'))
  const constraints = sequenceIn(of('basicConstraints'))
  const usages = sequenceIn(of('extendedKeyUsage'))
  const usage = soleElement(of('keyUsage'), tags.bitString)
  const subject = soleElement(of('subjectKeyIdentifier'), tags.octetString)
  const authority = sequenceIn(of('authorityKeyIdentifier'))
  const limits = sequenceIn(of('nameConstraints'))
  const information = sequenceIn(of('authorityInformation')) ?? []
  const [flag, ...length] = constraints ?? []
  const isCa = flag?.tag === tags.boolean && flag.content[0] !== undefined && flag.content[0] !== 0
  return {
    malformed: malformed || [names, constraints, usages, usage, subject, authority, limits].includes(null),
    unknown_critical,
    dns_names: (names ?? []).filter(name => name.tag === DNS_NAME_TAG).map(name => dnsName(name.content)),
    ip_addresses: (names ?? []).filter(name => name.tag === IP_ADDRESS_TAG).map(name => ipAddress(name.content)),
    is_ca: isCa,
    path_length: isCa ? readLength(length[0]) : null,
    signs_certificates: !usage || ((usage.content[1] ?? 0) & KEY_CERT_SIGN_BIT) !== 0,
    extended_key_usage: usages?.map(usage => dottedOid(usage.content)) ?? null,
    subject_key_id: subject?.content.toString('hex') ?? null,
    authority_key_id: authority?.find(({ tag }) => tag === 0x80)?.content.toString('hex') ?? null,
    name_constraints: limits ? readConstraints(limits) : null,
    has_issuer_url: information.some(({ content }) => {
      const [method] = elements(content, 1)
      return method?.tag === tags.oid && dottedOid(method.content) === CA_ISSUERS_OID
    }),
    has_timestamps: values.has(oids.timestamps),
  }
}

function listExtensions(field: Element | undefined) {
  const values = new Map<string, Buffer>()
  const all = field === undefined ? [] : (sequenceIn(field.content) ?? null)
  let isMalformed = all === null
  let unknownCritical = false
  for (const extension of all ?? []) {
    const parts = elements(extension.content, 3)
    const [type, value] = [parts[0], parts.at(-1)]
    if (type?.tag !== tags.oid || value?.tag !== tags.octetString) {
      isMalformed = true
      continue
    }
    const oid = dottedOid(type.content)
    if (values.has(oid)) isMalformed = true
    else values.set(oid, value.content)
    const isCritical = parts.length === 3 && parts[1]?.tag === tags.boolean && parts[1].content[0] !== 0
    if (isCritical && !OTHER_KNOWN_EXTENSIONS.has(oid)) unknownCritical = true
  }
  return { values, malformed: isMalformed, unknown_critical: unknownCritical }
}

function readLength(element: Element | undefined): number | null {
  if (element?.tag !== tags.integer || element.content.length === 0 || element.content.length > 4) return null
  return Math.max(0, element.content.readIntBE(0, element.content.length))
}

/** DNS names have at most 253 octets; a longer one is cut here and matches nothing. */
const MAX_NAME_CHARACTERS = 256

const DNS_NAME_TAG = 0x82
const DIRECTORY_NAME_TAG = 0xa4
const IP_ADDRESS_TAG = 0x87

const escapeOctet = (octet: number) => `\\x${octet.toString(16).padStart(2, '0')}`

/** Lower case; octets that host names cannot contain (NUL, blanks, UTF-8, backslash) as `\xhh`. */
function dnsName(content: Buffer): string {
  const text = content.subarray(0, MAX_NAME_CHARACTERS).toString('latin1')
  return text.replace(/[^!-[\]-~]/g, character => escapeOctet(character.charCodeAt(0))).toLowerCase()
}

/** Canonical text for 4 or 16 octets; other lengths are not addresses and become `#` and hexadecimal. */
function ipAddress(content: Buffer): string {
  if (content.length === 4 || content.length === 16) return ipaddr.fromByteArray([...content]).toString()
  return `#${content.subarray(0, 32).toString('hex')}`
}

/** Names that a CA may issue for, and names that it may not (RFC 5280 section 4.2.1.10). */
export interface NameConstraints {
  readonly permitted: Subtrees
  readonly excluded: Subtrees
}

interface Subtrees {
  readonly dns: readonly string[]
  /** Address and mask. */
  readonly ip: readonly Buffer[]
  /** As in `nameKey`. */
  readonly directory: readonly string[]
}

function readConstraints(fields: readonly Element[]): NameConstraints {
  const subtrees = (tag: number): Subtrees => {
    const field = fields.find(field => field.tag === tag)
    const bases = field === undefined ? [] : elements(field.content, Number.POSITIVE_INFINITY)
    const names = bases.flatMap(({ content }) => elements(content, 1))
    const of = (kind: number) => names.filter(name => name.tag === kind).map(name => name.content)
    return {
      dns: of(DNS_NAME_TAG).map(dnsName),
      ip: of(IP_ADDRESS_TAG),
      directory: of(DIRECTORY_NAME_TAG).map(nameKey),
    }
  }
  return { permitted: subtrees(0xa0), excluded: subtrees(0xa1) }
}

interface CertificateNames extends Pick<Extensions, 'dns_names' | 'ip_addresses'> {
  /** As from `nameKey`. */
  readonly subject: string
}

export function obeysConstraints(
  { permitted, excluded }: NameConstraints,
  certificateNames: CertificateNames,
): boolean {
  const kinds: [names: readonly string[], within: (name: string, trees: Subtrees) => boolean, kind: keyof Subtrees][] =
    [
      [certificateNames.dns_names, (name, { dns }) => dns.some(base => isBelow(name, base)), 'dns'],
      [certificateNames.ip_addresses, (name, { ip }) => ip.some(range => isInRange(name, range)), 'ip'],
      [
        certificateNames.subject === '' ? [] : [certificateNames.subject],
        (name, { directory }) => directory.some(base => base === '' || `${name}\n`.startsWith(`${base}\n`)),
        'directory',
      ],
    ]
  return kinds.every(([names, within, kind]) =>
    names.every(name => (permitted[kind].length === 0 || within(name, permitted)) && !within(name, excluded)),
  )
}

/** A leading dot, which the standard lacks for host names, excludes the name itself in all implementations. */
const isBelow = (name: string, base: string): boolean =>
  base === '' || name === base || name.endsWith(base.startsWith('.') ? base : `.${base}`)

function isInRange(address: string, range: Buffer): boolean {
  if (!ipaddr.isValid(address)) return false
  const octets = ipaddr.parse(address).toByteArray()
  const mask = range.subarray(octets.length)
  if (mask.length !== octets.length) return false
  return octets.every((octet, at) => ((octet ^ (range[at] ?? 0)) & (mask[at] ?? 0)) === 0)
}
