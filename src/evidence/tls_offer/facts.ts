// The versions and kinds of cipher suites that a TLS server accepts, and how it negotiates.
import type { SuiteKind, TlsVersion } from './suites.ts'

export type { SuiteKind, TlsVersion } from './suites.ts'

/**
 * `refused`: by an alert, or by closing the connection while other offers are still answered. `unknown`: no answer, or
 * no offer was made.
 */
export type OfferStatus = 'accepted' | 'refused' | 'unknown'

interface OfferOutcome {
  readonly status: OfferStatus
  /**
   * How it refused (`alert:<name>`, `closed`, `reset`, `newer_refused`: it refused everything up to a newer version), or
   * why it is unknown (`timeout`, `deadline`, `too_many_connections`, `protocol_error`, ...); null when accepted.
   */
  readonly reason: string | null
  /** The IANA name of the suite that the server chose; null unless accepted, and for SSL 2.0. */
  readonly suite: string | null
}

export interface OfferedVersion extends OfferOutcome {
  readonly version: TlsVersion
  /** It encrypts blocks in CBC mode; null unless accepted with a known suite. */
  readonly block_mode: boolean | null
}

export interface OfferedSuites extends OfferOutcome {
  readonly kind: SuiteKind
}

export interface TlsOffer {
  /** The address contacted. */
  readonly address: string
  /** The name sent as SNI; null for addresses. */
  readonly server_name: string | null
  /** All versions, the newest first. */
  readonly versions: readonly OfferedVersion[]
  /** All kinds, offered with the newest version before TLS 1.3. */
  readonly suites: readonly OfferedSuites[]
  /** Bits of the smallest prime seen in a finite-field key exchange; null when none was seen. */
  readonly prime_bits: number | null
  /** With the order of suites reversed the server chose the same one: it follows its own order. Null if unknown. */
  readonly own_order: boolean | null
  /** RFC 5746, before TLS 1.3; null if unknown. */
  readonly secure_renegotiation: boolean | null
  /** It compresses (RFC 3749) if offered; null if unknown. */
  readonly compression: boolean | null
  /** It refuses a needless fallback to an old version (RFC 7507); null if unknown, or without an old version. */
  readonly fallback_refused: boolean | null
  /** Handshakes begun. */
  readonly handshakes: number
}
