// The roots we trust, and whether verified signatures lead to one of them (OpenSSL stops telling at its last complaint).
import { X509Certificate } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { type Parsed, parseCertificate } from './certificate.ts'

export interface TrustStore {
  has(certificate: Parsed): boolean
  /** Roots whose subject is this certificate's issuer. */
  issuersOf(certificate: Parsed): readonly Parsed[]
}

/** Signatures checked for one chain: a full mesh of cross-signed certificates must not buy more of our time. */
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

/** Node's own roots and those of `extraPem` (the text of the file that NODE_EXTRA_CA_CERTS names, '' for none). */
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

/** Whether `issuer`'s key verifies the signature on `certificate`. False also when either cannot be used. */
export async function isSignedBy(certificate: Parsed, issuer: Parsed): Promise<boolean> {
  // An odd RSA key takes 6 ms to use: others have their turn between two.
  await setImmediate()
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // A key or signature of a kind that OpenSSL does not know.
    return false
  }
}

/** Whether verified signatures lead from `leaf` to a root; null when more of them than we check would have to be. */
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
