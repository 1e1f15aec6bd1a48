// The signals of mail_servers and their sentences.
import type { Evidence, Severity, SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'
import { type MailServer, stsPolicyOf } from './judge.ts'
import type { Section } from './section.ts'

const hygiene = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'hygiene',
  severity,
  title,
})

export const signals = {
  dane_mismatch: hygiene(3, 'medium', 'Mail server does not match its TLSA records'),
  mta_sts_not_met: hygiene(3, 'medium', 'Mail server does not meet the enforced MTA-STS policy'),
  mail_server_without_starttls: hygiene(2, 'low', 'Mail server does not offer STARTTLS'),
  mail_tls_fails: hygiene(2, 'low', 'STARTTLS of a mail server fails'),
  mail_servers_unreachable: hygiene(2, 'low', 'No mail server answers'),
  mail_certificate_invalid: hygiene(1, 'low', 'Certificate of a mail server is not valid'),
  outdated_mail_tls: hygiene(1, 'low', 'Mail server supports old TLS versions only'),
  mail_server_not_smtp: hygiene(1, 'low', 'Mail server does not speak SMTP'),
  mail_server_without_reverse_name: hygiene(0, 'info', 'Mail server has no confirmed reverse name'),
}

export type SignalId = keyof typeof signals
type Server = Section['servers'][number]

const oldProtocols: readonly (string | null)[] = ['TLSv1', 'TLSv1.1']
const isOldTls = ({ tls }: Server): boolean => oldProtocols.includes(tls?.protocol ?? null)

const reasons: Readonly<Record<string, string>> = {
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

/** Each signal, the servers that it applies to, and the sentence about the first of them. */
const rules: readonly {
  readonly id: Exclude<SignalId, 'mail_servers_unreachable' | 'mta_sts_not_met'>
  readonly applies: (server: Server) => boolean
  readonly say: (server: Server) => string
}[] = [
  {
    id: 'dane_mismatch',
    applies: ({ dane }) => dane.status === 'mismatch',
    say: ({ exchange }) =>
      `${exchange} does not match its TLSA records, so senders that use DANE do not deliver mail to it.`,
  },
  {
    id: 'mail_server_without_starttls',
    applies: ({ starttls }) => starttls === false,
    say: ({ exchange }) => `${exchange} does not offer STARTTLS, so mail travels to it unencrypted.`,
  },
  {
    id: 'mail_tls_fails',
    applies: ({ tls, tls_failure }) => tls === null && tls_failure !== null && tls_failure !== 'timeout',
    say: ({ exchange, tls_failure }) =>
      `${exchange} offers STARTTLS, but it fails: ${failures[tls_failure ?? ''] ?? `the handshake ends with ${tls_failure}`}.`,
  },
  {
    id: 'mail_certificate_invalid',
    // A DANE record replaces public authorities.
    applies: ({ tls, dane }) => tls?.valid === false && dane.status !== 'valid',
    say: ({ exchange, tls }) =>
      `The certificate of ${exchange} is ${(tls?.invalid_reasons ?? []).map(reason => reasons[reason]).join(' and ')}.`,
  },
  {
    id: 'outdated_mail_tls',
    applies: isOldTls,
    say: ({ exchange, tls }) => `${exchange} supports at most ${tls?.protocol}, which RFC 8996 deprecates.`,
  },
  {
    id: 'mail_server_not_smtp',
    applies: ({ contact }) => contact === 'not_smtp',
    say: ({ exchange }) => `${exchange} answers on port 25, but does not speak SMTP.`,
  },
  {
    id: 'mail_server_without_reverse_name',
    applies: ({ contact, reverse_name: { status } }) =>
      contact === 'answered' && (status === 'none' || status === 'unconfirmed'),
    say: ({ exchange, address, reverse_name: { status } }) =>
      `${address}, the address of ${exchange}, has no reverse name${status === 'none' ? '' : ' that leads back to it'}.`,
  },
]

const about = (servers: readonly Server[]) => ({ servers: servers.map(({ exchange }) => exchange) })

/** Servers with a name that nobody can reach; excludes servers with unknown state. */
function unreachable(servers: readonly MailServer[], total: number): SignalFound<SignalId>[] {
  const isAll = servers.length === total && servers.some(({ contact }) => contact === 'unanswered')
  if (!isAll || !servers.every(({ contact }) => DEAD.has(contact))) return []
  const detail = `None of the ${servers.length === 1 ? 'mail servers' : `${servers.length} mail servers`} answers on port 25.`
  return [{ id: 'mail_servers_unreachable', detail }]
}

const DEAD: ReadonlySet<string> = new Set(['unanswered', 'internal', 'no_address'])

/** In mode `testing` senders deliver as if there were no policy (RFC 8461 section 5). */
function stsSignals(shown: readonly Server[], mail: Evidence['mail_records'] | null): SignalFound<SignalId>[] {
  const failing = shown.filter(({ mta_sts }) => mta_sts === 'not_met')
  const [first] = failing
  if (first === undefined || mail === null || stsPolicyOf(mail)?.mode !== 'enforce') return []
  const detail = `${first.exchange} does not meet the MTA-STS policy, so senders that obey it do not deliver mail to it.`
  return [{ id: 'mta_sts_not_met', detail, evidence: about(failing) }]
}

export function findSignals(
  evidence: Evidence['mail_servers'],
  { servers }: Section,
  mail: Evidence['mail_records'] | null,
): SignalFound<SignalId>[] {
  const found = rules.flatMap(({ id, applies, say }) => {
    const matching = servers.filter(applies)
    const [first] = matching
    return first === undefined ? [] : [{ id, detail: say(first), evidence: about(matching) }]
  })
  return [...found, ...stsSignals(servers, mail), ...unreachable(evidence.servers, evidence.total)]
}
