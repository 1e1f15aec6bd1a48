// The names that an address claims to have (PTR, RFC 1035 section 3.5).

export interface ReverseName {
  /** Lower case, without the final dot. */
  readonly name: string
  /** The name resolves to the address (RFC 8499: forward-confirmed); null when that could not be looked up. */
  readonly confirmed: boolean | null
}

export interface ReverseNames {
  readonly ip: string
  /** In order of the alphabet, 4 at most; empty when the address has none that is a host's. */
  readonly names: readonly ReverseName[]
  /** How many it has. */
  readonly total: number
}
