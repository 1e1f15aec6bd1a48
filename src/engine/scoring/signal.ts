// Signals: their definitions, and signals that a plugin raised.

/**
 * Most serious first.
 * `critical`: harm is established. `high`: a person must look first. `medium`: matters together with others.
 * `low`: poor hygiene. `info`: a neutral or favourable fact.
 */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const

export type Severity = (typeof SEVERITIES)[number]

/**
 * `phishing` asks for secrets under a false name, `malware` is served or installed from the target, `botnet` controls or belongs
 * to a botnet, `scam` deceives people to get money, `attack` is a source of intrusion attempts, `proxy` hides the source of
 * attacks.
 */
export const THREAT_TYPES = ['phishing', 'malware', 'botnet', 'scam', 'spam', 'attack', 'proxy'] as const

export type ThreatType = (typeof THREAT_TYPES)[number]

/** `weight` in points (negative lowers the score, 0 only informs); `floor` is the minimum score that the signal sets. */
export interface SignalDefinition {
  readonly weight: number
  /** The group. The ceiling of the group limits the points: `reputation`, `identity`, `content`, `network`, `transport`, `hygiene`, `trust`. */
  readonly group: string
  /** A few words for people, without a full stop. */
  readonly title: string
  readonly floor?: number
  /** What it means for the decision, independent of its points; derived from weight and floor if absent. */
  readonly severity?: Severity
  /** Kinds of threat that it always indicates; none if absent. */
  readonly threat_types?: readonly ThreatType[]
  /** What its owner can do about it, in one or two sentences; null if there is nothing to do. */
  readonly advice?: string | null
  /**
   * What to do, or not to do, for who decides about the target and does not own it. Never shown if the recommendation is to
   * allow the target.
   */
  readonly warning?: string
  /** Why it is a signal, for the documentation: one or more sentences, in Markdown. */
  readonly reason?: string
  /** Signals of any plugin that the same change fixes: beside this one, they need no advice of their own. */
  readonly also_fixes?: readonly string[]
}

/** A signal with its final severity: declared, configured or derived. */
export interface RatedSignal extends SignalDefinition {
  readonly severity: Severity
}

/** A signal that was raised. */
export interface SignalFound<Id extends string = string> {
  readonly id: Id
  /** Share of the weight that applies, 0 to 1; 1 if absent. */
  readonly strength?: number
  /** A sentence about this target. */
  readonly detail?: string
  /** Plain data that supports it. */
  readonly evidence?: Readonly<Record<string, unknown>>
  /** Kinds of threat for this target, instead of the kinds in the definition: for example the kinds of a list entry. */
  readonly threat_types?: readonly ThreatType[]
}
