// Gathers how the mail servers of a domain respond. Each is contacted on port 25, and no mail is sent.
import { noAnswer } from '../addresses/dialable.ts'
import { NOT_VISITED, NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { type Ask, askWith } from '../mail_records/dns_records.ts'
import type { MailHost } from '../mail_records/facts.ts'
import { askMailExchangers } from '../mail_records/gather.ts'
import { namesOf } from '../reverse_names/gather.ts'
import type { TrustStore } from '../tls/trust_store.ts'
import { createConversations, type MailConversation } from './conversations.ts'
import type { MailClient } from './converse.ts'
import { describeDane, tlsaName } from './dane.ts'
import type { MailServer, MailServers } from './facts.ts'

export interface MailServersSetup {
  readonly mail_client: MailClient
  readonly trust: TrustStore
}

/** Servers contacted: senders try only a few, and so do the look-ups of their addresses. */
const MAX_SERVERS = 5
/** Milliseconds before the end of the check at which conversations end, so that their outcome is still analyzed. */
const SPARE_MS = 400

/**
 * Contacts the servers at the same time: they are different machines. Rejects with `NotApplicable` without MX records, and
 * with `Unavailable` when they are unknown.
 */
export default ({ mail_client, trust }: MailServersSetup): Gatherer<MailServers> => {
  const converse = createConversations(mail_client, trust)
  return async context => {
    const { target, network, signal } = context
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    if (!target.visit) throw new NotApplicable(NOT_VISITED)
    const ask = askWith(network.resolver, signal)
    const { status, reason, total, hosts } = await askMailExchangers(target.domain, ask, network.refuse)
    if (status === 'unknown') throw noAnswer(reason ?? 'timeout')
    const namedHosts = hosts.filter(({ exchange }) => exchange !== '')
    if (namedHosts.length === 0)
      throw new NotApplicable(total > 0 ? 'null_mx' : status === 'not_found' ? 'domain_not_found' : 'no_mx')
    const mx = await ask(target.domain, 'MX')
    const isSecure = mx.status === 'found' && mx.authenticated
    const servers = await Promise.all(
      namedHosts.slice(0, MAX_SERVERS).map(host => seeServer(context, host, { ask, isSecure, converse })),
    )
    return { total, servers: servers.map(server => withBlame(server, network.reachesMail)) }
  }
}

interface Seeing {
  readonly ask: Ask
  /** DNSSEC validated the MX records. */
  readonly isSecure: boolean
  readonly converse: ReturnType<typeof createConversations>
}

interface ServerVisit {
  readonly server: MailServer
  /** The addresses dialled. */
  readonly dialAddresses: readonly string[]
}

async function seeServer(
  context: GatherContext,
  host: MailHost,
  { ask, isSecure, converse }: Seeing,
): Promise<ServerVisit> {
  const { network, signal, deadline, now } = context
  const { exchange, preference } = host
  const dialAddresses = dialableOf(host, network.refuseName)
  const [first = null] = dialAddresses
  // Usually the first address answers, so its names are queried early.
  const names = reverseNamesOf(context, first)
  const [conversation, tlsa, isSecureToo] = await Promise.all([
    first === null
      ? { ...nothingSaid, ...contactWithout(host) }
      : converse({ network, exchange, addresses: dialAddresses, deadline: deadline - SPARE_MS, signal, now }),
    ask(tlsaName(exchange), 'TLSA'),
    isSecure && areAuthenticated(ask, exchange),
  ])
  const { sent, ...facts } = conversation
  const address = facts.address ?? first
  const [dane, reverseNames] = await Promise.all([
    describeDane(exchange, tlsa, sent, isSecureToo, now),
    address === first ? names : reverseNamesOf(context, address),
  ])
  const starttls = facts.extensions?.includes('STARTTLS') ?? null
  return {
    server: { preference, exchange, ...facts, address, starttls, dane, ...reverseNames },
    dialAddresses,
  }
}

const nothingSaid: Omit<MailConversation, 'contact' | 'reason'> = {
  code: null,
  address: null,
  banner: null,
  extensions: null,
  tls: null,
  tls_failure: null,
  sent: null,
}

/** A denied name, or an alias of one, is not dialled whatever its addresses are. */
function dialableOf({ exchange, cnames, addresses }: MailHost, refuseName: (name: string) => string | null): string[] {
  if ([exchange, ...cnames].some(name => refuseName(name) !== null)) return []
  return addresses.flatMap(({ address, refused }) => (refused === null ? [address] : []))
}

/** Why a server without an address to dial was not contacted. */
function contactWithout({ status, reason, is_address, addresses }: MailHost): Pick<MailServer, 'contact' | 'reason'> {
  // Addresses are missing only for invalid names.
  const isNowhere = is_address || status === 'no_data' || status === 'not_found' || status === 'not_asked'
  if (isNowhere) return { contact: 'no_address', reason: null }
  if (status === 'found' && addresses.every(({ refused }) => refused !== null && refused !== 'denied')) {
    return { contact: 'internal', reason: addresses[0]?.refused ?? null }
  }
  return { contact: 'unknown', reason: status === 'found' ? 'denied' : dnsReason(reason) }
}

const dnsReason = (reason: string | null) => (reason === 'timeout' ? 'resolver_timeout' : reason)

async function areAuthenticated(ask: Ask, exchange: string): Promise<boolean> {
  const answers = await Promise.all([ask(exchange, 'A'), ask(exchange, 'AAAA')])
  const foundAnswers = answers.filter(answer => answer.status === 'found')
  return foundAnswers.length > 0 && foundAnswers.every(answer => answer.authenticated)
}

type ReverseNames = Pick<MailServer, 'reverse' | 'reverse_failure'>

async function reverseNamesOf(context: GatherContext, ip: string | null): Promise<ReverseNames> {
  if (ip === null) return { reverse: null, reverse_failure: null }
  try {
    return { reverse: await namesOf(context, ip), reverse_failure: null }
  } catch (error) {
    if (error instanceof Unavailable) return { reverse: null, reverse_failure: error.reason }
    throw error
  }
}

/** Silence counts only if another mail server has answered recently: many networks block port 25. */
function withBlame(
  { server, dialAddresses }: ServerVisit,
  reachesMail: (addresses: readonly string[]) => boolean,
): MailServer {
  const isSilent = server.contact === 'unanswered' && server.banner === null
  return isSilent && !reachesMail(dialAddresses)
    ? { ...server, contact: 'unknown', reason: 'port_25_unproved' }
    : server
}
