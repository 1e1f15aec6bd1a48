// The section's fields, from the facts of the handshake.
import { labelled, nullable, printable, type Static, Type } from '../../src/engine/plugin.ts'
import type { Authorization } from './caa.ts'
import { type Reason, reasons, seconds } from './reasons.ts'
import { describeOcsp, isRevocationChecked, Ocsp } from './revocation.ts'
import type { Certificate, Tls } from './tls.ts'

/** Maximum number of listed alternative names; the total is always given. */
const listedNames = 50
const nameLength = 256
const listedTimestamps = 64
const day = 86_400

const Key = Type.Object(
  {
    kind: Type.String({ description: '`rsa`, `ec`, `ed25519`, ...' }),
    bits: nullable(Type.Integer({ description: 'Size; for RSA, the size of the modulus.' })),
    curve: nullable(Type.String({ description: 'Name of the curve; null for RSA.' })),
  },
  { additionalProperties: false, description: 'The public key of the certificate.' },
)

const Timestamp = Type.Object(
  {
    log_id: Type.String({ description: "Base64 of the SHA-256 of the log's key." }),
    logged_at: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
    source: Type.Enum(['certificate', 'staple'], {
      description: 'Where it was: in the certificate or in the OCSP response.',
    }),
    log: nullable(Type.String({ description: 'Name of the log; null if the dataset `ct_logs` does not have it.' })),
    operator: nullable(Type.String({ description: 'Who runs the log.' })),
    state: nullable(Type.String({ description: 'What Chrome does with its timestamps: `usable`, `retired`, ...' })),
  },
  { additionalProperties: false },
)

const Caa = Type.Object(
  {
    found_at: Type.String({ description: 'The domain that has the records.' }),
    allowed: Type.Array(Type.String(), { description: 'Authorities that may issue, as the records name them.' }),
    permits_issuer: nullable(
      Type.Boolean({ description: 'The records include the issuer; null if the CAA names of the issuer are unknown.' }),
    ),
  },
  {
    additionalProperties: false,
    description: 'What CAA records say about the issuer; null without records, or if unknown.',
  },
)

const KeyExchange = Type.Object(
  {
    kind: Type.String({ description: '`ECDH`, `DH`, ...' }),
    group: nullable(Type.String({ description: '`X25519`, `P-256`, `X25519MLKEM768`, ...' })),
    bits: nullable(Type.Integer({ description: 'Size of the group.' })),
    post_quantum: nullable(
      Type.Boolean({
        description: 'The group withstands quantum computers; null if this service offered no such group.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How both sides agreed on keys.' },
)

const chainFields = {
  subject: nullable(Type.String({ description: 'The subject of the certificate.' })),
  issuer: Type.String({ description: 'The issuer of the certificate.' }),
  not_before: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
  not_after: Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }),
  self_signed: Type.Boolean({ description: 'The key of the certificate signed it.' }),
  fingerprint_sha256: Type.String({ description: 'Hexadecimal, in lower case.' }),
}
const CertificateSchema = Type.Object(chainFields, { additionalProperties: false })
const Beside = Type.Object(
  {
    ...chainFields,
    role: Type.Enum(['root', 'cross_sign', 'other_leaf', 'other_authority'], {
      description:
        '`root`: signed by itself, which visitors have or do not trust. `cross_sign`: another certificate of an authority on the path. `other_leaf`: of a site, not of an authority.',
    }),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    valid: labelled(
      'Accepted by browsers',
      Type.Boolean({
        description: 'Trusted chain, valid dates and a matching name: `invalid_reasons` is empty.',
      }),
    ),
    issuer: labelled(
      'Issued by',
      nullable(Type.String({ description: 'Organization of the issuer, otherwise its most specific name.' })),
    ),
    expires_at: labelled(
      'Valid until',
      nullable(Type.String({ description: 'ISO 8601 in UTC, without zone designator.' })),
    ),
    days_to_expire: labelled(
      'Days left',
      nullable(Type.Integer({ description: 'Rounded down: -1 from the first second after expiry.' })),
    ),
    is_self_signed: labelled(
      'Self-signed',
      nullable(Type.Boolean({ description: 'The key of the certificate signed it.' })),
    ),
    protocol: nullable(Type.String({ description: '`TLSv1.3`, `TLSv1.2`, `TLSv1.1`, `TLSv1`.' })),
    status: labelled(
      'Handshake',
      Type.Enum(['handshake', 'failed', 'refused'], {
        description: '`refused`: nothing accepts connections on port 443.',
      }),
    ),
    failure: nullable(Type.String({ description: 'Why the handshake failed.' })),
    invalid_reasons: labelled(
      'Why it is not accepted',
      Type.Array(Type.Enum([...reasons]), { description: 'Empty if browsers accept it.' }),
    ),
    subject: labelled('Issued to', nullable(Type.String({ description: 'The most specific name of the subject.' }))),
    subject_alternative_names: labelled(
      'Names',
      nullable(Type.Array(Type.String(), { description: 'Names and addresses that it is valid for, at most 50.' })),
    ),
    subject_alternative_names_total: labelled(
      'Number of names',
      nullable(Type.Integer({ description: 'Number of names.' })),
    ),
    issuer_common_name: labelled(
      'Common name of the issuer',
      nullable(Type.String({ description: 'As in the certificate.' })),
    ),
    not_before: labelled('Valid from', nullable(Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }))),
    serial: labelled('Serial number', nullable(Type.String({ description: 'Hexadecimal.' }))),
    fingerprint_sha256: labelled(
      'SHA-256 fingerprint',
      nullable(Type.String({ description: 'Hexadecimal, in lower case.' })),
    ),
    key: nullable(Key),
    signature_algorithm: labelled(
      'Signature',
      nullable(Type.String({ description: 'The algorithm that the issuer signed with.' })),
    ),
    chain_length: labelled(
      'Certificates in the path, without the root',
      nullable(
        Type.Integer({
          description: 'Number of certificates of the path including the leaf, without the trusted root.',
        }),
      ),
    ),
    chain: labelled(
      'Certificate path',
      nullable(
        Type.Array(CertificateSchema, {
          description:
            'The path with its trusted root: leaf first, each followed by its issuer; at most 17. Null without a handshake.',
        }),
      ),
    ),
    root: labelled(
      'Trusted root',
      nullable(Type.String({ description: 'Name of the trusted root at the end of the path.' })),
    ),
    sent_beside: labelled(
      'Certificates sent beyond the path',
      nullable(
        Type.Array(Beside, {
          description: 'Certificates sent that are not on the path; null if some of them could not be read.',
        }),
      ),
    ),
    cipher: nullable(Type.String({ description: 'The cipher suite, by its IANA name.' })),
    alpn: labelled(
      'Protocol by ALPN',
      nullable(Type.String({ description: '`h2`, `http/1.1`; null if none was agreed.' })),
    ),
    key_exchange: nullable(KeyExchange),
    client_certificate_requested: labelled(
      'Asks for a client certificate',
      nullable(
        Type.Boolean({ description: 'The server asked for a certificate of the visitor; null without a handshake.' }),
      ),
    ),
    revocation_checked: Type.Boolean({
      description: 'From a verified, current response that the server stapled. Neither OCSP nor CRLs are queried.',
    }),
    ocsp: labelled('OCSP', nullable(Ocsp)),
    caa: labelled('CAA records', nullable(Caa)),
    certificate_timestamps: labelled(
      'Transparency logs',
      nullable(
        Type.Array(Timestamp, {
          maxItems: 64,
          description:
            'Timestamps of Certificate Transparency logs, in the certificate and in the OCSP response. Not verified.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
)

export type Section = Static<typeof Section>

/** Whole days left, rounded down. */
export const daysLeft = (certificate: Certificate, now: Date): number =>
  Math.floor((seconds(certificate.not_after) - seconds(now)) / day)

function certificateFields(leaf: Certificate | undefined, now: Date) {
  const names = leaf === undefined ? null : [...leaf.dns_names, ...leaf.ip_addresses]
  return {
    issuer: leaf ? (leaf.issuer.organization ?? leaf.issuer.label) : null,
    expires_at: leaf?.not_after.replace(/Z$/, '') ?? null,
    days_to_expire: leaf ? daysLeft(leaf, now) : null,
    is_self_signed: leaf?.self_signed ?? null,
    subject: leaf?.subject?.label ?? null,
    subject_alternative_names: names?.slice(0, listedNames).map(name => printable(name, nameLength)) ?? null,
    subject_alternative_names_total: names?.length ?? null,
    issuer_common_name: leaf?.issuer.common_name ?? null,
    not_before: leaf?.not_before ?? null,
    serial: leaf?.serial ?? null,
    fingerprint_sha256: leaf?.fingerprint_sha256 ?? null,
    key: leaf?.key ?? null,
    signature_algorithm: leaf?.signature_algorithm ?? null,
  }
}

const chainedFields = ({ subject, issuer, not_before, not_after, self_signed, fingerprint_sha256 }: Certificate) => ({
  subject: subject?.label ?? null,
  issuer: issuer.label,
  not_before,
  not_after,
  self_signed,
  fingerprint_sha256,
})

const timestampFields = ({ log_id, logged_at, source, log }: NonNullable<Tls['timestamps']>[number]) => ({
  log_id,
  logged_at,
  source,
  log: log?.name ?? null,
  operator: log?.operator ?? null,
  state: log?.state ?? null,
})

/** Why a certificate was sent that is not on the path, as far as it shows. */
function roleOf(one: Certificate, { chain, root }: Tls): NonNullable<Section['sent_beside']>[number]['role'] {
  if (!one.is_ca) return 'other_leaf'
  const authorities = [...chain.slice(1), ...(root === null ? [] : [root])]
  const isSame = ({ subject }: Certificate) => subject !== null && isSameName(subject, one.subject)
  if (authorities.some(isSame)) return 'cross_sign'
  return one.self_signed ? 'root' : 'other_authority'
}

const isSameName = (subject: NonNullable<Certificate['subject']>, other: Certificate['subject']): boolean =>
  other !== null && subjectParts.every(part => subject[part] === other[part])
const subjectParts = ['label', 'common_name', 'organization', 'country'] as const

/** Maximum number of listed authorities. */
const listedAuthorities = 20

const caaFields = ({ found_at, allowed, permits_issuer }: Authorization) => ({
  found_at,
  allowed: allowed.slice(0, listedAuthorities).map(name => printable(name, nameLength)),
  permits_issuer,
})

/** The section of one handshake at the time of the check. */
export function describe(tls: Tls, caa: Authorization | null, invalid: readonly Reason[], now: Date): Section {
  const isAgreed = tls.status === 'handshake'
  const { issuer, expires_at, days_to_expire, is_self_signed, ...rest } = certificateFields(tls.chain[0], now)
  return {
    valid: invalid.length === 0,
    issuer,
    expires_at,
    days_to_expire,
    is_self_signed,
    protocol: tls.protocol,
    status: tls.status,
    failure: tls.failure,
    invalid_reasons: [...invalid],
    ...rest,
    chain_length: isAgreed ? tls.chain_length : null,
    chain: isAgreed ? [...tls.chain, ...(tls.root === null ? [] : [tls.root])].map(chainedFields) : null,
    root: tls.root?.subject?.label ?? null,
    sent_beside: isAgreed
      ? (tls.beside?.map(one => ({ ...chainedFields(one), role: roleOf(one, tls) })) ?? null)
      : null,
    cipher: tls.cipher,
    alpn: tls.alpn,
    key_exchange: tls.key_exchange,
    client_certificate_requested: isAgreed ? tls.client_certificate_requested : null,
    revocation_checked: isRevocationChecked(tls, now),
    ocsp: describeOcsp(tls, now),
    caa: caa && caaFields(caa),
    certificate_timestamps: tls.timestamps?.slice(0, listedTimestamps).map(timestampFields) ?? null,
  }
}
