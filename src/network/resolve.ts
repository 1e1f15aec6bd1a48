// Questions to DNS and what comes of them; there is no other way to ask.

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
