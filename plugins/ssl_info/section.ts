// The section's fields: what the handshake showed, for people and programs.
import { type Static, type TSchema, Type } from '../../src/engine/plugin.ts'
import { type Reason, reasons, seconds } from './reasons.ts'
import type { Certificate, Tls } from './tls.ts'

/** Alternative names that are listed; the total is always told. */
const listedNames = 50
const shown = 256
const day = 86_400

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const Key = Type.Object(
  {
    kind: Type.String({ description: '`rsa`, `ec`, `ed25519`, ...' }),
    bits: Nullable(Type.Integer()),
    curve: Nullable(Type.String()),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    valid: Type.Boolean({
      description: 'Trusted chain, good dates, and a name that matches: `invalid_reasons` is empty.',
    }),
    issuer: Nullable(Type.String({ description: 'Organization that issued it, else its most telling other name.' })),
    expires_at: Nullable(Type.String({ description: 'ISO 8601 in UTC without zone designator.' })),
    days_to_expire: Nullable(Type.Integer({ description: 'Rounded down: -1 from the first second after the end.' })),
    is_self_signed: Nullable(Type.Boolean()),
    protocol: Nullable(Type.String({ description: '`TLSv1.3`, `TLSv1.2`, `TLSv1.1`, `TLSv1`.' })),
    status: Type.Enum(['handshake', 'failed', 'refused']),
    failure: Nullable(Type.String({ description: 'How the handshake failed.' })),
    invalid_reasons: Type.Array(Type.Enum([...reasons])),
    subject: Nullable(Type.String()),
    subject_alternative_names: Type.Array(Type.String()),
    subject_alternative_names_total: Type.Integer(),
    issuer_common_name: Nullable(Type.String()),
    not_before: Nullable(Type.String({ description: 'ISO 8601 in UTC, ends in Z.' })),
    serial: Nullable(Type.String({ description: 'Hexadecimal.' })),
    fingerprint_sha256: Nullable(Type.String()),
    key: Nullable(Key),
    signature_algorithm: Nullable(Type.String()),
    chain_length: Nullable(Type.Integer({ description: 'Certificates from the leaf on, without the trusted root.' })),
    cipher: Nullable(Type.String()),
    alpn: Nullable(Type.String()),
    client_certificate_requested: Nullable(Type.Boolean()),
    revocation_checked: Type.Literal(false, { description: 'Neither OCSP nor CRLs are asked.' }),
  },
  { additionalProperties: false },
)

export type Section = Static<typeof Section>

/** Whole days left, rounded down. */
export const daysLeft = (certificate: Certificate, now: Date): number =>
  Math.floor((seconds(certificate.not_after) - seconds(now)) / day)

function certificateFields(leaf: Certificate | undefined, now: Date) {
  const names = [...(leaf?.dns_names ?? []), ...(leaf?.ip_addresses ?? [])]
  return {
    issuer: leaf ? (leaf.issuer.organization ?? leaf.issuer.label) : null,
    expires_at: leaf?.not_after.replace(/Z$/, '') ?? null,
    days_to_expire: leaf ? daysLeft(leaf, now) : null,
    is_self_signed: leaf?.self_signed ?? null,
    subject: leaf?.subject?.label ?? null,
    subject_alternative_names: names.slice(0, listedNames).map(name => name.slice(0, shown)),
    subject_alternative_names_total: names.length,
    issuer_common_name: leaf?.issuer.common_name ?? null,
    not_before: leaf?.not_before ?? null,
    serial: leaf?.serial ?? null,
    fingerprint_sha256: leaf?.fingerprint_sha256 ?? null,
    key: leaf?.key ?? null,
    signature_algorithm: leaf?.signature_algorithm ?? null,
  }
}

export function describe(tls: Tls, invalid: readonly Reason[], now: Date): Section {
  const agreed = tls.status === 'handshake'
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
    chain_length: agreed ? tls.chain_length : null,
    cipher: tls.cipher,
    alpn: tls.alpn,
    client_certificate_requested: agreed ? tls.client_certificate_requested : null,
    revocation_checked: false,
  }
}
