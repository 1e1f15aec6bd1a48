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

const CLOSED = { additionalProperties: false }

const Certificate = Type.Object(
  {
    subject: nullable(Type.String({ description: 'The subject of the certificate.' })),
    issuer: Type.String({ description: 'The issuer of the certificate.' }),
    expires_at: Type.String({ description: 'ISO 8601 in UTC.' }),
    fingerprint_sha256: Type.String({ description: 'Hexadecimal, in lower case.' }),
    names_total: Type.Integer({ description: 'Number of alternative names.' }),
  },
  { ...CLOSED, description: 'The certificate of the server.' },
)

const Tls = Type.Object(
  {
    protocol: nullable(Type.String({ description: '`TLSv1.3`, `TLSv1.2`, ...' })),
    cipher: nullable(Type.String({ description: 'The cipher suite, by its IANA name.' })),
    only_legacy: Type.Boolean({ description: 'Needs old versions or ciphers.' }),
    valid: nullable(
      Type.Boolean({ description: 'Senders that verify certificates accept it; null if its trust is unknown.' }),
    ),
    invalid_reasons: nullable(
      Type.Array(Type.Enum([...certificateReasons]), {
        description: 'Why they do not accept it; null if its trust is unknown.',
      }),
    ),
    certificate: nullable(Certificate),
  },
  { ...CLOSED, description: 'The result of STARTTLS; null without it.' },
)

const Server = Type.Object(
  {
    preference: Type.Integer({ description: 'Lower ones are tried first.' }),
    exchange: Type.String({ description: 'Host name of the server.' }),
    contact: Type.Enum(['answered', 'rejected', 'not_smtp', 'unanswered', 'internal', 'no_address', 'unknown'], {
      description: '`internal`: its address is not public; nothing was sent there.',
    }),
    reason: nullable(Type.String({ description: 'How the contact failed, or why it is unknown.' })),
    code: nullable(Type.Integer({ description: 'The reply code of a rejection.' })),
    address: nullable(Type.String({ description: 'The address that was contacted.' })),
    banner: nullable(Type.String({ description: 'The text of the greeting.' })),
    extensions: nullable(Type.Array(Type.String(), { description: 'Keywords of EHLO.' })),
    starttls: nullable(Type.Boolean({ description: 'It offers encryption.' })),
    tls_failure: nullable(Type.String({ description: 'Why STARTTLS failed.' })),
    tls: nullable(Tls),
    dane: Type.Object(
      {
        status: Type.Enum([...daneStatuses], {
          description: '`unsigned`: there are records, but they do not count without DNSSEC.',
        }),
        records: nullable(Type.Integer({ description: 'Number of TLSA records.' })),
      },
      { ...CLOSED, description: 'Whether TLSA records confirm the certificate (RFC 7672).' },
    ),
    mta_sts: Type.Enum([...stsStatuses], {
      description: 'Whether the server satisfies the policy; `not_listed`: the policy does not name it.',
    }),
    reverse_name: Type.Object(
      {
        status: Type.Enum([...reverseStatuses], { description: 'Whether a reverse name leads back to the address.' }),
        names: nullable(Type.Array(Type.String(), { description: 'Names that reverse DNS has for the address.' })),
      },
      { ...CLOSED, description: 'The reverse names of the address.' },
    ),
  },
  CLOSED,
)

export const Section = Type.Object(
  {
    total: Type.Integer({ description: 'Number of MX records.' }),
    servers: Type.Array(Server, { description: 'At most 5, by preference.' }),
  },
  CLOSED,
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

/** The section of the mail servers at the time of the check. */
export const describe = (
  { total, servers }: Evidence['mail_servers'],
  mail: Evidence['mail_records'] | null,
  now: Date,
): Section => ({ total, servers: servers.map(server => describeServer(server, mail, now)) })
