// Gathers the zone around the name: name servers, CAA and DNSSEC.

import { getDomain } from 'tldts'
import { isWithin, type RecordData, type RecordType } from '../../network/dns_records.ts'
import { queryAddresses, withoutSynthesized } from '../../network/host_addresses.ts'
import type { Answer } from '../../network/resolver.ts'
import { noAnswer } from '../addresses/dialable.ts'
import { NotApplicable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import type { Dns } from './facts.ts'

/** Names queried per climb, as in DMARC's tree walk (RFC 9989 section 4.10). */
const CLIMB = 8
/** Number of name servers with address queries: most zones have two to four. */
const NAME_SERVERS = 4

/** Rejects with `NotApplicable` for an address, and with `Unavailable` when no query was answered. */
export const gatherDns: Gatherer<Dns> = async context => {
  const { target } = context
  if (target.kind === 'ip') throw new NotApplicable('ip_target')
  const { domain, registrable, registered } = target
  // Includes names above a private suffix: its owner's NS and CAA apply to the names below it (RFC 8659 section 3).
  const names = upTo(domain, registered)
  const [own, ns, caa, txt, https, ds] = await Promise.all([
    ownAnswers(context, domain),
    climb(context, 'NS', names),
    climb(context, 'CAA', names),
    climb(context, 'TXT', [domain]),
    climb(context, 'HTTPS', [domain]),
    climb(context, 'DS', upTo(registrable, registered)),
  ])
  // A delegation below the registrable domain has a DS of its own, or is unsigned whatever is above it
  const isCut = ns.at !== null && ns.at !== registrable && isWithin(ns.at, registrable)
  const at = async <T extends RecordType>(type: T, name: string) => (await climb(context, type, [name])).answer
  const nameServers = ns.answer.status === 'found' ? ns.answer.records.slice(0, NAME_SERVERS) : []
  const [cut, soa, nameServerIpv6] = await Promise.all([
    isCut ? at('DS', ns.at) : ds.answer,
    ns.at === null ? null : at('SOA', ns.at),
    Promise.all(nameServers.map(async name => ({ name, ipv6: await hasIpv6(context, name) }))),
  ])
  const signedAt = cut.status === 'found' ? (isCut ? ns.at : ds.at) : null
  const dnskey = signedAt === null ? null : await at('DNSKEY', signedAt)
  const queries: AnsweredQuery[] = [
    ...own,
    { name: domain, type: 'TXT', answer: txt.answer },
    { name: ns.asked, type: 'NS', answer: ns.answer },
    { name: caa.asked, type: 'CAA', answer: caa.answer },
    { name: ds.asked, type: 'DS', answer: ds.answer },
    ...(soa === null || ns.at === null ? [] : [{ name: ns.at, type: 'SOA' as const, answer: soa }]),
    ...(dnskey === null || signedAt === null ? [] : [{ name: signedAt, type: 'DNSKEY' as const, answer: dnskey }]),
  ]
  const bogus = await bogusOf(
    context,
    queries,
    [ds.answer, cut].some(({ status }) => status === 'no_data'),
  )
  const dnssec = standing({ bogus, ds: [ds.answer, cut], txt: txt.answer, ns: ns.answer })
  const answers = [ns.answer, caa.answer, txt.answer, ds.answer]
  if (dnssec !== 'bogus' && answers.every(answer => answer.status === 'unknown') && txt.answer.status === 'unknown')
    throw noAnswer(txt.answer.reason)
  return {
    ns: ns.answer,
    zone: ns.at,
    caa: caa.answer,
    caa_at: caa.at,
    txt: txt.answer,
    https: https.answer,
    ds: cut,
    soa,
    dnskey,
    name_server_ipv6: nameServerIpv6,
    dnssec,
    ...(bogus.length > 0 && { bogus }),
  }
}

/**
 * The name and its ancestors up to `top`, closest first. A long name is shortened to itself and those closest to `top`.
 */
function upTo(name: string, top: string): string[] {
  const labels = name.split('.')
  const names = labels.map((_, at) => labels.slice(at).join('.')).filter(above => isWithin(above, top))
  return [name, ...names.slice(1).slice(1 - CLIMB)]
}

interface ClimbAnswer<T> {
  readonly answer: Answer<T>
  /** The last name asked about, to which the answer belongs. */
  readonly asked: string
  /** The name at which the records were found. */
  readonly at: string | null
}

/** The answer of the closest name with such records. An unanswered query on the way hides everything above it. */
async function climb<T extends RecordType>(
  { network, signal }: GatherContext,
  type: T,
  names: readonly string[],
): Promise<ClimbAnswer<RecordData[T]>> {
  const queries = names.map(async name => ({ name, answer: await network.resolver.query(name, type, { signal }) }))
  let last: ClimbAnswer<RecordData[T]> = {
    answer: { status: 'no_data', authenticated: false, cnames: [] },
    asked: names[0] ?? '',
    at: null,
  }
  for (const { name, answer } of await Promise.all(queries)) {
    if (answer.status === 'unknown') return { answer, asked: name, at: null }
    // An alias has no zone of its own: its NS are those of its target (RFC 1034 section 3.6.2).
    const foreign = type === 'NS' && answer.cnames.length > 0
    if (answer.status === 'found' && !foreign) return { answer: inOrder(answer), asked: name, at: name }
    last = { answer: answer.status === 'found' ? { ...answer, status: 'no_data' } : answer, asked: name, at: null }
  }
  return last
}

/** Resolvers rotate the records of a set, which has no order of its own (RFC 2181 section 5). */
function inOrder<T>(answer: Extract<Answer<T>, { status: 'found' }>): Answer<T> {
  const keyedRecords = answer.records.map(record => ({ record, key: JSON.stringify(record) }))
  const records = keyedRecords.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ record }) => record)
  return { ...answer, records }
}

/** Addresses that a DNS64 resolver made from A records (RFC 6147) are not the host's. */
async function hasIpv6({ network, signal }: GatherContext, name: string): Promise<boolean | null> {
  const v6 = await network.resolver.query(name, 'AAAA', { signal })
  if (v6.status === 'unknown') return null
  const v4 = { status: 'unknown', reason: 'cancelled' } as const
  return v6.status === 'found' && withoutSynthesized({ v6, v4 }, network.refuse).v6.status === 'found'
}

/** Answers about the name that other evidence needs too, so that they cost nothing: its addresses first, then its mail. */
async function ownAnswers({ network, signal }: GatherContext, domain: string): Promise<AnsweredQuery[]> {
  const [{ v4, v6 }, mx] = await Promise.all([
    queryAddresses(network, domain, signal),
    network.resolver.query(domain, 'MX', { signal }),
  ])
  return [
    { name: domain, type: 'A', answer: v4 },
    { name: domain, type: 'AAAA', answer: v6 },
    { name: domain, type: 'MX', answer: mx },
  ]
}

/** A question of the check, and its answer. */
interface AnsweredQuery {
  readonly name: string
  readonly type: RecordType
  readonly answer: Answer<unknown>
}

type BogusSet = NonNullable<Dns['bogus']>[number]

/** Questions asked again without validation: when a zone fails as a whole, the first ones show it. */
const ASKED_AGAIN = 4

/**
 * The record sets that fail validation: SERVFAIL, but an answer when the resolver does not validate. Of a zone without DS
 * only those behind an alias into a signed zone can.
 */
async function bogusOf(
  context: GatherContext,
  queries: readonly AnsweredQuery[],
  isUnsigned: boolean,
): Promise<BogusSet[]> {
  const { network, signal } = context
  const failedQueries = queries.filter(({ answer }) => answer.status === 'unknown' && answer.reason === 'servfail')
  const fails = async ({ name, type }: AnsweredQuery): Promise<boolean> => {
    const uncheckedAnswer = await network.resolver.query(name, type, { signal, checkingDisabled: true })
    if (uncheckedAnswer.status === 'unknown') return false
    const alias = uncheckedAnswer.cnames.at(-1)
    return !isUnsigned || (alias !== undefined && (await isSigned(context, alias)))
  }
  const again = failedQueries.slice(0, ASKED_AGAIN)
  const failing = await Promise.all(again.map(fails))
  return again.filter((_, at) => failing[at]).map(({ name, type }) => ({ name, type }))
}

const isSigned = async (context: GatherContext, name: string): Promise<boolean> =>
  (await climb(context, 'DS', upTo(name, getDomain(name) ?? name))).answer.status === 'found'

interface ZoneAnswers {
  readonly bogus: readonly BogusSet[]
  /** At the registrable domain and at the zone. */
  readonly ds: readonly Answer<unknown>[]
  readonly txt: Answer<unknown>
  readonly ns: Answer<unknown>
}

/** A zone without DS is unsigned whatever AD says (RFC 4035 section 5.2), because some resolvers echo AD. */
function standing({ bogus, ds, txt, ns }: ZoneAnswers): Dns['dnssec'] {
  if (bogus.length > 0) return 'bogus'
  if (ds.some(({ status }) => status === 'no_data')) return 'unsigned'
  const isValidated = [txt, ns].some(answer => answer.status !== 'unknown' && answer.authenticated)
  return ds.every(({ status }) => status === 'found') && isValidated ? 'signed' : 'unknown'
}

export default () => gatherDns
