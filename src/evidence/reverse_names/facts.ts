// The names that an address claims to have (PTR, RFC 1035 section 3.5).

export interface ReverseName {
  /** Lower case, without the final dot. */
  readonly name: string
  /** The name resolves to the address (RFC 8499: forward-confirmed); null if unknown. */
  readonly confirmed: boolean | null
}

export interface ReverseNames {
  readonly ip: string
  /** In alphabetical order, at most 4; empty if the address has no host name. */
  readonly names: readonly ReverseName[]
  /** Number of PTR records. */
  readonly total: number
}
