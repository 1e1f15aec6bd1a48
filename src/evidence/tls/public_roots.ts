// The roots that Node ships, which are those of Mozilla. An installation may trust others too.
import { createHash } from 'node:crypto'
import { rootCertificates } from 'node:tls'

let fingerprints: ReadonlySet<string> | null = null

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64')
const sha256 = (der: Buffer): string => createHash('sha256').update(der).digest('hex')

/** Expects the SHA-256 of a certificate in lower-case hexadecimal. */
export function isPublicRoot(fingerprint: string): boolean {
  fingerprints ??= new Set(rootCertificates.map(pem => sha256(derOf(pem))))
  return fingerprints.has(fingerprint)
}
