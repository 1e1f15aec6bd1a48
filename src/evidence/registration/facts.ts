// Who registered a domain, and when, as its registry describes it.

export interface RegistrationFacts {
  /** False when the registry says that there is no such registration. */
  readonly registered: boolean
  /** ISO 8601 in UTC, ends in `Z`, never after the moment of asking. Where the registry names only an upper bound ("before Aug-1996"), that bound. */
  readonly registered_at: string | null
  /** The registry names a date of registration that is still to come; `registered_at` is null then. */
  readonly registered_in_future: boolean
  readonly expires_at: string | null
  readonly updated_at: string | null
  readonly registrar: string | null
  /** In the words of RDAP (RFC 8056): `client hold`, `pending delete`, `active`; what is in no such list in lower case as written. */
  readonly status: readonly string[]
  /** The registry has DS records for the domain. */
  readonly dnssec_signed: boolean | null
  /** Lower case, without the final dot. */
  readonly name_servers: readonly string[]
}

export interface Registration extends RegistrationFacts {
  readonly source: 'rdap' | 'whois'
  /** The domain that was asked about: the registered one, by the ICANN section of the PSL. */
  readonly domain: string
}
