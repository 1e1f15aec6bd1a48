// Asks DNS: own deadlines, several servers, answers checked; there is no other way to ask.
import { onAbort } from './abort.ts'
import { type Asker, ask } from './ask.ts'
import { canonicalName } from './dns_name.ts'
import type { Limits } from './limits.ts'
import type { ResolverAddress } from './resolver_address.ts'

/**
 * Why no answer could be had. `servfail` is the resolver's word about the zone, `refused` any other error code of its;
 * `timeout` is silence from every server, or nobody there; `malformed` an unreadable reply, or a name that no question can hold.
 */
export type DnsFailure =
  | 'servfail'
  | 'refused'
  | 'timeout'
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

/** The data each record type is answered with. Names are lower case without the final dot; the root is ''. */
export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  NS: string
  PTR: string
  MX: { readonly preference: number; readonly exchange: string }
  /** One JS character an octet (latin1), the record's strings joined with nothing between. */
  TXT: string
  SOA: { readonly mname: string; readonly rname: string; readonly serial: number }
  CAA: { readonly critical: boolean; readonly tag: string; readonly value: string }
  DS: { readonly key_tag: number; readonly algorithm: number; readonly digest_type: number }
  TLSA: { readonly usage: number; readonly selector: number; readonly matching_type: number }
}
export type RecordType = keyof RecordData

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
}

export function createResolver({ servers, limits, signal }: ResolverOptions): Resolver {
  const asker: Asker = { limits, signal, servers, left: limits.dns_queries }
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
