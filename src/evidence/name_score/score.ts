// From log-odds to the score people see: how rare such odds are among benign names.

/** Highest share of benign names that reach the score, between which it is interpolated on a logarithmic scale. */
export const scale: readonly (readonly [score: number, benignShare: number])[] = [
  [0, 1],
  [25, 0.4],
  [50, 0.1],
  [75, 0.03],
  [90, 0.01],
  [97, 0.001],
  [100, 0.0001],
]

export const highestScore = 100

/** The share of benign names that may reach a score. */
export function benignShareAt(score: number): number {
  const above = scale.findIndex(([to]) => to >= score)
  const [to, share] = scale[above] ?? [highestScore, 0]
  const [from, shareBefore] = scale[above - 1] ?? [to, share]
  if (to === from) return share
  return shareBefore * (share / shareBefore) ** ((score - from) / (to - from))
}

/** `thresholds[s - 1]` is the least log-odds of score s, ascending. */
export function scoreOf(odds: number, thresholds: Float32Array): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (odds >= (thresholds[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}
