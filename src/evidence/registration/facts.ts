// Who registered a domain and when, according to its registry.

export interface RegistrationFacts {
  /** False when the registry says that the domain is not registered. */
  readonly registered: boolean
  /** ISO 8601 in UTC, ends in `Z`, never later than the check. The latest possible day if the date is not exact ("1996", "before Aug-1996"). */
  readonly registered_at: string | null
  /** The registry gives a registration date in the future; `registered_at` is then null. */
  readonly registered_in_future: boolean
  readonly expires_at: string | null
  readonly updated_at: string | null
  /** The dates of which the registry gives only a year, a month or an upper bound. Absent without any, and in older recordings. */
  readonly inexact?: readonly ('registered_at' | 'expires_at' | 'updated_at')[]
  readonly registrar: string | null
  /** RDAP status values (RFC 8056), such as `client hold`, `pending delete` and `active`; unknown values as written, in lower case. */
  readonly status: readonly string[]
  /** The registry has DS records for the domain. */
  readonly dnssec_signed: boolean | null
  /** Lower case, without the final dot. */
  readonly name_servers: readonly string[]
}

export interface Registration extends RegistrationFacts {
  readonly source: 'rdap' | 'whois'
  /** The domain that was looked up: the registrable domain by the ICANN section of the PSL. */
  readonly domain: string
}

export const notRegistered: RegistrationFacts = {
  registered: false,
  registered_at: null,
  registered_in_future: false,
  expires_at: null,
  updated_at: null,
  registrar: null,
  status: [],
  dnssec_signed: null,
  name_servers: [],
}
