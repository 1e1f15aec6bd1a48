import { counted, words } from './section.js'

/**
 * @typedef {object} Server
 * @property {string} exchange
 * @property {string} contact
 * @property {string | null} reason
 * @property {number | null} code
 * @property {string | null} address
 * @property {string | null} banner
 * @property {boolean | null} starttls
 * @property {string | null} tls_failure
 * @property {{ protocol: string | null, valid: boolean | null, invalid_reasons: readonly string[] | null } | null} tls
 * @property {{ status: string }} dane
 * @property {string} mta_sts
 * @property {{ status: string, names: readonly string[] | null }} reverse_name
 */

const contacts = /** @type {Readonly<Record<string, string>>} */ ({
  answered: 'answers',
  rejected: 'refuses to talk to us',
  not_smtp: 'does not speak SMTP',
  unanswered: 'does not answer',
  internal: 'has no public address, so it was not contacted',
  no_address: 'has no address',
  unknown: 'could not be checked',
})

/** @type {(server: Server) => string} */
function encryption({ starttls, tls, tls_failure }) {
  if (starttls === null) return ''
  if (!starttls) return ', no encryption'
  if (tls === null) return `, encryption fails (${words(tls_failure ?? 'unknown')})`
  const why =
    tls.valid === false ? `certificate not valid (${(tls.invalid_reasons ?? []).map(words).join(', ')})` : null
  return `, ${tls.protocol ?? 'TLS'}, ${why ?? (tls.valid === null ? 'certificate not verified' : 'certificate valid')}`
}

/** @type {(server: Server) => string} */
const line = server =>
  `${server.exchange}: ${contacts[server.contact] ?? words(server.contact)}` +
  `${server.code === null ? '' : ` (code ${server.code})`}${encryption(server)}`

const dane = /** @type {Readonly<Record<string, string>>} */ ({
  valid: 'matches',
  mismatch: 'does not match',
  unsigned: 'does not count without DNSSEC',
  unusable: 'has no usable record',
})
const sts = /** @type {Readonly<Record<string, string>>} */ ({
  met: 'meets the policy',
  not_met: 'does not meet the policy',
  not_listed: 'is not in the policy',
})

/**
 * For each server whose status has words; null if that of one is unknown.
 * @type {(servers: readonly Server[], statusOf: (server: Server) => string, table: Readonly<Record<string, string>>) => readonly string[] | null}
 */
function told(servers, statusOf, table) {
  if (servers.some(server => statusOf(server) === 'unknown')) return null
  return servers.flatMap(server => {
    const said = table[statusOf(server)]
    return said === undefined ? [] : [`${server.exchange}: ${said}`]
  })
}

/** @type {(servers: readonly Server[]) => string} */
function summarise(servers) {
  const answering = servers.filter(({ contact }) => contact === 'answered')
  const open = servers.filter(({ contact }) => contact === 'unknown').length
  if (answering.length === 0) {
    return open > 0 ? 'Whether the mail servers answer is unknown.' : 'No mail server could be reached.'
  }
  const encrypting = answering.filter(({ tls }) => tls !== null).length
  const share = encrypting === 0 ? 'none ' : encrypting < answering.length ? `${encrypting} ` : ''
  return `${answering.length} of ${counted(servers.length, 'mail server')} answered, ${share}with encryption.`
}

/** @type {import('./section.js').Section} */
export const mail_servers = {
  title: 'Mail servers',
  looks: 'whether the servers that receive mail answer and encrypt',
  describe(section) {
    const servers = /** @type {readonly Server[]} */ (section.servers)
    // A server without an address to contact has no reverse names to ask for.
    const asked = servers.filter(({ address }) => address !== null)
    const banners = servers.flatMap(({ exchange, banner }) => (banner === null ? [] : [`${exchange}: ${banner}`]))
    const names = servers.flatMap(({ exchange, reverse_name: { status, names } }) =>
      (names ?? []).map(name => `${exchange}: ${name}${status === 'confirmed' ? '' : ' (not confirmed)'}`),
    )
    return {
      summary: [summarise(servers)],
      facts: [
        ['Servers', servers.map(line)],
        ['DANE', told(servers, server => server.dane.status, dane)],
        ['MTA-STS', told(servers, server => server.mta_sts, sts)],
        ['Reverse names', asked.some(({ reverse_name }) => reverse_name.status === 'unknown') ? null : names],
        ['Greetings', banners],
        ...(section.total > servers.length
          ? [/** @type {const} */ (['Not contacted', section.total - servers.length])]
          : []),
      ],
    }
  },
}
