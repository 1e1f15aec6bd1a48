// The roots that end a path.

import { createHash } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { createCache } from '../../base/cache/cache.ts'
import { caps } from '../../base/cache/caps.ts'
import { type ParsedCertificate, parseCertificate } from './certificate.ts'

export interface Roots {
  has(certificate: ParsedCertificate): boolean
  /** Roots with this certificate's issuer as subject. */
  issuersOf(certificate: ParsedCertificate): readonly ParsedCertificate[]
}

export interface TrustStore extends Roots {
  /** Remembers intermediates of a path to one of the roots. */
  learn(intermediates: readonly ParsedCertificate[]): void
  /** Remembered intermediates above a certificate, by their names. */
  knownIssuersOf(certificate: ParsedCertificate): readonly ParsedCertificate[]
}

/** Intermediates remembered of one name, and names followed upwards. */
const MAX_INTERMEDIATES = 4

/** Certificates in Base64, by the digest of their subject. */
export const createIntermediates = () =>
  createCache<readonly string[]>('intermediates', { life_ms: caps.intermediates.life_ms.usual })

const digest = (name: string): string => createHash('sha256').update(name).digest('base64')

const PEM_BODY = /(?<=-----BEGIN CERTIFICATE-----)[A-Za-z0-9+/=\s]+(?=-----END CERTIFICATE-----)/g

const derOf = (pem: string): Buffer[] => [...pem.matchAll(PEM_BODY)].map(([body]) => Buffer.from(body, 'base64'))

/** Node's own, which are those of Mozilla. */
const ownDer = (): Buffer[] => derOf(rootCertificates.join('\n'))

type RootIndex = ReadonlyMap<string, readonly ParsedCertificate[]>

function indexRoots(ders: readonly Buffer[]): RootIndex {
  const index = new Map<string, ParsedCertificate[]>()
  for (const root of ders.flatMap(der => parseCertificate(der) ?? [])) {
    index.set(root.subjectKey, [...(index.get(root.subjectKey) ?? []), root])
  }
  return index
}

/** Node's own roots, for all stores of the process: to parse them takes a tenth of a second. */
let ownRoots: RootIndex | null = null

/** Node's own roots and the roots in `extraPem`, the content of NODE_EXTRA_CA_CERTS. */
export function createTrustStore(extraPem = ''): TrustStore {
  let extraRoots: RootIndex | null = null
  const rootsByKey = (key: string) => {
    ownRoots ??= indexRoots(ownDer())
    extraRoots ??= indexRoots(derOf(extraPem))
    return [...(ownRoots.get(key) ?? []), ...(extraRoots.get(key) ?? [])]
  }
  const knownIntermediates = createIntermediates()
  return {
    has: certificate => rootsByKey(certificate.subjectKey).some(root => root.raw.equals(certificate.raw)),
    issuersOf: certificate => rootsByKey(certificate.issuerKey),
    learn: intermediates => {
      for (const { raw, subjectKey } of intermediates) {
        const key = digest(subjectKey)
        const knownDers = knownIntermediates.get(key) ?? []
        const der = raw.toString('base64')
        if (!knownDers.includes(der)) knownIntermediates.set(key, [der, ...knownDers].slice(0, MAX_INTERMEDIATES))
      }
    },
    knownIssuersOf: certificate => {
      const knownIssuers: ParsedCertificate[] = []
      const names = new Set([certificate.issuerKey])
      for (const name of names) {
        const ders = knownIntermediates.get(digest(name)) ?? []
        const issuers = ders.flatMap(der => parseCertificate(Buffer.from(der, 'base64')) ?? [])
        knownIssuers.push(...issuers)
        for (const { issuerKey } of issuers) if (names.size < MAX_INTERMEDIATES) names.add(issuerKey)
      }
      return knownIssuers
    },
  }
}

/** Of the roots that Node ships. An installation may trust others too. */
let fingerprints: ReadonlySet<string> | null = null

const sha256 = (der: Buffer): string => createHash('sha256').update(der).digest('hex')

/** Expects the SHA-256 of a certificate in lower-case hexadecimal. */
export function isPublicRoot(fingerprint: string): boolean {
  fingerprints ??= new Set(ownDer().map(sha256))
  return fingerprints.has(fingerprint)
}
