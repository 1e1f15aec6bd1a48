// Signals: what a plugin may notice, and what it noticed.

/**
 * Most serious first.
 * `critical`: harm is established. `high`: do not go on before a person has looked. `medium`: counts together with others.
 * `low`: poor housekeeping. `info`: a fact, or one that speaks for the target.
 */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const

export type Severity = (typeof SEVERITIES)[number]

/**
 * `phishing` asks for secrets under a false name, `malware` is served or installed from there, `botnet` is a host that
 * controls or belongs to one, `scam` takes money or trust by deceit, `attack` is a source of break-in attempts, `proxy`
 * hides who attacks.
 */
export const THREAT_TYPES = ['phishing', 'malware', 'botnet', 'scam', 'spam', 'attack', 'proxy'] as const

export type ThreatType = (typeof THREAT_TYPES)[number]

/** What a signal costs. `weight` in points (negative mitigates, 0 informs); `floor` is the least score it leaves. */
export interface SignalDefinition {
  readonly weight: number
  /** Whose ceiling its points count against: `reputation`, `identity`, `content`, `network`, `transport`, `hygiene`, `trust`. */
  readonly group: string
  /** A few words for people, without a full stop. */
  readonly title: string
  readonly floor?: number
  /** What it means for whoever decides about the target, whatever it costs; derived from weight and floor when absent. */
  readonly severity?: Severity
  /** Kinds of threat that it speaks for wherever it is found; none when absent. */
  readonly threat_types?: readonly ThreatType[]
}

/** A signal whose severity is settled: declared, configured or derived. */
export interface RatedSignal extends SignalDefinition {
  readonly severity: Severity
}

/** A signal that was noticed. */
export interface SignalFound<Id extends string = string> {
  readonly id: Id
  /** Share of the weight it earns, 0 to 1; 1 when absent. */
  readonly strength?: number
  /** A sentence about this target. */
  readonly detail?: string
  /** Plain data a reader can verify it by. */
  readonly evidence?: Readonly<Record<string, unknown>>
  /** Kinds of threat that it speaks for here, in place of the definition's: those of a list's own entry. */
  readonly threat_types?: readonly ThreatType[]
}
