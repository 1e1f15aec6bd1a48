// Order and colour of signals and results: by severity, not by points, which a group's ceiling may reduce.

/** @typedef {'critical' | 'high' | 'medium' | 'low' | 'info'} Severity */

/** Most serious first. @type {readonly Severity[]} */
const order = ['critical', 'high', 'medium', 'low', 'info']

/** With one of these a target is never allowed without review. @type {readonly string[]} */
export const serious = ['critical', 'high']

/** @type {Readonly<Record<Severity, string>>} */
const names = { critical: 'Critical', high: 'High', medium: 'Medium', low: 'Low', info: 'Info' }

/** @param {Severity} severity */
export const severityName = severity => names[severity] ?? names.info

/** Smaller is more serious. @param {Severity} severity */
export const severityRank = severity => (order.includes(severity) ? order.indexOf(severity) : order.length)

/**
 * Most serious first, then most points; otherwise in the order given.
 * @template {{ readonly severity: Severity, readonly points: number }} Rated
 * @param {readonly Rated[]} signals
 * @returns {Rated[]}
 */
export const bySeverity = signals =>
  [...signals].sort((a, b) => severityRank(a.severity) - severityRank(b.severity) || b.points - a.points)

/**
 * The worst severity among the signals; `info` does not count.
 * @param {readonly { readonly severity: Severity, readonly points: number }[]} signals
 * @returns {Severity | null}
 */
export function worstSeverity(signals) {
  const [worst] = bySeverity(signals)
  return worst === undefined || worst.severity === 'info' ? null : worst.severity
}

/**
 * The colour of the headline. A result with too little evidence is `unknown` (grey).
 * @param {Pick<import('./result.js').Result, 'recommendation' | 'verdict' | 'confidence' | 'signal_details'>} result
 * @returns {'bad' | 'doubtful' | 'good' | 'unknown'}
 */
export function toneOf({ recommendation, verdict, confidence, signal_details }) {
  if (recommendation === 'block') return 'bad'
  const found = verdict !== 'safe' || signal_details.some(({ severity }) => serious.includes(severity))
  if (recommendation === 'review' && found) return 'doubtful'
  return recommendation === 'allow' && confidence === 'high' ? 'good' : 'unknown'
}
