// Gathers what the name servers of the zone and of its parent say, each asked itself, over TCP: every name server must answer there
// (RFC 9210), a connection proves who answers, and no reply is larger than its question asked for.
import type { Socket } from 'node:net'
import { timeLimit } from '../../base/abort.ts'
import { createDirectQuery, RCODE, type Reply, recordsOf } from '../../network/dns_message.ts'
import { isAskable, type RecordData, type RecordType } from '../../network/dns_records.ts'
import { askOver } from '../../network/dns_transport.ts'
import { noAnswer } from '../addresses/dialable.ts'
import type { Dns } from '../dns/facts.ts'
import { NOT_VISITED, NotApplicable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { type Ask, askWith, readable, records, VALUE_CHARACTERS } from '../mail_records/dns_records.ts'
import type { NameServer, NameServers } from './facts.ts'

type Context = GatherContext<{ dns: Dns }>

const DNS_PORT = 53
const MAX_SERVERS = 8
/** Addresses tried of one server, and servers of the parent zone, the first of which to connect is asked. */
const ADDRESSES = 2
const PARENT_SERVERS = 2
/** Names above the zone that are asked for the parent zone. */
const CLIMB = 3
/** Milliseconds for the questions on one connection, and before the end of the check at which they end. */
const ANSWER_MS = 2_000
const SPARE_MS = 400

/** Rejects with `NotApplicable` for a name without a zone, and with `Unavailable` when its name servers are unknown. */
export const gatherNameServers: Gatherer<NameServers, { dns: Dns }> = async context => {
  const { target, network, signal } = context
  if (target.kind === 'ip') throw new NotApplicable('ip_target')
  if (!target.visit) throw new NotApplicable(NOT_VISITED)
  const { ns, zone } = await context.gather('dns')
  if (ns.status === 'unknown') throw noAnswer(ns.reason)
  if (zone === null || ns.status !== 'found') throw new NotApplicable('no_zone')
  const ask = askWith(network.resolver, signal)
  const { parent, delegation, reason } = await askParent(context, ask, zone)
  const names = [...new Set([...ns.records, ...(delegation ?? [])])].sort()
  const sightings = await Promise.all(names.slice(0, MAX_SERVERS).map(name => see(context, ask, zone, name)))
  const isProved = delegation !== null || sightings.some(({ contact }) => contact === 'answered')
  return {
    zone,
    parent,
    delegation,
    delegation_reason: reason === 'timeout' && !isProved ? UNPROVED : reason,
    servers: sightings.map(server => ({
      ...withBlame(server, isProved),
      in_parent: delegation === null ? null : delegation.includes(server.name),
      in_zone: ns.records.includes(server.name),
    })),
    total: names.length,
  }
}

export default () => gatherNameServers

const UNPROVED = 'port_53_unproved'

/** Silence counts only if another name server answered: many networks let only their own resolvers ask. */
const withBlame = (server: ServerFacts, isProved: boolean): ServerFacts =>
  server.contact === 'unanswered' && server.reason === 'timeout' && !isProved
    ? { ...server, contact: 'unknown', reason: UNPROVED }
    : server

interface Delegation {
  readonly parent: string | null
  readonly delegation: readonly string[] | null
  readonly reason: string | null
}

/** The referral of one server of the parent zone, or its answer, if it has the zone, too. */
async function askParent(context: Context, ask: Ask, zone: string): Promise<Delegation> {
  const { at, servers } = await zoneAbove(ask, zone)
  if (at === null) return { parent: null, delegation: null, reason: 'resolver_timeout' }
  const parentAddresses = await Promise.all(
    servers.slice(0, PARENT_SERVERS).map(name => addressesOf(context, ask, name)),
  )
  const dialAddresses = parentAddresses.flatMap(({ dialable }) => dialable.slice(0, ADDRESSES))
  if (dialAddresses.length === 0) return { parent: at, delegation: null, reason: 'not_found' }
  const answer = await converse(context, dialAddresses, async (question): Promise<DelegationReading> => {
    const { value: reply, reason } = await question(zone, 'NS')
    if (reply === null) return { delegation: null, reason }
    return readDelegation(reply, zone)
  })
  if (answer.value === null) return { parent: at, delegation: null, reason: answer.reason }
  return { parent: at, ...answer.value }
}

type DelegationReading = Pick<Delegation, 'delegation' | 'reason'>

function readDelegation(reply: Reply, zone: string): DelegationReading {
  const names = recordsOf(reply, [...reply.answers, ...reply.authorities], zone, 'NS')
  if (names === null) return { delegation: null, reason: 'malformed' }
  if (names.length > 0) return { delegation: sortNames(names), reason: null }
  const isDenied = reply.authoritative && (reply.rcode === RCODE.NOERROR || reply.rcode === RCODE.NXDOMAIN)
  return isDenied ? { delegation: [], reason: null } : { delegation: null, reason: 'refused' }
}

/** The closest zone above, by the resolver. */
async function zoneAbove(ask: Ask, zone: string): Promise<{ at: string | null; servers: readonly string[] }> {
  let above = zone
  for (let levels = 0; levels < CLIMB && above.includes('.'); levels++) {
    above = above.slice(above.indexOf('.') + 1)
    const answer = await ask(above, 'NS')
    if (answer.status === 'unknown') break
    if (answer.status === 'found' && answer.cnames.length === 0)
      return { at: above, servers: sortNames(answer.records) }
  }
  return { at: null, servers: [] }
}

const sortNames = (names: readonly string[]): string[] => [...new Set(names)].sort()

type ServerFacts = Omit<NameServer, 'in_parent' | 'in_zone'>

const nothing = { rcode: null, authoritative: null, serial: null, names: null } as const

async function see(context: Context, ask: Ask, zone: string, name: string): Promise<ServerFacts> {
  const readableName = readable(name, VALUE_CHARACTERS)
  const { all, dialable, reason } = await addressesOf(context, ask, name)
  const [first = null] = all
  const unseenServer = { name: readableName, address: first, ...nothing }
  if (dialable.length === 0) {
    const contact = reason !== null ? 'unknown' : all.length > 0 ? 'internal' : 'no_address'
    return { ...unseenServer, contact, reason }
  }
  const answer = await converse(context, dialable.slice(0, ADDRESSES), async question => {
    const { value: reply, reason } = await question(zone, 'SOA')
    if (reply === null) return { reply, reason, names: null }
    const more = isAuthoritative(reply, zone) ? (await question(zone, 'NS')).value : null
    return { reply, reason, names: more && recordsOf(more, more.answers, zone, 'NS') }
  })
  if (answer.value === null) return { ...unseenServer, contact: contactOf(answer.reason), reason: answer.reason }
  const { reply, names } = answer.value
  const address = answer.address ?? first
  if (reply === null)
    return { ...unseenServer, address, contact: contactOf(answer.value.reason), reason: answer.value.reason }
  const authoritative = isAuthoritative(reply, zone)
  return {
    name: readableName,
    address,
    contact: 'answered',
    reason: null,
    rcode: reply.rcode,
    authoritative,
    serial: authoritative ? (recordsOf(reply, reply.answers, zone, 'SOA')?.[0]?.serial ?? null) : null,
    names: names && sortNames(names).map(one => readable(one, VALUE_CHARACTERS)),
  }
}

/** Failures that say nothing about the server: of this network, its budget, its operator, the end of the check. */
const OURS: ReadonlySet<string | null> = new Set(['denied', 'too_many_connections', 'unreachable', 'cancelled'])

const contactOf = (reason: string | null): NameServer['contact'] => (OURS.has(reason) ? 'unknown' : 'unanswered')

/** RFC 1034 section 4.3.1: a server that has the zone answers about its apex itself. */
const isAuthoritative = (reply: Reply, zone: string): boolean =>
  reply.rcode === RCODE.NOERROR &&
  reply.authoritative &&
  (recordsOf(reply, reply.answers, zone, 'SOA') ?? []).length > 0

interface ServerAddresses {
  readonly all: readonly string[]
  readonly dialable: readonly string[]
  /** Why they are unknown; null otherwise. */
  readonly reason: string | null
}

async function addressesOf({ network }: Context, ask: Ask, name: string): Promise<ServerAddresses> {
  if (network.refuseName(name) !== null) return { all: [], dialable: [], reason: 'denied' }
  if (name === '' || !isAskable(name)) return { all: [], dialable: [], reason: null }
  const [v4, v6] = await Promise.all([ask(name, 'A'), ask(name, 'AAAA')])
  const all = [...records(v4), ...records(v6)]
  const refusals = all.map(address => network.refuse(address))
  const dialable = all.filter((_, at) => refusals[at] === null)
  const silent = [v4, v6].flatMap(answer => (answer.status === 'unknown' ? [answer.reason] : []))[0] ?? null
  const reason = dialable.length > 0 ? null : refusals.includes('denied') ? 'denied' : silent
  return { all, dialable, reason: reason === 'timeout' ? 'resolver_timeout' : reason }
}

interface AnswerOrReason<Value> {
  readonly value: Value | null
  /** Why there is none; null otherwise. */
  readonly reason: string | null
}

type QueryRecords = <Type extends RecordType>(
  name: string,
  type: Type & keyof RecordData,
) => Promise<AnswerOrReason<Reply>>

/** Opens a connection to one of the addresses, and ends it when the talk is over or takes too long. Never rejects. */
async function converse<Value>(
  { network, signal, deadline }: Context,
  addresses: readonly string[],
  talk: (question: QueryRecords) => Promise<Value>,
): Promise<AnswerOrReason<Value> & { readonly address: string | null }> {
  const connectResult = await network.connect({ addresses, port: DNS_PORT, signal, purpose: 'name_servers' })
  if (!connectResult.ok) return { value: null, reason: connectResult.failure, address: null }
  const { socket, address } = connectResult
  const limit = timeLimit(Math.min(ANSWER_MS, deadline - SPARE_MS - performance.now()), signal)
  const destroy = () => void socket.destroy()
  limit.signal.addEventListener('abort', destroy, { once: true })
  try {
    return {
      value: await talk(
        questionOver(socket, () => (signal.aborted ? 'cancelled' : limit.late() ? 'timeout' : 'closed')),
      ),
      reason: null,
      address,
    }
  } finally {
    limit.end()
    socket.destroy()
  }
}

const questionOver =
  (socket: Socket, closedBy: () => string): QueryRecords =>
  async (name, type) => {
    const result = await askOver(socket, createDirectQuery(name, type))
    if (result.ok) return { value: result.value, reason: null }
    return { value: null, reason: result.failure === 'malformed' ? 'malformed' : closedBy() }
  }
