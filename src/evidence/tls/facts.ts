// What the target's port 443 answered: the handshake and the certificates, as facts without judgement.

export interface DistinguishedName {
  /** Most telling first choice for display: CN, else O, else OU, else the whole text; never empty, printable, <= 256 characters. */
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
  /** dNSName entries, lower case; only what the certificate says, also when it makes no sense. */
  readonly dns_names: readonly string[]
  readonly ip_addresses: readonly string[]
  /** `rsa`, `ec`, `ed25519`, ...; bits for RSA, the curve's name for EC. */
  readonly key: { readonly kind: string; readonly bits: number | null; readonly curve: string | null }
  /** Signature algorithm's name, `sha256WithRSAEncryption`; the OID's dotted text when not in our table. */
  readonly signature_algorithm: string
  readonly is_ca: boolean
  /** Extended key usages by OID; null when the extension is absent. */
  readonly extended_key_usage: readonly string[] | null
  /** Issuer equals subject and its own key verifies its signature. */
  readonly self_signed: boolean
  readonly fingerprint_sha256: string
}

export interface Tls {
  /**
   * `handshake`: TLS was agreed, or lacked nothing but a client certificate; the other fields are filled. `failed`: something listens on 443 but no TLS came
   * of it (`failure` says how). `refused`: nothing listens. Black holes and our own troubles are not evidence: the
   * gatherer rejects.
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
  /** The modern offer (TLS 1.2 and 1.3) failed and only an older one was agreed. */
  readonly only_legacy: boolean
  /** The server asked for a client certificate. */
  readonly client_certificate_requested: boolean
  /** Leaf first, each followed by its issuer as far as sent, without roots of the trust store; at most 16, `chain_length` counts all. */
  readonly chain: readonly Certificate[]
  readonly chain_length: number
  /** One of OpenSSL's complaints about the path (`CERT_HAS_EXPIRED`), which may hide others; null when it verified to a trusted root; `NOT_JUDGED` when the server broke off before that. Says nothing of names. */
  readonly verify_error: string | null
  /** A path of verified signatures leads from the leaf to a root in the trust store, whatever the dates; null when it could not be told. */
  readonly anchored: boolean | null
}
