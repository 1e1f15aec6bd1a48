// Describes the certificates of a TLS server and checks whether verified signatures lead to a trusted root.
import { X509Certificate } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type PeerCertificate, rootCertificates } from 'node:tls'
import type { PeerInfo } from '../../network/tls.ts'
import { type Parsed, parseCertificate } from './certificate.ts'
import type { Certificate, Tls } from './facts.ts'

export type CertificateFacts = Pick<Tls, 'chain' | 'chain_length' | 'verify_error' | 'anchored'>

/** Certificates described: twice the longest path seen on the public web. */
const described = 16
/** Certificates counted; OpenSSL accepts 100 KiB of them. */
const counted = 1_000

/**
 * DER of the certificates from the leaf on, each followed by its issuer. Node links them in this order regardless of the
 * order sent, appends a root from the store if it was not sent, and makes a self-signed certificate its own issuer.
 * (`getPeerX509Certificate()` keeps the order sent, but on Node 20 it leaks every certificate above the leaf.)
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

/** DER of the certificates that the server sent, its own first; without a root that Node may have added. */
export const sentDer = (leaf: PeerInfo['certificate'], trust: TrustStore = defaultTrust): Buffer[] =>
  linkedDer(leaf).filter(der => {
    const certificate = parseCertificate(der)
    return certificate === null || !trust.has(certificate)
  })

/** Sequential, because checking a signature with an unusual key is slow. */
async function describeChain(certificates: readonly Parsed[]): Promise<Certificate[]> {
  const chain: Certificate[] = []
  for (const parsed of certificates) {
    const self_signed = parsed.subjectKey === parsed.issuerKey && (await isSignedBy(parsed, parsed))
    chain.push({ self_signed, ...parsed.facts })
  }
  return chain
}

/** Expects a handshake made with `rejectUnauthorized: false` and without a name check. */
export async function describeCertificates(
  { certificate, complaint }: Pick<PeerInfo, 'certificate' | 'complaint'>,
  trust: TrustStore = defaultTrust,
): Promise<CertificateFacts> {
  const linked = linkedDer(certificate)
  const [leaf, ...above] = linked.slice(0, described).map(parseCertificate)
  const readable = above.filter(certificate => certificate !== null)
  // A trusted root at the end was added by Node, or sent needlessly (RFC 8446 section 4.4.2).
  const sent = readable.filter(certificate => !trust.has(certificate))
  return {
    chain: leaf ? await describeChain([leaf, ...sent]) : [],
    chain_length: linked.length - (readable.length - sent.length),
    verify_error: complaint,
    anchored: complaint === null ? true : leaf ? await isAnchored(leaf, sent, trust) : null,
  }
}

export interface TrustStore {
  has(certificate: Parsed): boolean
  /** Roots whose subject is this certificate's issuer. */
  issuersOf(certificate: Parsed): readonly Parsed[]
}

/** Signatures checked for one chain, to bound the cost of a mesh of cross-signed certificates. */
const mostSignatures = 16

const pemBlock = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g

const splitPem = (text: string): string[] => [...text.matchAll(pemBlock)].map(match => match[0])

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64')

function indexRoots(pem: readonly string[]): ReadonlyMap<string, readonly Parsed[]> {
  const index = new Map<string, Parsed[]>()
  for (const root of pem.map(derOf).flatMap(der => parseCertificate(der) ?? [])) {
    index.set(root.subjectKey, [...(index.get(root.subjectKey) ?? []), root])
  }
  return index
}

/** Node's own roots and those of `extraPem`, the content of NODE_EXTRA_CA_CERTS. */
export function createTrustStore(extraPem = ''): TrustStore {
  const pem = [...rootCertificates, ...splitPem(extraPem)]
  let index: ReadonlyMap<string, readonly Parsed[]> | null = null
  const named = (key: string) => {
    index ??= indexRoots(pem)
    return index.get(key) ?? []
  }
  return {
    has: certificate => named(certificate.subjectKey).some(root => root.raw.equals(certificate.raw)),
    issuersOf: certificate => named(certificate.issuerKey),
  }
}

/** Whether `issuer`'s key verifies the signature on `certificate`; false if either is unusable. */
export async function isSignedBy(certificate: Parsed, issuer: Parsed): Promise<boolean> {
  // An unusual RSA key takes up to 6 ms, so yield to the event loop between checks.
  await setImmediate()
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // OpenSSL does not know this kind of key or signature.
    return false
  }
}

/** Whether verified signatures lead from `leaf` to a root; null when that needs more checks than the limit. */
export async function isAnchored(leaf: Parsed, sent: readonly Parsed[], store: TrustStore): Promise<boolean | null> {
  const reached = new Set([leaf])
  let signatures = 0
  for (const certificate of reached) {
    if (store.has(certificate)) return true
    const senders = sent.filter(other => !reached.has(other) && other.subjectKey === certificate.issuerKey)
    for (const issuer of [...store.issuersOf(certificate), ...senders]) {
      if (signatures === mostSignatures) return null
      signatures += 1
      if (!(await isSignedBy(certificate, issuer))) continue
      if (store.has(issuer)) return true
      reached.add(issuer)
    }
  }
  return false
}

const defaultTrust = createTrustStore()
