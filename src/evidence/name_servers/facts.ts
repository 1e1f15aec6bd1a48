// The answers of each name server of the zone and of its parent.

export interface NameServer {
  /** Lower case. */
  readonly name: string
  /** The parent zone delegates to it; null if the parent did not say. */
  readonly in_parent: boolean | null
  /** The zone itself names it, as the resolver found; null if unknown. */
  readonly in_zone: boolean | null
  /** The address that answered, or the first one. */
  readonly address: string | null
  /**
   * - `answered`: it replied, whatever it said.
   * - `unanswered`: nobody replied over TCP, and `reason` says how.
   * - `internal`: its name resolves to addresses that are not public. It was not contacted.
   * - `no_address`: its name has no address, or is not a name.
   * - `unknown`: we could not look; `reason` is `port_53_unproved`, `denied`, a DNS failure, ...
   */
  readonly contact: 'answered' | 'unanswered' | 'internal' | 'no_address' | 'unknown'
  readonly reason: string | null
  /** The response code; null without a reply. */
  readonly rcode: number | null
  /** It has the zone: an authoritative answer with the start of authority. */
  readonly authoritative: boolean | null
  /** Of the zone, by this server. */
  readonly serial: number | null
  /** The name servers that this server names, sorted; null without an authoritative answer. */
  readonly names: readonly string[] | null
}

export interface NameServers {
  readonly zone: string
  /** The closest enclosing zone of the parent name; null if it was not found. */
  readonly parent: string | null
  /** The servers that the parent zone delegates to, sorted; null if it did not say. */
  readonly delegation: readonly string[] | null
  /** Why it did not; null otherwise. */
  readonly delegation_reason: string | null
  /** Of zone and parent together, by name, at most eight. */
  readonly servers: readonly NameServer[]
  /** How many there are. */
  readonly total: number
}
