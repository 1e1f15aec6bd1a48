// The verdict for a score, by the ranges of the API: 0-30, 31-70, 71-100.

/** The best first. */
export const VERDICTS = ['safe', 'suspicious', 'malicious'] as const

export type Verdict = (typeof VERDICTS)[number]

/** The minimum score of `malicious`. */
export const CONDEMNED_FROM = 71

/** The minimum score of each verdict, highest first. */
export const VERDICT_FROM: readonly (readonly [least: number, verdict: Verdict])[] = [
  [CONDEMNED_FROM, 'malicious'],
  [31, 'suspicious'],
  [0, 'safe'],
]

/** `risk_score` is an integer from 0 to 100. */
export function verdict(riskScore: number): Verdict {
  return VERDICT_FROM.find(([least]) => riskScore >= least)?.[1] ?? 'safe'
}
