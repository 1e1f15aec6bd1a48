// The roots that end a path.
import { rootCertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { type Parsed, parseCertificate } from './certificate.ts'

export interface TrustStore {
  has(certificate: Parsed): boolean
  /** Roots whose subject is this certificate's issuer. */
  issuersOf(certificate: Parsed): readonly Parsed[]
  /** Remembers intermediates of a path to one of the roots. */
  learn?(intermediates: readonly Parsed[]): void
  /** Remembered intermediates whose names lead upwards from a certificate. */
  knownIssuersOf?(certificate: Parsed): readonly Parsed[]
}

/** Intermediates remembered. The public web uses about 300 for nearly all of its certificates. */
const REMEMBERED = 512

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
  const remembered = new LRUCache<string, Parsed>({ max: REMEMBERED })
  return {
    has: certificate => named(certificate.subjectKey).some(root => root.raw.equals(certificate.raw)),
    issuersOf: certificate => named(certificate.issuerKey),
    learn: intermediates => {
      for (const certificate of intermediates) {
        const { fingerprint_sha256 } = certificate.facts
        if (!remembered.get(fingerprint_sha256)) remembered.set(fingerprint_sha256, certificate)
      }
    },
    knownIssuersOf: certificate => {
      const found = new Set([certificate])
      for (const { issuerKey } of found) {
        for (const known of remembered.values()) if (known.subjectKey === issuerKey) found.add(known)
      }
      return [...found].slice(1)
    },
  }
}

export const defaultTrust = createTrustStore()
