// Where mail for the name goes: its MX records (RFC 5321 section 5.1), and the addresses of the first hosts.

import { withoutSynthesized } from '../../network/address_records.ts'
import { isAskable } from '../../network/dns_name.ts'
import type { RecordData } from '../../network/resolve.ts'
import { type Ask, asked, records } from './ask.ts'
import type { MailExchangers, MailHost } from './facts.ts'
import { readable, VALUE_CHARACTERS } from './text.ts'

/** Hosts that are listed, and of those how many are looked up: no sender tries more than a few. */
const LISTED = 50
const LOOKED_UP = 5
/** Addresses of one host that are kept. */
const ADDRESSES = 16

export type Refuse = (address: string) => string | null

const byPreference = (a: RecordData['MX'], b: RecordData['MX']) =>
  a.preference - b.preference || (a.exchange < b.exchange ? -1 : Number(a.exchange > b.exchange))

/** A last label of digits makes it an IPv4 address (RFC 1123 section 2.1). */
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
  const addresses = answers.flatMap(records).slice(0, ADDRESSES)
  const outcomes = answers.map(asked)
  // Of a host that cannot be reached by what was found, a family that did not answer leaves everything open
  const reachable = addresses.some(address => refuse(address) === null)
  const tellingFirst = reachable
    ? (['found', 'unknown', 'no_data'] as const)
    : (['unknown', 'found', 'no_data'] as const)
  const outcome = tellingFirst.flatMap(status => outcomes.find(answer => answer.status === status) ?? [])[0] ?? {
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

export async function askMailExchangers(domain: string, ask: Ask, refuse: Refuse): Promise<MailExchangers> {
  const answer = await ask(domain, 'MX')
  const sorted = [...records(answer)].sort(byPreference)
  const hosts = sorted.slice(0, LISTED).map(async ({ preference, exchange }, index) => {
    const is_address = isAddress(exchange)
    const isLookedUp = index < LOOKED_UP && !is_address && exchange !== '' && isAskable(exchange)
    const found = isLookedUp ? await lookUp(exchange, ask, refuse) : notAsked
    return { preference, exchange: readable(exchange, VALUE_CHARACTERS), is_address, ...found }
  })
  return { total: sorted.length, hosts: await Promise.all(hosts), ...asked(answer) }
}
