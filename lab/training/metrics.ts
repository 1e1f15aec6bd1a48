// Measures how well scores separate malicious names from benign ones.

const descending = (scores: Float32Array) => Float32Array.from(scores).sort().reverse()

/** The probability that a malicious name scores higher than a benign one; ties count half. */
export function areaUnderCurve(positives: Float32Array, negatives: Float32Array): number {
  const sorted = Float32Array.from(negatives).sort()
  let wins = 0
  for (const score of positives) wins += (countBelow(sorted, score) + countUpTo(sorted, score)) / 2
  return wins / (positives.length * negatives.length)
}

/** The lowest score that at most `rate` of the negatives exceed. */
export function thresholdAt(negatives: Float32Array, rate: number): number {
  const sorted = descending(negatives)
  return sorted[Math.floor(rate * sorted.length)] ?? Number.NEGATIVE_INFINITY
}

export function shareAbove(scores: Float32Array, threshold: number): number {
  let above = 0
  for (const score of scores) if (score > threshold) above++
  return above / scores.length
}

function countBelow(sorted: Float32Array, value: number): number {
  return search(sorted, at => at < value)
}

function countUpTo(sorted: Float32Array, value: number): number {
  return search(sorted, at => at <= value)
}

/** Number of leading elements for which `before` holds. */
function search(sorted: Float32Array, before: (value: number) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (before(sorted[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}
