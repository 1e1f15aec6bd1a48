// The resolver of one check: questions to DNS, put to several servers, with deadlines and a budget.
import { type Ending, onAbort } from './abort.ts'
import { createQuery, hasSoa, isReferral, MAX_TTL, RCODE, type Reply, readAnswer } from './dns_message.ts'
import { canonicalName, isAskable, type RecordData, type RecordType } from './dns_records.ts'
import { type Carried, carry } from './dns_transport.ts'
import type { ResolverAddress } from './endpoints.ts'
import { raceAttempts, type Tried } from './happy_eyeballs.ts'
import type { Limits } from './limits.ts'

/**
 * Why there is no answer. `servfail` is the resolver's word about the zone; `refused` is any other error code, or a referral
 * elsewhere; `timeout` is silence of every server; `unreachable`: nothing listens where the resolvers should be;
 * `malformed` is an unreadable reply, or a name that no question can hold.
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
 * The answer to one question. `not_found` is NXDOMAIN, `no_data` NOERROR without such records (RFC 2308);
 * both are knowledge, `unknown` is not. `ttl` in seconds, clamped to [0, 86400].
 */
export type Answer<T> =
  | {
      readonly status: 'found'
      readonly records: readonly T[]
      readonly ttl: number
      readonly authenticated: boolean
      readonly cnames: readonly string[]
    }
  | { readonly status: 'no_data' | 'not_found'; readonly authenticated: boolean; readonly cnames: readonly string[] }
  | { readonly status: 'unknown'; readonly reason: DnsFailure }

export interface QueryOptions {
  readonly signal: AbortSignal
  /** Sets CD (RFC 4035 section 3.2.2): the resolver answers without validating. */
  readonly checkingDisabled?: boolean
}

/** Questions of one check: counted against its budget, asked once each (same name and type share one answer). Never rejects. */
export interface Resolver {
  query<T extends RecordType>(name: string, type: T, options: QueryOptions): Promise<Answer<RecordData[T]>>
}

export interface ResolverOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  /** The check's end: all that is under way is cancelled. */
  readonly signal: AbortSignal
  /** Addresses that a server is known to make up for names that do not exist; none when absent. */
  readonly inventedBy?: InventedBy
  /** Called when a server left a try unanswered. */
  readonly unanswered?: () => void
  /** Called when a server denied something without the SOA record that belongs to a denial. */
  readonly unsupported?: () => void
}

export function createResolver({
  servers,
  limits,
  signal,
  inventedBy = nothing,
  unanswered = () => {},
  unsupported = () => {},
}: ResolverOptions): Resolver {
  const left = limits.dns_queries
  const asker: Asker = { limits, signal, inventedBy, unanswered, unsupported, servers, plain: new Set(), left }
  const asked = new Map<string, Promise<Answer<unknown>>>()
  return {
    query<T extends RecordType>(name: string, type: T, options: QueryOptions) {
      const checkingDisabled = options.checkingDisabled ?? false
      const question = { name: canonicalName(name), type, checkingDisabled }
      const key = `${type} ${checkingDisabled} ${question.name}`
      const answer = (asked.get(key) as Promise<Answer<RecordData[T]>> | undefined) ?? ask(asker, question)
      asked.set(key, answer)
      return unlessAborted(answer, options.signal)
    },
  }
}

const nothing: InventedBy = async () => new Set()

/** One asker may leave while another still waits for the same answer. */
function unlessAborted<T>(answer: Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  const cancelled = { status: 'unknown', reason: 'cancelled' } as const
  if (signal.aborted) return Promise.resolve(cancelled)
  return new Promise(resolve => {
    const stop = onAbort(signal, () => resolve(cancelled))
    answer.then(value => {
      stop()
      resolve(value)
    })
  })
}

/** Addresses that the server is known to make up for names that do not exist. Never rejects. */
export type InventedBy = (server: ResolverAddress) => Promise<ReadonlySet<string>>

/** What the questions of one check share. */
export interface Asker {
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly inventedBy: InventedBy
  /** Called when a server left a try unanswered. */
  readonly unanswered: () => void
  /** Called when a denial came without the SOA record that belongs to it (RFC 2308 section 2). */
  readonly unsupported: () => void
  /** The one that answered last comes first, so that a silent one delays a check once. */
  servers: readonly ResolverAddress[]
  /** Those that have answered without EDNS what they did not understand with it; it is left out for them. */
  readonly plain: Set<ResolverAddress>
  /** How many more questions may be asked. */
  left: number
}

export interface Question<T extends RecordType> {
  /** Canonical. */
  readonly name: string
  readonly type: T
  readonly checkingDisabled: boolean
}

export async function ask<T extends RecordType>(asker: Asker, question: Question<T>): Promise<Answer<RecordData[T]>> {
  const { limits } = asker
  const { type, checkingDisabled } = question
  const deadline = performance.now() + limits.dns_phase_ms
  const passed = new Set([question.name])
  const cnames: string[] = []
  const servers = new Set<ResolverAddress>()
  let ttl = MAX_TTL
  let authenticated = true
  for (let name = question.name; ; ) {
    const asked = await askServers(asker, { name, type, checkingDisabled }, deadline)
    if (!asked.ok) return { status: 'unknown', reason: asked.failure }
    const { reply, server } = asked.value
    servers.add(server)
    const step = readAnswer(reply, name, type, passed, limits.dns_cname_chain)
    if (typeof step === 'string') return { status: 'unknown', reason: step }
    cnames.push(...step.cnames)
    ttl = Math.min(ttl, step.ttl)
    authenticated &&= reply.authenticated
    if (step.records.length === 0 && (step.settled || reply.rcode === RCODE.NXDOMAIN) && !hasSoa(reply))
      asker.unsupported()
    if (reply.rcode === RCODE.NXDOMAIN) return { status: 'not_found', authenticated, cnames }
    if (step.records.length > 0) {
      if (await areInvented(asker, type, step.records, servers)) return INVENTED
      return { status: 'found', records: step.records, ttl, authenticated, cnames }
    }
    if (step.settled) return { status: 'no_data', authenticated, cnames }
    name = step.end
  }
}

/** The aliases on the way there are as likely invented, and validation is nothing such a server can vouch for. */
const INVENTED = { status: 'not_found', authenticated: false, cnames: [] } as const

/** Whether an answer holds nothing but addresses that those who gave it invent. */
async function areInvented(
  { inventedBy }: Asker,
  type: RecordType,
  records: readonly unknown[],
  servers: ReadonlySet<ResolverAddress>,
): Promise<boolean> {
  if (type !== 'A' && type !== 'AAAA') return false
  const invented = await Promise.all([...servers].map(inventedBy))
  return records.every(record => invented.some(addresses => addresses.has(record as string)))
}

interface Answered {
  readonly reply: Reply
  readonly server: ResolverAddress
}

async function askServers(
  asker: Asker,
  question: Question<RecordType>,
  deadline: number,
): Promise<Tried<Answered, DnsFailure>> {
  if (!isAskable(question.name)) return { ok: false, failure: 'malformed' }
  if (asker.left <= 0) return { ok: false, failure: 'too_many_queries' }
  asker.left--
  const { servers, limits } = asker
  const attempts = servers.map(server => async (ended: Ending): Promise<Tried<Answered, DnsFailure>> => {
    const tried = judge(await askServer(asker, server, question, ended))
    if (!tried.ok) return tried
    asker.servers = [server, ...asker.servers.filter(other => other !== server)]
    return { ok: true, value: { reply: tried.value, server } }
  })
  const limit_ms = deadline - performance.now()
  const asked = await raceAttempts(attempts, { delay_ms: limits.dns_try_ms, limit_ms, signal: asker.signal })
  if (asked.ok) return asked
  if (asked.aborted) return { ok: false, failure: 'cancelled' }
  return { ok: false, failure: mostTelling(asked.pending ? [...asked.failures, 'timeout'] : asked.failures) }
}

/** A server that does not understand may not know EDNS: it is asked once more without, which counts (RFC 6891 section 7). */
async function askServer(
  asker: Asker,
  server: ResolverAddress,
  { name, type, checkingDisabled }: Question<RecordType>,
  ended: Ending,
): Promise<Carried> {
  const put = (edns: boolean) =>
    carry(server, createQuery(name, type, checkingDisabled, edns), asker.limits.dns_try_ms, ended, asker.unanswered)
  const edns = !asker.plain.has(server)
  const carried = await put(edns)
  if (!edns || !isPuzzled(carried) || asker.left <= 0 || ended.over()) return carried
  asker.left--
  const again = await put(false)
  if (again.ok && !isPuzzled(again)) asker.plain.add(server)
  return again
}

const puzzled: ReadonlySet<number> = new Set([RCODE.FORMERR, RCODE.NOTIMP, RCODE.BADVERS])

const isPuzzled = (carried: Carried): boolean => carried.ok && puzzled.has(carried.value.rcode)

/** Only an answer or NXDOMAIN is knowledge; any other code, or a referral, is a reason to ask the next server (RFC 2308 section 7). */
function judge(carried: Carried): Tried<Reply, DnsFailure> {
  if (!carried.ok) return carried
  const { rcode } = carried.value
  if (rcode === RCODE.NXDOMAIN || (rcode === RCODE.NOERROR && !isReferral(carried.value))) return carried
  return { ok: false, failure: rcode === RCODE.SERVFAIL ? 'servfail' : 'refused' }
}

/** What a server said about the zone tells more than what it said about itself, and that more than silence. */
const mostTelling = (failures: readonly DnsFailure[]): DnsFailure =>
  (['servfail', 'refused', 'malformed', 'timeout', 'unreachable'] as const).find(one => failures.includes(one)) ??
  'timeout'
