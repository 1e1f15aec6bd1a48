// Gathers everything a name publishes about mail: MX records with their addresses, SPF, DKIM, DMARC, MTA-STS, TLS-RPT and BIMI.

import { isAskable, type RecordData } from '../../network/dns_records.ts'
import { withoutSynthesized } from '../../network/host_addresses.ts'
import { NotApplicable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { askDkim } from './dkim.ts'
import { askDmarc, organization } from './dmarc.ts'
import { type Ask, askWith, outcomeOf, readable, records, VALUE_CHARACTERS } from './dns_records.ts'
import type { MailExchangers, MailHost, MailRecords, TaggedRecord } from './facts.ts'
import { askMtaSts } from './mta_sts.ts'
import { walkSpf } from './spf_tree.ts'
import { askTagged, syntax } from './tag_list.ts'

/** Sends all independent queries at once: at most 70, and 11 for most domains. */
export const gatherMailRecords: Gatherer<MailRecords> = async ({ target, network, signal }) => {
  if (target.kind === 'ip') throw new NotApplicable('ip_target')
  const { domain } = target
  const ask = askWith(network.resolver, signal)
  const [mx, spf, dmarc, mtaSts, tlsRpt, bimi, dkim] = await Promise.all([
    askMailExchangers(domain, ask, address => network.refuse(address)),
    ask(domain, 'TXT').then(txt => walkSpf(domain, txt, ask)),
    askDmarc(domain, ask),
    askMtaSts(domain, ask, request => network.fetch(request), signal),
    askTagged(`_smtp._tls.${domain}`, syntax.tls_rpt, ask),
    askBimi(domain, ask),
    askDkim(domain, ask),
  ])
  return { mx, spf, dmarc, mta_sts: mtaSts, tls_rpt: tlsRpt, bimi, dkim }
}

export default () => gatherMailRecords

/** The name's own record, or when it has none that of its organizational domain (BIMI draft, section 7.2). */
async function askBimi(domain: string, ask: Ask): Promise<TaggedRecord> {
  const own = await askTagged(`default._bimi.${domain}`, syntax.bimi, ask)
  const above = organization(domain)
  const isSettled = own.status === 'unknown' || own.count > 0 || above === domain
  return isSettled ? own : askTagged(`default._bimi.${above}`, syntax.bimi, ask)
}

/** Hosts listed, and hosts looked up: senders try only a few. */
const MAX_HOSTS = 50
const LOOKED_UP = 5
/** Addresses kept per host. */
const ADDRESSES = 16

export type Refuse = (address: string) => string | null

const byPreference = (a: RecordData['MX'], b: RecordData['MX']) =>
  a.preference - b.preference || (a.exchange < b.exchange ? -1 : Number(a.exchange > b.exchange))

/** A numeric last label makes it an IPv4 address (RFC 1123 section 2.1). */
const isAddress = (exchange: string) =>
  exchange.includes(':') || /^\d+$/.test(exchange.slice(exchange.lastIndexOf('.') + 1))

async function lookUp(
  exchange: string,
  ask: Ask,
  refuse: Refuse,
): Promise<Omit<MailHost, 'preference' | 'exchange' | 'is_address'>> {
  const [a, aaaa] = await Promise.all([ask(exchange, 'A'), ask(exchange, 'AAAA')])
  const { v4, v6 } = withoutSynthesized({ v4: a, v6: aaaa }, refuse)
  const answers = [v4, v6]
  const addresses = answers.flatMap(answer => [...records(answer)].sort()).slice(0, ADDRESSES)
  const outcomes = answers.map(outcomeOf)
  // If no address found is reachable, an unanswered address family decides: it may hold a reachable one.
  const reachable = addresses.some(address => refuse(address) === null)
  const byPriority = reachable ? (['found', 'unknown', 'no_data'] as const) : (['unknown', 'found', 'no_data'] as const)
  const outcome = byPriority.flatMap(status => outcomes.find(answer => answer.status === status) ?? [])[0] ?? {
    status: 'not_found',
    reason: null,
  }
  return {
    cnames: [...new Set(answers.flatMap(answer => (answer.status === 'unknown' ? [] : answer.cnames)))].map(name =>
      readable(name, VALUE_CHARACTERS),
    ),
    addresses: addresses.map(address => ({ address, refused: refuse(address) })),
    ...outcome,
  }
}

const notAsked = { status: 'not_asked', reason: null, cnames: [], addresses: [] } as const

/** The MX records (RFC 5321 section 5.1) and the addresses of the first hosts. */
export async function askMailExchangers(domain: string, ask: Ask, refuse: Refuse): Promise<MailExchangers> {
  const answer = await ask(domain, 'MX')
  const exchangers = [...records(answer)].sort(byPreference)
  const hosts = exchangers.slice(0, MAX_HOSTS).map(async ({ preference, exchange }, index) => {
    const givesAddress = isAddress(exchange)
    const isLookedUp = index < LOOKED_UP && !givesAddress && exchange !== '' && isAskable(exchange)
    const lookupResult = isLookedUp ? await lookUp(exchange, ask, refuse) : notAsked
    return { preference, exchange: readable(exchange, VALUE_CHARACTERS), is_address: givesAddress, ...lookupResult }
  })
  return { total: exchangers.length, hosts: await Promise.all(hosts), ...outcomeOf(answer) }
}
