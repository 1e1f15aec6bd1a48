// What a TLS server's certificates say, as facts: read from the socket that also carries the page.
import type { PeerCertificate } from 'node:tls'
import type { PeerInfo } from '../../network/peer_info.ts'
import { type Parsed, parseCertificate } from './certificate.ts'
import type { Certificate, Tls } from './facts.ts'
import { createTrustStore, isAnchored, isSignedBy, type TrustStore } from './trust_store.ts'

export { createTrustStore, type TrustStore } from './trust_store.ts'

export type CertificateFacts = Pick<Tls, 'chain' | 'chain_length' | 'verify_error' | 'anchored'>

/** Certificates described: twice the longest path seen on the public web. */
const described = 16
/** Certificates counted: OpenSSL takes 100 KiB of them. */
const counted = 1_000

/**
 * DER of the certificates from the leaf on, each followed by its issuer. Node links them so whatever the order sent,
 * goes no further when the issuer was the last one sent, adds a root of the store that was not sent, and lets a
 * self-signed one be its own issuer. (`getPeerX509Certificate()` keeps the order, but on Node 20 it leaks every
 * certificate above the leaf.)
 */
function linkedDer(leaf: PeerInfo['certificate']): Buffer[] {
  const seen = new Set<PeerInfo['certificate']>()
  let certificate: PeerInfo['certificate'] | undefined = leaf
  while (certificate?.raw !== undefined && !seen.has(certificate) && seen.size < counted) {
    seen.add(certificate)
    certificate = 'issuerCertificate' in certificate ? (certificate.issuerCertificate as PeerCertificate) : undefined
  }
  return [...seen].flatMap(({ raw }) => raw ?? [])
}

/** One after another: an odd key must not hold others up for long. */
async function describe(certificates: readonly Parsed[]): Promise<Certificate[]> {
  const chain: Certificate[] = []
  for (const parsed of certificates) {
    const signsItself = parsed.subjectKey === parsed.issuerKey && (await isSignedBy(parsed, parsed))
    chain.push({ self_signed: signsItself, ...parsed.facts })
  }
  return chain
}

const standard = createTrustStore()

/** Of a handshake that was made with `rejectUnauthorized: false` and without a check of names. */
export async function describeCertificates(
  { certificate, complaint }: Pick<PeerInfo, 'certificate' | 'complaint'>,
  trust: TrustStore = standard,
): Promise<CertificateFacts> {
  const linked = linkedDer(certificate)
  const [leaf, ...above] = linked.slice(0, described).map(parseCertificate)
  const readable = above.filter(certificate => certificate !== null)
  // A root of ours at the end is Node's addition, or one the server need not have sent (RFC 8446 section 4.4.2).
  const sent = readable.filter(certificate => !trust.has(certificate))
  return {
    chain: leaf ? await describe([leaf, ...sent]) : [],
    chain_length: linked.length - (readable.length - sent.length),
    verify_error: complaint,
    anchored: complaint === null ? true : leaf ? await isAnchored(leaf, sent, trust) : null,
  }
}
