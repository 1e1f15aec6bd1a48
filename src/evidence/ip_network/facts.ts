// The network that an address belongs to, as its registry describes it.

export interface IpNetworkFacts {
  /** False when the registry knows of no network that holds the address; all else is null then. */
  readonly registered: boolean
  /** First and last address, in canonical text. */
  readonly start_address: string | null
  readonly end_address: string | null
  /** The registry's name for it, like `EXAMPLE-NET-1`. */
  readonly name: string | null
  /** Who has it: the name of the registrant. */
  readonly holder: string | null
  /** Two letters, as the registry has them: where the holder is at home, not where the address is in use. */
  readonly country: string | null
  /** ISO 8601 in UTC, ends in `Z`, never after the moment of asking. */
  readonly registered_at: string | null
  /** Where abuse is to be told. */
  readonly abuse_email: string | null
}

export interface IpNetwork extends IpNetworkFacts {
  readonly ip: string
}
