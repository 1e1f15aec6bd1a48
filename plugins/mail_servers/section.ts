// The section's fields, from the facts about each mail server.
import { type Evidence, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import {
  certificateFaults,
  certificateReasons,
  daneStatus,
  daneStatuses,
  type MailServer,
  type MailTls,
  reverseStatus,
  reverseStatuses,
  stsStatus,
  stsStatuses,
} from './judge.ts'

const closed = { additionalProperties: false }

const Certificate = Type.Object(
  {
    subject: nullable(Type.String()),
    issuer: Type.String(),
    expires_at: Type.String({ description: 'ISO 8601 in UTC.' }),
    fingerprint_sha256: Type.String(),
    names_total: Type.Integer({ description: 'Number of alternative names.' }),
  },
  closed,
)

const Tls = Type.Object(
  {
    protocol: nullable(Type.String()),
    cipher: nullable(Type.String()),
    only_legacy: Type.Boolean({ description: 'Needs old versions or ciphers.' }),
    valid: nullable(
      Type.Boolean({ description: 'Senders that verify certificates accept it; null if its trust is unknown.' }),
    ),
    invalid_reasons: nullable(Type.Array(Type.Enum([...certificateReasons]))),
    certificate: nullable(Certificate),
  },
  closed,
)

const Server = Type.Object(
  {
    preference: Type.Integer(),
    exchange: Type.String(),
    contact: Type.Enum(['answered', 'rejected', 'not_smtp', 'unanswered', 'internal', 'no_address', 'unknown']),
    reason: nullable(Type.String({ description: 'How the contact failed, or why it is unknown.' })),
    code: nullable(Type.Integer({ description: 'The reply code of a rejection.' })),
    address: nullable(Type.String()),
    banner: nullable(Type.String({ description: 'The text of the greeting.' })),
    extensions: nullable(Type.Array(Type.String(), { description: 'Keywords of EHLO.' })),
    starttls: nullable(Type.Boolean()),
    tls_failure: nullable(Type.String({ description: 'Why STARTTLS failed.' })),
    tls: nullable(Tls),
    dane: Type.Object(
      {
        status: Type.Enum([...daneStatuses], {
          description: '`unsigned`: there are records, but they do not count without DNSSEC.',
        }),
        records: nullable(Type.Integer({ description: 'Number of TLSA records.' })),
      },
      closed,
    ),
    mta_sts: Type.Enum([...stsStatuses], {
      description: 'Whether the server satisfies the policy; `not_listed`: the policy does not name it.',
    }),
    reverse_name: Type.Object(
      {
        status: Type.Enum([...reverseStatuses], { description: 'Whether a reverse name leads back to the address.' }),
        names: nullable(Type.Array(Type.String())),
      },
      closed,
    ),
  },
  closed,
)

export const Section = Type.Object(
  {
    total: Type.Integer({ description: 'Number of MX records.' }),
    servers: Type.Array(Server, { description: 'At most 5, by preference.' }),
  },
  closed,
)

export type Section = Static<typeof Section>

function describeTls(tls: MailTls, now: Date): Static<typeof Tls> {
  const { protocol, cipher, only_legacy, certificate } = tls
  const faults = certificateFaults(tls, now)
  return {
    protocol,
    cipher,
    only_legacy,
    valid: faults === null ? null : faults.length === 0,
    invalid_reasons: faults,
    certificate: certificate && {
      subject: certificate.subject?.label ?? null,
      issuer: certificate.issuer.organization ?? certificate.issuer.label,
      expires_at: certificate.not_after,
      fingerprint_sha256: certificate.fingerprint_sha256,
      names_total: certificate.dns_names.length + certificate.ip_addresses.length,
    },
  }
}

function describeServer(server: MailServer, mail: Evidence['mail_records'] | null, now: Date): Static<typeof Server> {
  const { dane, reverse, reverse_failure: _, tls, extensions, ...rest } = server
  return {
    ...rest,
    extensions: extensions && [...extensions],
    tls: tls && describeTls(tls, now),
    dane: { status: daneStatus(server, now), records: dane.status === 'unknown' ? null : dane.records.length },
    mta_sts: stsStatus(server, mail, now),
    reverse_name: { status: reverseStatus(server), names: reverse?.names.map(({ name }) => name) ?? null },
  }
}

export const describe = (
  { total, servers }: Evidence['mail_servers'],
  mail: Evidence['mail_records'] | null,
  now: Date,
): Section => ({ total, servers: servers.map(server => describeServer(server, mail, now)) })
