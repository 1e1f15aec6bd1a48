// The resolver of one check: puts DNS queries to several servers, within deadlines and a budget.
import { onAbort, type StopSignal } from '../base/abort.ts'
import {
  createQuery,
  hasSoa,
  isReferral,
  MAX_TTL,
  RCODE,
  type Reply,
  readAnswer,
  type Signature,
} from './dns_message.ts'
import { canonicalName, isAskable, type RecordData, type RecordType } from './dns_records.ts'
import { type QueryResult, sendQuery } from './dns_transport.ts'
import type { ResolverAddress } from './endpoints.ts'
import { type AttemptResult, raceAttempts } from './happy_eyeballs.ts'
import type { Limits } from './limits.ts'

/**
 * Why there is no answer. `servfail`: the resolver reports a fault of the zone. `refused`: any other error code, or a
 * referral. `timeout`: no server replied. `unreachable`: nothing listens at the resolvers' addresses. `malformed`: the
 * reply cannot be read, or no query can carry the name.
 */
export type DnsFailure =
  | 'servfail'
  | 'refused'
  | 'timeout'
  | 'unreachable'
  | 'malformed'
  | 'cname_loop'
  | 'cname_too_long'
  | 'too_many_queries'
  | 'cancelled'

/**
 * The answer to one query. `not_found` is NXDOMAIN; `no_data` is NOERROR without such records (RFC 2308). Both are
 * knowledge, `unknown` is not. `ttl` is in seconds, clamped to [0, 86400].
 */
export type Answer<T> =
  | {
      readonly status: 'found'
      readonly records: readonly T[]
      readonly ttl: number
      readonly authenticated: boolean
      readonly cnames: readonly string[]
      /** Of SOA and DNSKEY, when they are signed and the server says so. */
      readonly signature?: Signature
    }
  | { readonly status: 'no_data' | 'not_found'; readonly authenticated: boolean; readonly cnames: readonly string[] }
  | { readonly status: 'unknown'; readonly reason: DnsFailure }

export interface QueryOptions {
  readonly signal: AbortSignal
  /** Sets CD (RFC 4035 section 3.2.2): the resolver answers without validating. */
  readonly checkingDisabled?: boolean
}

/** Queries of one check. They count against its budget; equal queries share one answer. Never rejects. */
export interface Resolver {
  query<T extends RecordType>(name: string, type: T, options: QueryOptions): Promise<Answer<RecordData[T]>>
}

/** Addresses that the server is known to return for names that do not exist. Never rejects. */
export type HijackAddresses = (server: ResolverAddress) => Promise<ReadonlySet<string>>

export interface ResolverOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  /** Aborts at the end of the check; cancels all queries. */
  readonly signal: AbortSignal
  /** None by default. */
  readonly hijackAddresses?: HijackAddresses
  /** Called when a server did not reply to a try. */
  readonly onNoReply?: () => void
  /** Called when a denial came without the SOA record that belongs to it (RFC 2308 section 2). */
  readonly onDenialWithoutSoa?: () => void
}

/** The options, and the state that the queries of one check share. */
interface Queries extends Required<ResolverOptions> {
  /** The server that answered last comes first, so that a silent server delays a check only once. */
  servers: readonly ResolverAddress[]
  /** Servers that rejected a query with EDNS and answered it without; they get no more EDNS. */
  readonly withoutEdns: Set<ResolverAddress>
  /** Queries left in the budget. */
  left: number
}

interface DnsQuestion<T extends RecordType> {
  /** Canonical. */
  readonly name: string
  readonly type: T
  readonly checkingDisabled: boolean
}

export function createResolver(options: ResolverOptions): Resolver {
  const queries: Queries = {
    hijackAddresses: async () => new Set(),
    onNoReply: () => {},
    onDenialWithoutSoa: () => {},
    ...options,
    withoutEdns: new Set(),
    left: options.limits.dns_queries,
  }
  const answers = new Map<string, Promise<Answer<unknown>>>()
  return {
    query<T extends RecordType>(name: string, type: T, options: QueryOptions) {
      const checkingDisabled = options.checkingDisabled ?? false
      const question = { name: canonicalName(name), type, checkingDisabled }
      const key = `${type} ${checkingDisabled} ${question.name}`
      const answer = (answers.get(key) as Promise<Answer<RecordData[T]>> | undefined) ?? resolve(queries, question)
      answers.set(key, answer)
      return unlessAborted(answer, options.signal)
    },
  }
}

/** One caller may leave while another still waits for the same answer. */
function unlessAborted<T>(answer: Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  const cancelled = { status: 'unknown', reason: 'cancelled' } as const
  if (signal.aborted) return Promise.resolve(cancelled)
  return new Promise(resolve => {
    const unsubscribe = onAbort(signal, () => resolve(cancelled))
    answer.then(value => {
      unsubscribe()
      resolve(value)
    })
  })
}

/** Queries the servers, and queries again where a CNAME chain leads out of the reply. */
async function resolve<T extends RecordType>(
  queries: Queries,
  question: DnsQuestion<T>,
): Promise<Answer<RecordData[T]>> {
  const { limits } = queries
  const { type, checkingDisabled } = question
  const deadline = performance.now() + limits.dns_phase_ms
  const visitedNames = new Set([question.name])
  const cnames: string[] = []
  const servers = new Set<ResolverAddress>()
  let ttl = MAX_TTL
  let isAuthenticated = true
  for (let name = question.name; ; ) {
    const result = await queryServers(queries, { name, type, checkingDisabled }, deadline)
    if (!result.ok) return { status: 'unknown', reason: result.failure }
    const { reply, server } = result.value
    servers.add(server)
    const step = readAnswer(reply, name, type, visitedNames, limits.dns_cname_chain)
    if (typeof step === 'string') return { status: 'unknown', reason: step }
    cnames.push(...step.cnames)
    ttl = Math.min(ttl, step.ttl)
    isAuthenticated &&= reply.authenticated
    if (step.records.length === 0 && (step.settled || reply.rcode === RCODE.NXDOMAIN) && !hasSoa(reply))
      queries.onDenialWithoutSoa()
    if (reply.rcode === RCODE.NXDOMAIN) return { status: 'not_found', authenticated: isAuthenticated, cnames }
    if (step.records.length > 0) {
      if (await isHijacked(queries, type, step.records, servers)) return HIJACKED
      const { records, signature } = step
      return { status: 'found', records, ttl, authenticated: isAuthenticated, cnames, ...(signature && { signature }) }
    }
    if (step.settled) return { status: 'no_data', authenticated: isAuthenticated, cnames }
    name = step.end
  }
}

/** A rewritten NXDOMAIN: its aliases are probably invented too, and such a server cannot vouch for validation. */
const HIJACKED = { status: 'not_found', authenticated: false, cnames: [] } as const

/** Whether an answer consists only of addresses that its servers return for names that do not exist. */
async function isHijacked(
  { hijackAddresses }: Queries,
  type: RecordType,
  records: readonly unknown[],
  servers: ReadonlySet<ResolverAddress>,
): Promise<boolean> {
  if (type !== 'A' && type !== 'AAAA') return false
  const hijacks = await Promise.all([...servers].map(hijackAddresses))
  return records.every(record => hijacks.some(addresses => addresses.has(record as string)))
}

interface ServerReply {
  readonly reply: Reply
  readonly server: ResolverAddress
}

async function queryServers(
  queries: Queries,
  question: DnsQuestion<RecordType>,
  deadline: number,
): Promise<AttemptResult<ServerReply, DnsFailure>> {
  if (!isAskable(question.name)) return { ok: false, failure: 'malformed' }
  if (queries.left <= 0) return { ok: false, failure: 'too_many_queries' }
  queries.left--
  const { servers, limits, signal } = queries
  const attempts = servers.map(server => async (stop: StopSignal): Promise<AttemptResult<ServerReply, DnsFailure>> => {
    const result = acceptReply(await queryServer(queries, server, question, stop))
    if (!result.ok) return result
    queries.servers = [server, ...queries.servers.filter(other => other !== server)]
    return { ok: true, value: { reply: result.value, server } }
  })
  const limitMs = deadline - performance.now()
  const result = await raceAttempts(attempts, { delay_ms: limits.dns_try_ms, limit_ms: limitMs, signal })
  if (result.ok) return result
  if (result.aborted) return { ok: false, failure: 'cancelled' }
  return { ok: false, failure: mostTelling(result.pending ? [...result.failures, 'timeout'] : result.failures) }
}

/**
 * A server that rejects the query may not support EDNS: retries once without, which counts as a query (RFC 6891 section
 * 7).
 */
async function queryServer(
  queries: Queries,
  server: ResolverAddress,
  { name, type, checkingDisabled }: DnsQuestion<RecordType>,
  stop: StopSignal,
): Promise<QueryResult> {
  const send = (edns: boolean) =>
    sendQuery(
      server,
      createQuery(name, type, checkingDisabled, edns),
      queries.limits.dns_try_ms,
      stop,
      queries.onNoReply,
    )
  const edns = !queries.withoutEdns.has(server)
  const result = await send(edns)
  if (!edns || !isRejected(result) || queries.left <= 0 || stop.stopped()) return result
  queries.left--
  const retry = await send(false)
  if (retry.ok && !isRejected(retry)) queries.withoutEdns.add(server)
  return retry
}

const REJECTIONS: ReadonlySet<number> = new Set([RCODE.FORMERR, RCODE.NOTIMP, RCODE.BADVERS])

const isRejected = (result: QueryResult): boolean => result.ok && REJECTIONS.has(result.value.rcode)

/**
 * Only an answer or NXDOMAIN is knowledge. Any other code, or a referral, is a reason to ask the next server (RFC 2308
 * section 7).
 */
function acceptReply(result: QueryResult): AttemptResult<Reply, DnsFailure> {
  if (!result.ok) return result
  const { rcode } = result.value
  if (rcode === RCODE.NXDOMAIN || (rcode === RCODE.NOERROR && !isReferral(result.value))) return result
  return { ok: false, failure: rcode === RCODE.SERVFAIL ? 'servfail' : 'refused' }
}

/** Faults of the zone say more than faults of the server; silence says least. */
const mostTelling = (failures: readonly DnsFailure[]): DnsFailure =>
  (['servfail', 'refused', 'malformed', 'timeout', 'unreachable'] as const).find(one => failures.includes(one)) ??
  'timeout'
