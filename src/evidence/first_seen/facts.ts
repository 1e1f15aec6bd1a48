// When this installation first checked the target's name or address; for a URL, its host.

export interface FirstSeen {
  /** When it was first checked, whoever asked; null if this is the first check on record. ISO 8601, UTC. */
  readonly at: string | null
  /** Every target checked since then is on record; earlier ones may have been forgotten. ISO 8601, UTC. */
  readonly since: string
}
