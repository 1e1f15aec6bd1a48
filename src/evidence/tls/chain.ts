// Describes the certificates of a TLS server: the path to a trusted root, and what was sent beside it.
import type { DetailedPeerCertificate } from 'node:tls'
import type { PeerInfo } from '../../network/tls.ts'
import { type ParsedCertificate, parseCertificate } from './certificate.ts'
import type { Certificate, Tls } from './facts.ts'
import { describeAlone, findPath } from './path.ts'
import type { TrustStore } from './trust_store.ts'

export type CertificateFacts = Pick<
  Tls,
  | 'chain'
  | 'chain_length'
  | 'root'
  | 'path_errors'
  | 'paths'
  | 'beside'
  | 'missing_intermediate'
  | 'verify_error'
  | 'anchored'
>

/** Certificates described beside the path. */
const MAX_DESCRIBED = 16
/** Certificates read; OpenSSL accepts 100 KiB of them. */
const MAX_COUNTED = 1_000

/**
 * DER of the certificates from the leaf on, each followed by its issuer. Node links them in this order regardless of the
 * order sent, appends a root from the store if it was not sent, and makes a self-signed certificate its own issuer.
 * (`getPeerX509Certificate()` keeps the order sent, but on Node 20 it leaks every certificate above the leaf.)
 */
function linkedDer(leaf: PeerInfo['certificate']): Buffer[] {
  const linked = new Set<Buffer>()
  let certificate: Partial<DetailedPeerCertificate> | undefined = leaf
  while (certificate?.raw !== undefined && !linked.has(certificate.raw)) {
    linked.add(certificate.raw)
    certificate = certificate.issuerCertificate
  }
  return [...linked]
}

/** DER of the certificates that the server sent, its own first. */
export const sentDer = ({ sent, certificate }: Pick<PeerInfo, 'sent' | 'certificate'>): readonly Buffer[] =>
  sent ?? linkedDer(certificate)

/** Expects a handshake made with `rejectUnauthorized: false` and without a name check. */
export const describeCertificates = async (
  { complaint, ...peer }: Pick<PeerInfo, 'certificate' | 'complaint' | 'sent'>,
  now: Date,
  trust: TrustStore,
): Promise<CertificateFacts> => {
  const facts = await describeSent(sentDer(peer), complaint, now, trust)
  // Node links a part of what was sent.
  return peer.sent === null ? { ...facts, beside: null } : facts
}

/** `sentChain`: DER, the leaf first and the others in any order. `complaint`: OpenSSL's error about them, null if it has none. */
export async function describeSent(
  sentChain: readonly Buffer[],
  complaint: string | null,
  now: Date,
  trust: TrustStore,
): Promise<CertificateFacts> {
  const [leaf = null, ...rest] = sentChain.slice(0, MAX_COUNTED).map(parseCertificate)
  if (leaf === null) return { ...nothingRead, verify_error: complaint, anchored: complaint === null || null }
  const others = distinct(rest.filter(certificate => certificate !== null)).filter(it => !it.raw.equals(leaf.raw))
  const path = await findPath(leaf, others, trust, now)
  const { members: chain, root, errors: pathErrors, paths } = path
  const isUnreadable = sentChain.length > MAX_COUNTED || rest.includes(null)
  const anchored = complaint === null || path.anchored || (isUnreadable ? null : path.anchored)
  if (anchored) trust.learn(others.filter(it => chain.some(member => isSame(member, it))))
  const onPath = root === null ? chain : [...chain, root]
  const beside = others.filter(it => !onPath.some(member => isSame(member, it)))
  return {
    chain,
    chain_length: path.is_cut ? null : chain.length,
    root,
    path_errors: pathErrors,
    paths,
    beside: isUnreadable || beside.length > MAX_DESCRIBED ? null : await describeAll(beside),
    missing_intermediate: anchored !== true && (await isPublic(leaf, trust, now)),
    verify_error: complaint,
    anchored,
  }
}

const nothingRead = {
  chain: [],
  chain_length: null,
  root: null,
  path_errors: [],
  paths: 0,
  beside: null,
  missing_intermediate: false,
} as const

const isSame = ({ fingerprint_sha256 }: Certificate, { facts }: ParsedCertificate): boolean =>
  fingerprint_sha256 === facts.fingerprint_sha256

/** Each once, in an order that does not depend on that of `certificates`. */
function distinct(certificates: readonly ParsedCertificate[]): ParsedCertificate[] {
  const byFingerprint = new Map(certificates.map(certificate => [certificate.facts.fingerprint_sha256, certificate]))
  return [...byFingerprint].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, certificate]) => certificate)
}

/** Sequential, because checking a signature with an unusual key is slow. */
async function describeAll(certificates: readonly ParsedCertificate[]): Promise<Certificate[]> {
  const descriptions: Certificate[] = []
  for (const certificate of certificates) descriptions.push(await describeAlone(certificate))
  return descriptions
}

/** Decided by the leaf alone, so that a server gains nothing when it leaves another certificate out. */
async function isPublic(leaf: ParsedCertificate, trust: TrustStore, now: Date): Promise<boolean> {
  const { has_issuer_url, has_timestamps, authority_key_id } = leaf.extensions
  if (has_issuer_url && has_timestamps && authority_key_id !== null) return true
  return (await findPath(leaf, trust.knownIssuersOf(leaf), trust, now)).anchored === true
}
