// Decides what to ask each list, within the limits of one check, and builds the names to query.
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isAskable } from '../../network/dns_records.ts'
import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import { NotApplicable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { BlockList } from './block_list.ts'

export interface ListQuestion {
  readonly list: BlockList
  readonly kind: 'ip' | 'domain'
  /** The address or name to ask about; null when the target's addresses are unknown. */
  readonly subject: string | null
  /** The subject as shown in results; the target when the subject is unknown. */
  readonly asked: string
}

/** Addresses looked up per target; further ones mostly belong to the same network. */
const ADDRESSES = 3
/** Queries to all lists together, out of the 60 of a check: first addresses for every list, then second ones. */
const QUESTIONS = 16

export function questionsFor(lists: readonly BlockList[], context: WithAddresses) {
  const names = nameQuestions(lists, context)
  const addressLists = lists.filter(list => context.target.kind === 'ip' || !listsSites(list))
  /** Resolves once the target's addresses are known. Never rejects. */
  const addresses = subjects(context).then(addressList =>
    addressQuestions(addressLists, context, addressList, QUESTIONS - names.length),
  )
  return { names, addresses }
}

function nameQuestions(lists: readonly BlockList[], { target }: GatherContext): ListQuestion[] {
  if (target.kind === 'ip') return []
  const subjectFor = ({ asks }: BlockList) =>
    asks.includes('host') ? target.domain : asks.includes('registrable') ? target.registrable : null
  return lists.flatMap(list => {
    const subject = subjectFor(list)
    return subject === null ? [] : [{ list, kind: 'domain' as const, subject, asked: subject }]
  })
}

const asksAddresses = ({ asks }: BlockList): boolean => asks.includes('ipv4') || asks.includes('ipv6')

/** Site lists contain the addresses used in links; the address behind a name is shared with many other sites. */
const listsSites = ({ asks }: BlockList): boolean => asks.includes('host') || asks.includes('registrable')

/** Every list is queried for its first address even without `room`, so that no list is silently skipped. */
function addressQuestions(
  lists: readonly BlockList[],
  { target }: GatherContext,
  addresses: readonly string[] | null,
  room: number,
): ListQuestion[] {
  if (addresses === null) {
    const subjectText = target.domain ?? target.ip
    return lists
      .filter(list => asksAddresses(list))
      .map(list => ({ list, kind: 'ip', subject: null, asked: subjectText }))
  }
  const perList = lists.map(list =>
    addresses
      .filter(address => list.asks.includes(address.includes(':') ? 'ipv6' : 'ipv4'))
      .slice(0, ADDRESSES)
      .map((subject, turn) => ({ list, kind: 'ip' as const, subject, asked: subject, turn })),
  )
  const withinLimit = new Set(
    perList
      .flat()
      .sort((one, other) => one.turn - other.turn)
      .filter(({ turn }, at) => turn === 0 || at < room),
  )
  return perList
    .flat()
    .filter(question => withinLimit.has(question))
    .map(({ turn: _, ...question }) => question)
}

/** Vetted addresses, IPv4 first because most lists only have IPv4; null when the addresses are unknown. */
async function subjects(context: WithAddresses): Promise<readonly string[] | null> {
  try {
    const addresses = [...new Set((await dialableAddresses(context)).map(withoutMapping))]
    return [
      ...addresses.filter(address => !address.includes(':')),
      ...addresses.filter(address => address.includes(':')),
    ]
  } catch (error) {
    if (error instanceof NotApplicable) return []
    return null
  }
}

/** `1.2.3.4` → `4.3.2.1`; IPv6 as 32 nibbles in reverse (RFC 5782 section 2). IPv4-mapped addresses stay IPv6. */
export function reversedAddress(address: string): string {
  if (isIPv4(address)) return address.split('.').reverse().join('.')
  const octets = ipaddr.IPv6.parse(address).toByteArray()
  return octets
    .flatMap(octet => [octet >> 4, octet & 15])
    .reverse()
    .map(nibble => nibble.toString(16))
    .join('.')
}

/** The IPv4 address inside an IPv4-mapped one, because lists use that form; other addresses unchanged. */
export function withoutMapping(address: string): string {
  if (isIPv4(address)) return address
  const ipv6 = ipaddr.IPv6.parse(address)
  return ipv6.isIPv4MappedAddress() ? ipv6.toIPv4Address().toString() : address
}

/** Null when the name is too long for DNS, so it cannot be listed. */
export function queryName(subject: string, zone: string): string | null {
  const name = `${subject}.${zone}`
  return isAskable(name) ? name : null
}
