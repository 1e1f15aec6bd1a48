// The OCSP response that a server sends in its handshake (RFC 6066 section 8): what it says about the server's
// certificate, and whether the issuer of that certificate, or a responder that the issuer authorized, has signed it.
import { createHash, verify, X509Certificate } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { signatureAlgorithms } from './algorithms.ts'
import { fieldsOf, parseCertificate } from './certificate.ts'
import { elements, tags } from './der.ts'
import type { SignedTimestamp, Staple } from './facts.ts'
import { type BasicResponse, parseOcspResponse, type SingleResponse } from './ocsp_response.ts'
import { readTimestamps } from './sct.ts'

export interface DescribedStaple {
  readonly staple: Staple
  /** Null if they are malformed; none without a response about the certificate. */
  readonly timestamps: readonly SignedTimestamp[] | null
}

const MAX_STAPLE_BYTES = 65_536
/** Certificates among which the issuer is looked for. */
const MAX_CANDIDATES = 16
/** Maximum number of responder certificates with a checked signature. */
const MAX_RESPONDERS = 2
const OCSP_SIGNING_OID = '1.3.6.1.5.5.7.3.9'

/** The parts of a certificate that OCSP hashes, in DER. */
interface Identity {
  readonly raw: Buffer
  readonly serial: Buffer
  readonly issuer: Buffer
  readonly subject: Buffer
  /** The key without the algorithm and the number of unused bits. */
  readonly key: Buffer
}

function identify(raw: Buffer): Identity | null {
  const { fields } = fieldsOf(raw)
  const [serial, , issuer, , subject, info] = fields
  const [, key] = info === undefined ? [] : elements(info.content, 2)
  if (!serial || !issuer || !subject || key?.tag !== tags.bitString) return null
  return { raw, serial: serial.content, issuer: issuer.whole, subject: subject.whole, key: key.content.subarray(1) }
}

const digest = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest()

async function isSignedBy(certificate: Identity, issuer: Identity): Promise<boolean> {
  // An unusual RSA key takes up to 6 ms.
  await setImmediate()
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // OpenSSL does not know this kind of key or signature.
    return false
  }
}

async function findIssuer(leaf: Identity, candidates: readonly Buffer[]): Promise<Identity | null> {
  for (const raw of candidates.slice(0, MAX_CANDIDATES)) {
    const candidate = identify(raw)
    if (candidate?.subject.equals(leaf.issuer) && (await isSignedBy(leaf, candidate))) return candidate
  }
  return null
}

function isAbout(response: SingleResponse, leaf: Identity, issuer: Identity | null): boolean | null {
  const { hash, issuerNameHash, issuerKeyHash, serial } = response
  if (!serial.equals(leaf.serial)) return false
  if (hash === null) return null
  if (!digest(hash, leaf.issuer).equals(issuerNameHash)) return false
  return issuer === null ? null : digest(hash, issuer.key).equals(issuerKeyHash)
}

function isResponder({ responder }: BasicResponse, certificate: Identity): boolean {
  if ('name' in responder) return responder.name.equals(certificate.subject)
  return responder.keyHash.equals(digest('sha1', certificate.key))
}

/** It was valid when it signed, and is for this purpose (RFC 6960 section 4.2.2.2). */
function mayRespond(raw: Buffer, at: string): boolean {
  const facts = parseCertificate(raw)?.facts
  return (
    facts?.extended_key_usage?.includes(OCSP_SIGNING_OID) === true && facts.not_before <= at && at <= facts.not_after
  )
}

async function findSigner(basic: BasicResponse, issuer: Identity): Promise<Identity | null> {
  if (isResponder(basic, issuer)) return issuer
  const signers = basic.certificates.flatMap(raw => identify(raw) ?? [])
  const claimants = signers.filter(it => isResponder(basic, it) && mayRespond(it.raw, basic.produced_at))
  for (const certificate of claimants.slice(0, MAX_RESPONDERS)) {
    if (certificate.issuer.equals(issuer.subject) && (await isSignedBy(certificate, issuer))) return certificate
  }
  return null
}

/** Hashes by the name of the signature algorithm; null for algorithms with a hash of their own. */
function hashOf(algorithm: string): string | null | undefined {
  const name = signatureAlgorithms.get(algorithm) ?? ''
  if (name === 'ed25519' || name === 'ed448') return null
  return /^(sha\d+)WithRSAEncryption$|^ecdsa-with-(SHA\d+)$/.exec(name)?.slice(1).find(Boolean)?.toLowerCase()
}

async function isVerified(basic: BasicResponse, issuer: Identity | null): Promise<boolean | null> {
  const hash = hashOf(basic.algorithm)
  const signer = issuer === null || hash === undefined ? null : await findSigner(basic, issuer)
  if (signer === null || hash === undefined) return null
  try {
    return verify(hash, basic.signed, new X509Certificate(signer.raw).publicKey, basic.signature)
  } catch {
    // The key is not of the kind that the algorithm needs.
    return false
  }
}

const nothingSaid = {
  certificate_status: null,
  revoked_at: null,
  revocation_reason: null,
  produced_at: null,
  this_update: null,
  next_update: null,
  for_this_certificate: null,
  verified: null,
} as const

/** `leaf` and `candidates`, among which its issuer is looked for: certificates in DER. Never throws. */
export async function describeStaple(
  response: Buffer,
  leaf: Buffer,
  candidates: readonly Buffer[],
): Promise<DescribedStaple> {
  const about = identify(leaf)
  if (response.length > MAX_STAPLE_BYTES) return { staple: { response: 'too_large', ...nothingSaid }, timestamps: null }
  const ocsp = parseOcspResponse(response)
  if (ocsp === null) return { staple: { response: 'unreadable', ...nothingSaid }, timestamps: null }
  if (ocsp.status !== 'successful') return { staple: { response: ocsp.status, ...nothingSaid }, timestamps: [] }
  const { basic } = ocsp
  const issuer = about === null ? null : await findIssuer(about, candidates)
  const matches = basic.responses.map(single => ({
    single,
    is: about === null ? null : isAbout(single, about, issuer),
  }))
  const match = matches.find(({ is }) => is === true) ?? matches.find(({ is }) => is === null)
  const { produced_at } = basic
  const verified = await isVerified(basic, issuer)
  const facts = { response: ocsp.status, ...nothingSaid, produced_at, verified }
  if (match === undefined) return { staple: { ...facts, for_this_certificate: false }, timestamps: [] }
  const {
    status: certificateStatus,
    revoked_at,
    revocation_reason,
    this_update,
    next_update,
    timestamps,
  } = match.single
  return {
    staple: {
      ...facts,
      certificate_status: certificateStatus,
      revoked_at,
      revocation_reason,
      this_update,
      next_update,
      for_this_certificate: match.is,
    },
    timestamps: timestamps === null ? [] : readTimestamps(timestamps, 'staple'),
  }
}
