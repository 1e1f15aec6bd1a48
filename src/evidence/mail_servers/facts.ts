// The responses of a domain's mail servers: greeting, STARTTLS, certificate, TLSA records and reverse names.
import type { QueryOutcome } from '../mail_records/facts.ts'
import type { ReverseNames } from '../reverse_names/facts.ts'
import type { Certificate } from '../tls/facts.ts'

/** A TLSA record of DANE (RFC 6698). */
export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matching_type: number
  /** Usage 2 or 3, with a selector and matching type that mail servers use (RFC 7672 section 3.1). */
  readonly usable: boolean
  /**
   * Usage 3: it is the server's certificate or key. Usage 2: verified signatures lead from the certificate to it. Null when
   * it is not usable or there was no certificate.
   */
  readonly matches: boolean | null
}

export interface Dane extends QueryOutcome {
  /** The name queried: `_25._tcp.<exchange>`. */
  readonly name: string
  /** DNSSEC validated these records, the MX records and the server's addresses. Without it they do not count (RFC 7672). */
  readonly authenticated: boolean
  /** At most 16. */
  readonly records: readonly TlsaRecord[]
}

export interface MailTls {
  readonly protocol: string | null
  readonly cipher: string | null
  /** The server needed an offer of old versions and ciphers. */
  readonly only_legacy: boolean
  /** Null when unreadable. */
  readonly certificate: Certificate | null
  /** A name of the certificate covers the host of the MX record; null when unreadable. */
  readonly names_host: boolean | null
  /** As in the TLS evidence. */
  readonly anchored: boolean | null
  readonly verify_error: string | null
}

/**
 * - `answered`: it greeted us (code 220) and answered EHLO.
 * - `rejected`: it greeted us with an error, or rejected EHLO; `code` is the reply code.
 * - `not_smtp`: the response is not SMTP.
 * - `unanswered`: no response; `reason` is `refused`, `timeout`, `closed`, `reset`, ...
 * - `internal`: its addresses are not public, so it was not contacted.
 * - `no_address`: its name is invalid or has no address.
 * - `unknown`: we could not look; `reason` is `port_25_unproved`, `denied`, a DNS failure, ...
 */
export type Contact = 'answered' | 'rejected' | 'not_smtp' | 'unanswered' | 'internal' | 'no_address' | 'unknown'

export interface MailServer {
  readonly preference: number
  /** Lower case. */
  readonly exchange: string
  readonly contact: Contact
  readonly reason: string | null
  /** The code of a rejection. */
  readonly code: number | null
  /** The address contacted, or the first of those that could be; null when there is none. */
  readonly address: string | null
  /** The text of the greeting, at most 200 characters; null without one. */
  readonly banner: string | null
  /** The keywords of EHLO, upper case, in order, at most 40; null without an answer. */
  readonly extensions: readonly string[] | null
  /** STARTTLS is among the extensions; null without an answer. */
  readonly starttls: boolean | null
  /** Null without a handshake. */
  readonly tls: MailTls | null
  /**
   * Why STARTTLS failed: `rejected`, `injected` (the server sent more after its consent), or how the handshake failed; null
   * when it did not.
   */
  readonly tls_failure: string | null
  readonly dane: Dane
  /** Names of `address`; null when unknown or without an address. */
  readonly reverse: ReverseNames | null
  /** Why they are unknown; null when known or without an address. */
  readonly reverse_failure: string | null
}

export interface MailServers {
  /** Number of MX records. */
  readonly total: number
  /** By preference; at most 5. */
  readonly servers: readonly MailServer[]
}
