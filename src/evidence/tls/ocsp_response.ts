// Reads an OCSP response (RFC 6960 section 4.2) strictly: anything that the standard does not allow makes it unreadable.
//
// No library: ASN.1 packages parse recursively, and none reports how far a hostile response is from the standard.
import { dottedOid, type Element, elements, sequenceIn, soleElement, tags } from './der.ts'

export const responseStatuses = [
  'successful',
  'malformed_request',
  'internal_error',
  'try_later',
  'signature_required',
  'unauthorized',
] as const
export type ResponseStatus = (typeof responseStatuses)[number]

const statusCodes: Readonly<Record<number, ResponseStatus>> = {
  0: 'successful',
  1: 'malformed_request',
  2: 'internal_error',
  3: 'try_later',
  5: 'signature_required',
  6: 'unauthorized',
}

/** RFC 5280 section 5.3.1. */
const revocationReasons: Readonly<Record<number, string>> = {
  0: 'unspecified',
  1: 'key_compromise',
  2: 'ca_compromise',
  3: 'affiliation_changed',
  4: 'superseded',
  5: 'cessation_of_operation',
  6: 'certificate_hold',
  8: 'remove_from_crl',
  9: 'privilege_withdrawn',
  10: 'aa_compromise',
}

/** The status of one certificate in a response. Times are ISO 8601 in UTC ending in `Z`. */
export interface SingleResponse {
  /** `sha1`, `sha256`, ...; null for an unknown algorithm. */
  readonly hash: string | null
  readonly issuerNameHash: Buffer
  readonly issuerKeyHash: Buffer
  /** The content of the INTEGER. */
  readonly serial: Buffer
  readonly status: 'good' | 'revoked' | 'unknown'
  readonly revoked_at: string | null
  readonly revocation_reason: string | null
  readonly this_update: string
  readonly next_update: string | null
  /** The value of the extension with certificate timestamps (RFC 6962 section 3.3). */
  readonly timestamps: Buffer | null
}

export interface BasicResponse {
  /** The octets that are signed. */
  readonly signed: Buffer
  /** Dotted OID. */
  readonly algorithm: string
  readonly signature: Buffer
  /** The responder's name in DER, or the SHA-1 of its key. */
  readonly responder: { readonly name: Buffer } | { readonly keyHash: Buffer }
  readonly produced_at: string
  readonly responses: readonly SingleResponse[]
  /** Certificates in DER that the responder added. */
  readonly certificates: readonly Buffer[]
}

export type OcspResponse =
  | { readonly status: 'successful'; readonly basic: BasicResponse }
  | { readonly status: Exclude<ResponseStatus, 'successful'> }

const ENUMERATED_TAG = 0x0a
const BASIC_RESPONSE_OID = '1.3.6.1.5.5.7.48.1.1'
const TIMESTAMPS_OID = '1.3.6.1.4.1.11129.2.4.5'
const MAX_RESPONSES = 64
const MAX_CERTIFICATES = 8

const hashes: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** Thrown and caught within this file. */
class MalformedResponse extends Error {}

function requireValue<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new MalformedResponse()
  return value
}

function expect(element: Element | undefined, tag: number): Element {
  const present = requireValue(element)
  if (present.tag !== tag) throw new MalformedResponse()
  return present
}

/** The elements of a sequence, all of them well-formed. */
const sequence = (element: Element | undefined): Element[] => requireValue(sequenceIn(requireValue(element).whole))

/** The elements within an element that is tagged implicitly: its tag replaces that of the sequence. */
const implicitSequence = ({ content }: Element): Element[] => {
  const members = elements(content, Number.POSITIVE_INFINITY)
  if (members.reduce((sum, { whole }) => sum + whole.length, 0) !== content.length) throw new MalformedResponse()
  return members
}

/** The element within an explicit tag. */
const within = (element: Element, tag: number): Element => requireValue(soleElement(element.content, tag))

/** Takes the first element if it has this tag. */
const optional = (from: Element[], tag: number): Element | undefined =>
  from[0]?.tag === tag ? from.shift() : undefined

function requireEnd(rest: readonly Element[]): void {
  if (rest.length > 0) throw new MalformedResponse()
}

/** GeneralizedTime to the second (RFC 5280 section 4.1.2.5.2). */
function readTime(element: Element | undefined): string {
  const text = expect(element, tags.generalizedTime).content.subarray(0, 32).toString('latin1')
  const parts = requireValue(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text))
  const [, year, month, day, hour, minute, second] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const moment = new Date(`${iso}Z`)
  // `Date` turns 30 February into 2 March and 24:00 into the next day.
  if (Number.isNaN(moment.getTime()) || moment.toISOString() !== `${iso}.000Z`) throw new MalformedResponse()
  return `${iso}Z`
}

function oidOf(algorithm: Element | undefined): string {
  const [oid] = sequence(algorithm)
  return dottedOid(expect(oid, tags.oid).content)
}

function octetOf({ content }: Element): number {
  if (content.length !== 1) throw new MalformedResponse()
  return content[0] ?? 0
}

/** Tags of the choice in CertStatus: NULL, RevokedInfo and NULL. */
const choices = { good: 0x80, revoked: 0xa1, unknown: 0x82 } as const

function readStatus(element: Element | undefined): Pick<SingleResponse, 'status' | 'revoked_at' | 'revocation_reason'> {
  const { tag, content } = requireValue(element)
  if (tag === choices.revoked) {
    const [time, ...rest] = implicitSequence(requireValue(element))
    const reason = optional(rest, 0xa0)
    requireEnd(rest)
    return {
      status: 'revoked',
      revoked_at: readTime(time),
      revocation_reason: reason ? (revocationReasons[octetOf(within(reason, ENUMERATED_TAG))] ?? null) : null,
    }
  }
  if (content.length > 0 || (tag !== choices.good && tag !== choices.unknown)) throw new MalformedResponse()
  return { status: tag === choices.good ? 'good' : 'unknown', revoked_at: null, revocation_reason: null }
}

function readTimestampsOf(extensions: Element | undefined): Buffer | null {
  if (extensions === undefined) return null
  for (const extension of sequence(within(extensions, tags.sequence))) {
    const parts = sequence(extension)
    const [type, value] = [expect(parts[0], tags.oid), expect(parts.at(-1), tags.octetString)]
    if (dottedOid(type.content) === TIMESTAMPS_OID) return value.content
  }
  return null
}

function readSingle(element: Element): SingleResponse {
  const [id, status, thisUpdate, ...rest] = sequence(element)
  const [algorithm, nameHash, keyHash, serial, ...more] = sequence(id)
  requireEnd(more)
  const next = optional(rest, 0xa0)
  const extensions = optional(rest, 0xa1)
  requireEnd(rest)
  return {
    hash: hashes[oidOf(algorithm)] ?? null,
    issuerNameHash: expect(nameHash, tags.octetString).content,
    issuerKeyHash: expect(keyHash, tags.octetString).content,
    serial: expect(serial, tags.integer).content,
    ...readStatus(status),
    this_update: readTime(thisUpdate),
    next_update: next ? readTime(within(next, tags.generalizedTime)) : null,
    timestamps: readTimestampsOf(extensions),
  }
}

function readResponder(element: Element | undefined): BasicResponse['responder'] {
  const { tag, content } = requireValue(element)
  if (tag === 0xa1) return { name: requireValue(soleElement(content, tags.sequence)).whole }
  if (tag === 0xa2) return { keyHash: requireValue(soleElement(content, tags.octetString)).content }
  throw new MalformedResponse()
}

function readBasic(bytes: Buffer): BasicResponse {
  const [data, algorithm, signature, ...rest] = requireValue(sequenceIn(bytes))
  const certificates = optional(rest, 0xa0)
  requireEnd(rest)
  const fields = sequence(data)
  const version = optional(fields, 0xa0)
  if (version && octetOf(within(version, tags.integer)) !== 0) throw new MalformedResponse()
  const [responder, producedAt, responses, ...more] = fields
  optional(more, 0xa1)
  requireEnd(more)
  const all = sequence(responses)
  const bits = expect(signature, tags.bitString).content
  if (all.length === 0 || all.length > MAX_RESPONSES || bits[0] !== 0) throw new MalformedResponse()
  return {
    signed: requireValue(data).whole,
    algorithm: oidOf(algorithm),
    signature: bits.subarray(1),
    responder: readResponder(responder),
    produced_at: readTime(producedAt),
    responses: all.map(readSingle),
    certificates: certificates
      ? sequence(within(certificates, tags.sequence))
          .slice(0, MAX_CERTIFICATES)
          .map(({ whole }) => whole)
      : [],
  }
}

function readResponse(bytes: Buffer): OcspResponse {
  const [code, ...rest] = requireValue(sequenceIn(bytes))
  const status = requireValue(statusCodes[octetOf(expect(code, ENUMERATED_TAG))])
  const body = optional(rest, 0xa0)
  requireEnd(rest)
  if (status !== 'successful') return { status }
  const [type, response, ...more] = sequence(within(requireValue(body), tags.sequence))
  requireEnd(more)
  if (dottedOid(expect(type, tags.oid).content) !== BASIC_RESPONSE_OID) throw new MalformedResponse()
  return { status, basic: readBasic(expect(response, tags.octetString).content) }
}

/** Null if it is malformed, of another type, or about more than 64 certificates. Never throws. */
export function parseOcspResponse(bytes: Buffer): OcspResponse | null {
  try {
    return readResponse(bytes)
  } catch (error) {
    if (error instanceof MalformedResponse) return null
    throw error
  }
}
