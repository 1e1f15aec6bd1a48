// The cached result of the host's own front page, for the check of a URL.

export interface HostResult {
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  readonly risk_score: number
  readonly threat_types: readonly string[]
  /** ISO 8601 in UTC. */
  readonly checked_at: string
}
