// Weights as whole steps of eight bits, for a small file.

/** Of eight bits. Weights beyond are cut. */
const mostSteps = 127

export interface Quantized {
  /** As they came: the aims of a bucket side by side. */
  readonly weights: Int8Array
  /** By aim. */
  readonly steps: Float32Array
}

/** `fineness`: how many steps the root mean square of an aim's weights has. Fewer compress better. */
export function quantize(weights: Float32Array, aims: number, fineness: number): Quantized {
  const squares = new Float64Array(aims)
  const counts = new Float64Array(aims)
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] ?? 0
    if (weight === 0) continue
    squares[at % aims] = (squares[at % aims] ?? 0) + weight * weight
    counts[at % aims] = (counts[at % aims] ?? 0) + 1
  }
  const steps = Float32Array.from(squares, (sum, aim) => {
    const mean = Math.sqrt(sum / Math.max(1, counts[aim] ?? 0))
    return mean === 0 ? 1 : mean / fineness
  })
  const whole = new Int8Array(weights.length)
  for (let at = 0; at < weights.length; at++) {
    const steep = Math.round((weights[at] ?? 0) / (steps[at % aims] ?? 1))
    whole[at] = Math.max(-mostSteps, Math.min(mostSteps, steep))
  }
  return { weights: whole, steps }
}
