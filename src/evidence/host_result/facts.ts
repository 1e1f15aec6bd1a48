// The cached result of the host's own front page, for the check of a URL.

export interface HostResult {
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  readonly risk_score: number
  readonly threat_types: readonly string[]
  /** The signals found there, in the order of the result. */
  readonly signals: readonly {
    readonly id: string
    readonly group: string
    readonly points: number
    readonly floor: number | null
    readonly title: string
  }[]
  /** ISO 8601 in UTC. */
  readonly checked_at: string
}
