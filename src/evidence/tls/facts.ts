// The TLS handshake and the certificates on the target's port 443.
import type { KeyExchange } from './key_exchange.ts'
import type { ResponseStatus } from './ocsp_response.ts'

export type { KeyExchange } from './key_exchange.ts'

export interface DistinguishedName {
  /** Display text: CN, else O, else OU, else the whole name; printable, never empty, at most 256 characters. */
  readonly label: string
  readonly common_name: string | null
  readonly organization: string | null
  readonly country: string | null
}

/** One certificate as the server sent it (RFC 5280). Times are ISO 8601 in UTC ending in `Z`. */
export interface Certificate {
  readonly subject: DistinguishedName | null
  readonly issuer: DistinguishedName
  readonly serial: string
  readonly not_before: string
  readonly not_after: string
  /** dNSName entries in lower case, including invalid ones. */
  readonly dns_names: readonly string[]
  readonly ip_addresses: readonly string[]
  /** `rsa`, `ec`, `ed25519`, ...; bits for RSA, the curve's name for EC. */
  readonly key: { readonly kind: string; readonly bits: number | null; readonly curve: string | null }
  /** The name of the signature algorithm, such as `sha256WithRSAEncryption`; the dotted OID if unknown. */
  readonly signature_algorithm: string
  readonly is_ca: boolean
  /** Extended key usages by OID; null when the extension is absent. */
  readonly extended_key_usage: readonly string[] | null
  /** The issuer equals the subject, and the certificate's own key verifies its signature. */
  readonly self_signed: boolean
  readonly fingerprint_sha256: string
}

/** Faults of a path that neither dates nor algorithms show (RFC 5280 section 6). */
export type PathError =
  /** An issuer is no authority, or its key usage excludes the signing of certificates. */
  | 'invalid_ca'
  | 'path_too_long'
  | 'name_constraints'
  | 'unknown_critical_extension'
  /** An extension occurs twice, or cannot be read. */
  | 'malformed_extension'
  /** The certificate that names and key identifiers say is the issuer has not signed. */
  | 'bad_signature'

/** A promise of a Certificate Transparency log to publish a certificate (RFC 6962). Not verified. */
export interface SignedTimestamp {
  /** SHA-256 of the log's key, in Base64 as in lists of logs. */
  readonly log_id: string
  /** When the log received the certificate. ISO 8601 in UTC ending in `Z`. */
  readonly logged_at: string
  /** Where it was: in the certificate, or in the OCSP response that the server sent. */
  readonly source: 'certificate' | 'staple'
  /** The log, by the list of logs. Absent if the list does not have it, without a list, and in older recordings. */
  readonly log?: { readonly name: string; readonly operator: string; readonly state: string | null }
}

/**
 * The OCSP response that a server sent (RFC 6960). Times are ISO 8601 in UTC ending in `Z`. The fields that cannot be read
 * are null.
 */
export interface Staple {
  /** The status of the response; `unreadable` if it is malformed, `too_large` above 64 KiB. */
  readonly response: ResponseStatus | 'unreadable' | 'too_large'
  readonly certificate_status: 'good' | 'revoked' | 'unknown' | null
  readonly revoked_at: string | null
  readonly revocation_reason: string | null
  readonly produced_at: string | null
  readonly this_update: string | null
  readonly next_update: string | null
  /** Serial number and issuer are those of the certificate; null if the issuer's certificate or the hash is unknown. */
  readonly for_this_certificate: boolean | null
  /**
   * The signature is that of the issuer, or of a responder that the issuer authorized. Null if it is by anybody else, or if
   * the issuer's certificate or the algorithm is unknown.
   */
  readonly verified: boolean | null
}

export interface Tls {
  /**
   * `handshake`: the handshake succeeded, or failed only for lack of a client certificate; the other fields are set.
   * `failed`: port 443 is open, but the handshake failed (see `failure`). `refused`: the port is closed. The gatherer
   * rejects when there is no reply, or for a failure on our side.
   */
  readonly status: 'handshake' | 'failed' | 'refused'
  /** `reset`, `closed`, `timeout`, `not_tls`, `alert:<name>`, `protocol_error`, ...; `client_certificate_required` or null after a handshake. */
  readonly failure: string | null
  readonly address: string | null
  /** The SNI sent; null for address targets. */
  readonly server_name: string | null
  readonly protocol: string | null
  readonly cipher: string | null
  readonly alpn: string | null
  /** Null if there was no ephemeral key exchange, or Node does not report it. */
  readonly key_exchange: KeyExchange | null
  /** TLS 1.2 and 1.3 failed; only an older version was accepted. */
  readonly only_legacy: boolean
  /** The server requested a client certificate. */
  readonly client_certificate_requested: boolean
  /**
   * The path chosen among the certificates sent and the trust store: leaf first, each followed by its issuer, without the
   * trusted root. Without a path to a root, the longest one. Empty if the leaf is unreadable.
   */
  readonly chain: readonly Certificate[]
  /** Null if the path goes on beyond the 16 certificates described. */
  readonly chain_length: number | null
  /** The trusted root at its end; null without one, and if the leaf itself is trusted. */
  readonly root: Certificate | null
  /** The root is one of those that Node ships, which are Mozilla's; null without a root. */
  readonly public_root: boolean | null
  readonly path_errors: readonly PathError[]
  /** Paths that the certificates form, to a trusted root or not. OpenSSL may have judged any of them. */
  readonly paths: number
  /** Certificates sent that are not on the path, by fingerprint; null if there are more than 16 or some are unreadable. */
  readonly beside: readonly Certificate[] | null
  /**
   * No path leads to a trusted root, but the leaf is from a public authority: its intermediate is known, or the leaf says
   * where it is and has timestamps of Certificate Transparency. Does not depend on the other certificates sent.
   */
  readonly missing_intermediate: boolean
  /** OpenSSL's error about the path (`CERT_HAS_EXPIRED`), which may hide others; null if the path verified; `NOT_JUDGED` if the server closed the connection first. Names are not checked. */
  readonly verify_error: string | null
  /** Verified signatures lead from the leaf to a trusted root, regardless of dates; null if not all paths could be followed. */
  readonly anchored: boolean | null
  /** The server sent an OCSP response; null if the handshake did not show. */
  readonly stapled: boolean | null
  /** What it says; null without one. */
  readonly staple: Staple | null
  /** The certificate demands a staple (RFC 7633); null if its extension is unreadable. */
  readonly must_staple: boolean | null
  /**
   * Timestamps in the certificate and in the staple; null if some are unreadable. Those in the TLS extension of RFC 6962
   * section 3.3.1 are unknown, because Node does not ask for them.
   */
  readonly timestamps: readonly SignedTimestamp[] | null
}

// The choice of a path and its judgement use the same rules.

const WEAK_HASH = /^(md[245]|sha1)with|-sha1$/i
const WEAK_CURVES: readonly (string | null)[] = ['P-192']
/** Minimum RSA key size in bits (CA/Browser Forum Baseline Requirements section 6.1.5). */
const MIN_RSA_BITS = 2048
const SERVER_AUTH_OID = '1.3.6.1.5.5.7.3.1'

const seconds = (moment: Date | string): number => Math.floor(new Date(moment).getTime() / 1000)

type Validity = Pick<Certificate, 'not_before' | 'not_after'>

/** In whole seconds. The period includes both ends (RFC 5280 section 4.1.2.5). */
export const hasExpired = ({ not_after }: Validity, now: Date): boolean => seconds(now) > seconds(not_after)
export const isNotYetValid = ({ not_before }: Validity, now: Date): boolean => seconds(now) < seconds(not_before)

export const hasWeakKey = ({ key }: Pick<Certificate, 'key'>): boolean =>
  key.kind === 'dsa' || WEAK_CURVES.includes(key.curve) || (key.bits !== null && key.bits < MIN_RSA_BITS)

/** The signature of a self-signed certificate proves nothing and is not checked. */
export const isWeaklySigned = (certificate: Pick<Certificate, 'self_signed' | 'signature_algorithm'>): boolean =>
  !certificate.self_signed && WEAK_HASH.test(certificate.signature_algorithm)

export const forbidsServers = ({ extended_key_usage: usages }: Pick<Certificate, 'extended_key_usage'>): boolean =>
  usages !== null && !usages.includes(SERVER_AUTH_OID)
