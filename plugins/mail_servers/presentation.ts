// How people see the section.
import {
  counted,
  day,
  type Presentation,
  quote,
  quoteOr,
  type Table,
  tlsVersion,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import type { Section } from './section.ts'
import { certificateFaults } from './signals.ts'

type ServerRow = Section['servers'][number]

const contacts: Readonly<Record<ServerRow['contact'], string>> = {
  answered: 'answers',
  rejected: 'refuses to talk to us',
  not_smtp: 'does not speak SMTP',
  unanswered: 'does not answer',
  internal: 'has no public address, so it was not contacted',
  no_address: 'has no address',
  unknown: 'could not be checked',
}

function encryption({ starttls, tls, tls_failure }: ServerRow): string {
  if (starttls === null) return ''
  if (!starttls) return ', no encryption'
  if (tls === null) return `, encryption fails (${words(tls_failure ?? 'unknown')})`
  const why =
    tls.valid === false
      ? `certificate not valid (${(tls.invalid_reasons ?? []).map(reason => certificateFaults[reason] ?? words(reason)).join(', ')})`
      : null
  return `, ${tlsVersion(tls.protocol ?? 'TLS')}, ${why ?? (tls.valid === null ? 'certificate not verified' : 'certificate valid')}`
}

const line = (server: ServerRow): string =>
  `${server.exchange}: ${contacts[server.contact] ?? words(server.contact)}` +
  `${server.code === null ? '' : ` (code ${server.code})`}${encryption(server)}`

const dane: Readonly<Record<string, string>> = {
  valid: 'matches',
  mismatch: 'does not match',
  unsigned: 'does not count without DNSSEC',
  unusable: 'has no usable record',
}
const sts: Readonly<Record<string, string>> = {
  met: 'meets the policy',
  not_met: 'does not meet the policy',
  not_listed: 'is not in the policy',
}

/** For each server whose status has words; null if that of one is unknown. */
function columnOf(
  servers: readonly ServerRow[],
  statusOf: (server: ServerRow) => string,
  table: Readonly<Record<string, string>>,
): Value {
  if (servers.some(server => statusOf(server) === 'unknown')) return null
  return servers.flatMap(server => {
    const value = table[statusOf(server)]
    return value === undefined ? [] : [`${server.exchange}: ${value}`]
  })
}

function summarise(servers: readonly ServerRow[]): string {
  const answering = servers.filter(({ contact }) => contact === 'answered')
  const open = servers.filter(({ contact }) => contact === 'unknown').length
  if (answering.length === 0) {
    return open > 0 ? 'Whether the mail servers answer is unknown.' : 'No mail server could be reached.'
  }
  const encrypting = answering.filter(({ tls }) => tls !== null).length
  const share = encrypting === 0 ? 'without' : encrypting < answering.length ? `${encrypting} with` : 'with'
  const all = answering.length === servers.length
  const who = all ? counted(servers.length, 'mail server') : `${answering.length} of ${servers.length} mail servers`
  return `${who} answered, ${share} encryption.`
}

function certificates(servers: readonly ServerRow[]): readonly Table[] {
  const rows = servers.flatMap(({ exchange, tls }) =>
    tls === null || tls.certificate === null
      ? []
      : [
          [
            quote(exchange),
            quoteOr(tls.certificate.subject, 'unnamed'),
            quote(tls.certificate.issuer),
            day(tls.certificate.expires_at),
          ],
        ],
  )
  return rows.length === 0
    ? []
    : [{ title: 'Certificates', columns: ['Server', 'Issued to', 'Issued by', 'Valid until'], rows }]
}

/** The rules behind what is judged. */
const sources = [
  { label: 'STARTTLS (RFC 3207)', url: 'https://www.rfc-editor.org/rfc/rfc3207' },
  { label: 'DANE for mail (RFC 7672)', url: 'https://www.rfc-editor.org/rfc/rfc7672' },
  { label: 'MTA-STS (RFC 8461)', url: 'https://www.rfc-editor.org/rfc/rfc8461' },
  { label: 'Secure mail with TLS (RFC 8314)', url: 'https://www.rfc-editor.org/rfc/rfc8314' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Mail servers',
  looks: 'whether the servers that receive mail answer and encrypt',
  order: 55,
  describe({ servers, total }) {
    // A server without an address to contact has no reverse names to ask for.
    const withAddress = servers.filter(({ address }) => address !== null)
    const banners = servers.flatMap(({ exchange, banner }) => (banner === null ? [] : [`${exchange}: ${banner}`]))
    const names = servers.flatMap(({ exchange, reverse_name: { status, names } }) =>
      (names ?? []).map(name => `${exchange}: ${name}${status === 'confirmed' ? '' : ' (not confirmed)'}`),
    )
    return {
      summary: [summarise(servers)],
      facts: [
        ['Servers', servers.map(line)],
        ['DANE', columnOf(servers, server => server.dane.status, dane)],
        ['MTA-STS', columnOf(servers, server => server.mta_sts, sts)],
        ['Reverse names', withAddress.some(({ reverse_name }) => reverse_name.status === 'unknown') ? null : names],
        ['Greetings', banners],
        ...(total > servers.length ? [['Not contacted', total - servers.length] as const] : []),
      ],
      tables: certificates(servers),
      links: sources,
    }
  },
}
