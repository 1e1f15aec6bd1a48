// Points and ranges of the score as text.

/**
 * The verdicts with both ends of their ranges, lowest first.
 * @param {readonly (readonly [least: number, verdict: string])[]} verdicts highest first
 */
export const ranges = verdicts =>
  verdicts.map(([least, verdict], i) => ({ verdict, least, most: (verdicts[i - 1]?.[0] ?? 101) - 1 })).reverse()

/** With a real minus sign. @param {number} points */
export const plain = points => (points < 0 ? `−${-points}` : `${points}`)

/** @param {number} points */
export const signed = points => (points > 0 ? `+${points}` : plain(points))
