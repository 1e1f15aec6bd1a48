// Weights as whole steps of eight bits, for a small file.

/** Weights beyond so many root mean squares are cut: they are few, and would make the steps coarse. */
const widest = 8
const mostSteps = 127

export interface Quantized {
  /** As they came: the aims of a bucket side by side. */
  readonly weights: Int8Array
  /** By aim. */
  readonly steps: Float32Array
}

/** `levels`, by aim: how many steps the widest weight may take, at most 127. Fewer compress better. */
export function quantize(weights: Float32Array, levels: readonly number[]): Quantized {
  const aims = levels.length
  const squares = new Float64Array(aims)
  const counts = new Float64Array(aims)
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] ?? 0
    if (weight === 0) continue
    squares[at % aims] = (squares[at % aims] ?? 0) + weight * weight
    counts[at % aims] = (counts[at % aims] ?? 0) + 1
  }
  const steps = Float32Array.from(levels, (level, aim) => {
    const mean = Math.sqrt((squares[aim] ?? 0) / Math.max(1, counts[aim] ?? 0))
    return mean === 0 ? 1 : (mean * widest) / level
  })
  const whole = new Int8Array(weights.length)
  for (let at = 0; at < weights.length; at++) {
    const level = Math.round((weights[at] ?? 0) / (steps[at % aims] ?? 1))
    whole[at] = Math.max(-mostSteps, Math.min(mostSteps, level))
  }
  return { weights: whole, steps }
}
