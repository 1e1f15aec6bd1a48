// The network an address belongs to, according to its registry.

export interface IpNetworkFacts {
  /** False when the registry knows no network that contains the address; all other fields are then null. */
  readonly registered: boolean
  /** First and last address, in canonical text. */
  readonly start_address: string | null
  readonly end_address: string | null
  /** The registry's name for the network, such as `EXAMPLE-NET-1`. */
  readonly name: string | null
  /** The registrant's name. */
  readonly holder: string | null
  /** Two-letter code from the registry: the holder's country, which need not be where the address is used. */
  readonly country: string | null
  /** ISO 8601 in UTC, ends in `Z`, never later than the check. */
  readonly registered_at: string | null
  /** The address for abuse reports. */
  readonly abuse_email: string | null
}

export interface IpNetwork extends IpNetworkFacts {
  readonly ip: string
}
