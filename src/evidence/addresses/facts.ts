// The addresses of a target.

/** One address of the target, with the guard's answer about it. */
export interface Address {
  /** Canonical text: dotted quad, or RFC 5952. */
  readonly address: string
  readonly family: 4 | 6
  /** Why the guard refuses to connect to it (`loopback`, `private_use`, `denied`, ...), or null when it may be dialled. */
  readonly refused: string | null
}

export interface Addresses {
  /** `not_found` is NXDOMAIN; `no_data` a name that exists without address records. An `ip` target is always `found`. */
  readonly status: 'found' | 'no_data' | 'not_found'
  /** What DNS answered for a domain (at most 16), or the one address of an `ip` target. */
  readonly answers: readonly Address[]
  /** The addresses connections may go to, in dialling order (RFC 8305): vetted, at most 4, the given `ip` alone when both were asked. */
  readonly dialable: readonly Address[]
  /** The family whose question went unanswered while the other's found some: of it there may be more. Absent when none did. */
  readonly unanswered?: 4 | 6
  /** CNAME targets passed on the way, in order. */
  readonly cnames: readonly string[]
  /** Seconds; the smallest TTL of the answers, clamped to a day; null for an `ip` target. */
  readonly ttl: number | null
  /** The resolver said the answer is DNSSEC-validated (AD, RFC 4035 section 3.2.3). */
  readonly authenticated: boolean
}
