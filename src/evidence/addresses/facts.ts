// The addresses of a target.

/** One address and the guard's decision about it. */
export interface Address {
  /** Canonical form: dotted quad, or RFC 5952. */
  readonly address: string
  readonly family: 4 | 6
  /** Why the guard refuses to connect to it (`loopback`, `private_use`, `denied`, ...); null if it may be dialled. */
  readonly refused: string | null
}

export interface Addresses {
  /** `not_found` is NXDOMAIN; `no_data` is a name without address records. An `ip` target is always `found`. */
  readonly status: 'found' | 'no_data' | 'not_found'
  /** The addresses of a domain in DNS (at most 16), or the single address of an `ip` target. */
  readonly answers: readonly Address[]
  /**
   * Addresses to connect to, in dialling order (RFC 8305): vetted, at most 4; only the given `ip` if the request has
   * both.
   */
  readonly dialable: readonly Address[]
  /** The address family whose query was unanswered while the other one succeeded; absent otherwise. */
  readonly unanswered?: 4 | 6
  /** CNAME targets followed, in order. */
  readonly cnames: readonly string[]
  /** The smallest TTL of the answers in seconds, at most a day; null for an `ip` target. */
  readonly ttl: number | null
  /** The resolver marked the answer as DNSSEC-validated (AD, RFC 4035 section 3.2.3). */
  readonly authenticated: boolean
}
