// What a server shows about its own certificate beside the path: the stapled OCSP response, whether the certificate demands
// one, and timestamps of Certificate Transparency logs.
import type { PeerInfo } from '../../network/tls.ts'
import { extensions } from './algorithms.ts'
import { fieldsOf, parseCertificate } from './certificate.ts'
import { sentDer } from './chain.ts'
import { dottedOid, elements, inside, sequenceIn, tags } from './der.ts'
import type { SignedTimestamp, Tls } from './facts.ts'
import { readTimestamps } from './sct.ts'
import { describeStaple } from './staple.ts'
import type { TrustStore } from './trust_store.ts'

export type LeafFacts = Pick<Tls, 'stapled' | 'staple' | 'must_staple' | 'timestamps'>

const TLS_FEATURE_OID = '1.3.6.1.5.5.7.1.24'
/** The TLS extension `status_request` (RFC 6066 section 8). */
const STATUS_REQUEST = 5

/** The value of a certificate's extension; the first one if it is repeated. */
function extensionValue(certificate: Buffer, oid: string): Buffer | null {
  const field = fieldsOf(certificate).fields.find(field => field.tag === 0xa3)
  for (const extension of field === undefined ? [] : inside(field.content, Number.POSITIVE_INFINITY)) {
    const parts = elements(extension.content, 3)
    const [type, value] = [parts[0], parts.at(-1)]
    if (type?.tag === tags.oid && dottedOid(type.content) === oid) return value?.content ?? null
  }
  return null
}

export function demandsStaple(certificate: Buffer): boolean | null {
  const value = extensionValue(certificate, TLS_FEATURE_OID)
  if (value === null) return false
  const features = sequenceIn(value)
  if (!features || features.some(({ tag }) => tag !== tags.integer)) return null
  return features.some(({ content }) => content.length === 1 && content[0] === STATUS_REQUEST)
}

export function embeddedTimestampsOf(certificate: Buffer): SignedTimestamp[] | null {
  const value = extensionValue(certificate, extensions.timestamps)
  return value === null ? [] : readTimestamps(value, 'certificate')
}

export const nothingShown: LeafFacts = { stapled: null, staple: null, must_staple: null, timestamps: null }

export async function describeLeaf(
  { certificate, sent, staple: response }: Pick<PeerInfo, 'certificate' | 'sent' | 'staple'>,
  trust: TrustStore,
): Promise<LeafFacts> {
  const stapled = response === undefined ? null : response !== null
  const leaf = certificate.raw
  const leafCertificate = leaf === undefined ? null : parseCertificate(leaf)
  if (leaf === undefined || leafCertificate === null) return { ...nothingShown, stapled }
  const mustStaple = demandsStaple(leaf)
  const embeddedTimestamps = embeddedTimestampsOf(leaf)
  if (!response) return { stapled, staple: null, must_staple: mustStaple, timestamps: embeddedTimestamps }
  const issuers = [...trust.issuersOf(leafCertificate), ...trust.knownIssuersOf(leafCertificate)].map(({ raw }) => raw)
  const { staple, timestamps } = await describeStaple(response, leaf, [
    ...sentDer({ certificate, sent }).slice(1),
    ...issuers,
  ])
  const all = embeddedTimestamps && timestamps && [...embeddedTimestamps, ...timestamps]
  return { stapled, staple, must_staple: mustStaple, timestamps: all }
}
