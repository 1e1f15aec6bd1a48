// DANE for mail servers (RFC 7672): the TLSA records of a server, and whether its certificates match them.
import { createHash, X509Certificate } from 'node:crypto'
import type { RecordData } from '../../network/dns_records.ts'
import { MAIL_PORT } from '../../network/mail_way_out.ts'
import type { Answer } from '../../network/resolver.ts'
import { outcomeOf, records } from '../mail_records/dns_records.ts'
import { type ParsedCertificate, parseCertificate } from '../tls/certificate.ts'
import { findPath } from '../tls/path.ts'
import type { Dane, TlsaRecord } from './facts.ts'

export const tlsaName = (exchange: string): string => `_${MAIL_PORT}._tcp.${exchange}`

/** Records compared; servers publish one or two for each key. */
const MAX_RECORDS = 16

const USAGE = { trust_anchor: 2, end_entity: 3 }

/**
 * `chain`: the certificates, the server's own first, in Base64; null without a handshake. `isAuthenticated`: DNSSEC validated
 * the answers that lead to the server.
 */
export async function describeDane(
  exchange: string,
  answer: Answer<RecordData['TLSA']>,
  chain: readonly string[] | null,
  isAuthenticated: boolean,
  now: Date,
): Promise<Dane> {
  const tlsaRecords: TlsaRecord[] = []
  for (const record of records(answer).slice(0, MAX_RECORDS)) {
    const { usage, selector, matching_type } = record
    const usable = isUsable(record)
    const matches =
      usable && chain !== null
        ? await isMatch(
            record,
            chain.map(der => Buffer.from(der, 'base64')),
            now,
          )
        : null
    tlsaRecords.push({ usage, selector, matching_type, usable, matches })
  }
  return {
    name: tlsaName(exchange),
    authenticated: isAuthenticated && answer.status !== 'unknown' && answer.authenticated,
    records: tlsaRecords,
    ...outcomeOf(answer),
  }
}

/** Clients cannot check the names of mail servers against public authorities, so usages 0 and 1 do not count. */
const isUsable = ({ usage, selector, matching_type }: RecordData['TLSA']): boolean =>
  Object.values(USAGE).includes(usage) && selector <= 1 && matching_type <= 2

async function isMatch(record: RecordData['TLSA'], chain: readonly Buffer[], now: Date): Promise<boolean> {
  const [leaf, ...above] = chain
  if (leaf === undefined) return false
  if (record.usage === USAGE.end_entity) return isAbout(record, leaf)
  const anchor = above.find(certificate => isAbout(record, certificate))
  const [own, trustAnchor] = [parseCertificate(leaf), anchor && parseCertificate(anchor)]
  if (!own || !trustAnchor) return false
  const issuers = above.flatMap(certificate => parseCertificate(certificate) ?? [])
  const store = {
    has: (certificate: ParsedCertificate) => certificate.raw.equals(trustAnchor.raw),
    issuersOf: (certificate: ParsedCertificate) =>
      certificate.issuerKey === trustAnchor.subjectKey ? [trustAnchor] : [],
  }
  return (await findPath(own, issuers, store, now)).anchored === true
}

/** RFC 6698 section 2.1. */
function isAbout({ selector, matching_type, data }: RecordData['TLSA'], certificate: Buffer): boolean {
  const selectedOctets = selector === 0 ? certificate : publicKeyOf(certificate)
  if (selectedOctets === null) return false
  if (matching_type === 0) return selectedOctets.toString('hex') === data
  return (
    createHash(matching_type === 1 ? 'sha256' : 'sha512')
      .update(selectedOctets)
      .digest('hex') === data
  )
}

/** SubjectPublicKeyInfo in DER; null for a key that OpenSSL does not know. */
function publicKeyOf(certificate: Buffer): Buffer | null {
  try {
    return new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  } catch {
    return null
  }
}
