// The signals of mail_servers. All are in the group `hygiene`, because good domains have these faults too.
import { type Evidence, type Raised, type Signals, tlsVersion } from '../../src/engine/plugin.ts'
import { type MailServer, stsPolicyOf } from './judge.ts'
import type { Section } from './section.ts'

/** What the signals are judged by. */
export interface MailServerFacts {
  readonly section: Section
  readonly evidence: Evidence['mail_servers']
  /** Null if they are unknown. */
  readonly mail: Evidence['mail_records'] | null
}

type ServerRow = Section['servers'][number]

const oldProtocols: readonly (string | null)[] = ['TLSv1', 'TLSv1.1']

/** Why a certificate is not valid, as what it is. */
export const certificateFaults: Readonly<Record<string, string>> = {
  unreadable: 'unreadable',
  expired: 'expired',
  not_yet_valid: 'not valid yet',
  wrong_host: 'for another name',
  untrusted: 'not issued by a trusted authority',
}

const failures: Readonly<Record<string, string>> = {
  rejected: 'the server rejects the STARTTLS command',
  injected: 'the server sends unencrypted data after STARTTLS',
  not_tls: 'the server does not speak TLS',
}

/** Raised by any server that it applies to; the detail is about the first of them. */
const about =
  (applies: (server: ServerRow) => boolean, say: (server: ServerRow) => string) =>
  ({ section: { servers } }: Pick<MailServerFacts, 'section'>): Raised | null => {
    const matching = servers.filter(applies)
    const [first] = matching
    return first === undefined
      ? null
      : { detail: say(first), evidence: { servers: matching.map(({ exchange }) => exchange) } }
  }

const failsSts = about(
  ({ mta_sts }) => mta_sts === 'not_met',
  ({ exchange }) => `${exchange} does not meet the MTA-STS policy, so senders that obey it do not deliver mail to it.`,
)

const DEAD: ReadonlySet<string> = new Set(['unanswered', 'internal', 'no_address'])

/** Nobody can reach one of the servers that have names. False if the state of one is unknown. */
const isUnreachable = (servers: readonly MailServer[], total: number): boolean =>
  servers.length === total &&
  servers.some(({ contact }) => contact === 'unanswered') &&
  servers.every(({ contact }) => DEAD.has(contact))

export const signals = {
  dane_mismatch: {
    weight: 3,
    group: 'hygiene',
    severity: 'medium',
    title: 'Mail server does not match its TLSA records',
    advice: 'If the domain is yours, publish a TLSA record for the new key before the server uses it.',
    when: about(
      ({ dane }) => dane.status === 'mismatch',
      ({ exchange }) =>
        `${exchange} does not match its TLSA records, so senders that use DANE do not deliver mail to it.`,
    ),
  },
  mta_sts_not_met: {
    weight: 3,
    group: 'hygiene',
    severity: 'medium',
    title: 'Mail server does not meet the enforced MTA-STS policy',
    advice: 'If the domain is yours, give the mail server a valid certificate for its name in the MX record.',
    // In mode `testing` senders deliver as if there were no policy (RFC 8461 section 5).
    when: facts => facts.mail !== null && stsPolicyOf(facts.mail)?.mode === 'enforce' && failsSts(facts),
  },
  mail_server_without_starttls: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'Mail server does not offer STARTTLS',
    advice: 'If the domain is yours, give its mail server a certificate and enable STARTTLS.',
    when: about(
      ({ starttls }) => starttls === false,
      ({ exchange }) => `${exchange} does not offer STARTTLS, so mail travels to it unencrypted.`,
    ),
  },
  mail_tls_fails: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'STARTTLS of a mail server fails',
    advice: 'If the domain is yours, check the TLS settings of its mail server.',
    when: about(
      ({ tls, tls_failure }) => tls === null && tls_failure !== null && tls_failure !== 'timeout',
      ({ exchange, tls_failure }) =>
        `${exchange} offers STARTTLS, but it fails: ${failures[tls_failure ?? ''] ?? `the handshake ends with ${tls_failure}`}.`,
    ),
  },
  mail_servers_unreachable: {
    weight: 2,
    group: 'hygiene',
    severity: 'low',
    title: 'No mail server answers',
    advice: 'If the domain is yours, start its mail server, or publish a null MX record (“0 .”).',
    when: ({ evidence: { servers, total } }) =>
      isUnreachable(servers, total) && {
        detail: `None of the ${total === 1 ? 'mail servers' : `${total} mail servers`} answers on port 25.`,
      },
  },
  mail_certificate_invalid: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'Certificate of a mail server is not valid',
    advice: 'If the domain is yours, get a certificate for the name in the MX record.',
    when: about(
      // A DANE record replaces public authorities.
      ({ tls, dane }) => tls?.valid === false && dane.status !== 'valid',
      ({ exchange, tls }) =>
        `The certificate of ${exchange} is ${(tls?.invalid_reasons ?? []).map(reason => certificateFaults[reason]).join(' and ')}.`,
    ),
  },
  outdated_mail_tls: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'Mail server supports old TLS versions only',
    advice: 'If the domain is yours, update its mail server: current ones support TLS 1.2 and 1.3.',
    when: about(
      ({ tls }) => oldProtocols.includes(tls?.protocol ?? null),
      ({ exchange, tls }) =>
        `${exchange} supports at most ${tlsVersion(tls?.protocol ?? 'TLS')}, which RFC 8996 deprecates.`,
    ),
  },
  mail_server_not_smtp: {
    weight: 1,
    group: 'hygiene',
    severity: 'low',
    title: 'Mail server does not speak SMTP',
    advice: 'If the domain is yours, point its MX records at mail servers only.',
    when: about(
      ({ contact }) => contact === 'not_smtp',
      ({ exchange }) => `${exchange} answers on port 25, but does not speak SMTP.`,
    ),
  },
  mail_server_without_reverse_name: {
    weight: 0,
    group: 'hygiene',
    severity: 'info',
    title: 'Mail server has no confirmed reverse name',
    advice: 'If the domain is yours, give its mail server a reverse DNS name (PTR) that leads back to its address.',
    when: about(
      ({ contact, reverse_name: { status } }) =>
        contact === 'answered' && (status === 'none' || status === 'unconfirmed'),
      ({ exchange, address, reverse_name: { status } }) =>
        `${address}, the address of ${exchange}, has no reverse name${status === 'none' ? '' : ' that leads back to it'}.`,
    ),
  },
} satisfies Signals<MailServerFacts>
