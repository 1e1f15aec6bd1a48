// Logistic regression with ridge by Newton's method, for some hundred features and ten thousand examples.

export interface Sample {
  readonly values: Float64Array
  readonly positive: boolean
  readonly weight: number
}

export interface Regression {
  readonly bias: number
  /** For raw values, not standardised ones. */
  readonly weights: Float64Array
}

export const oddsOf = ({ bias, weights }: Regression, values: Float64Array): number => {
  let odds = bias
  for (let at = 0; at < weights.length; at++) odds += (weights[at] ?? 0) * (values[at] ?? 0)
  return odds
}

const STEPS = 8

/** `ridge` shrinks the weights of standardised features; both classes have the same total weight. */
export function fit(samples: readonly Sample[], width: number, ridge: number): Regression {
  const { mean, scale } = standards(samples, width)
  const size = width + 1
  const rows = samples.map(({ values }) => {
    const row = new Float64Array(size)
    for (let at = 0; at < width; at++) row[at] = ((values[at] ?? 0) - (mean[at] ?? 0)) / (scale[at] ?? 1)
    row[width] = 1
    return row
  })
  const total = (positive: boolean) =>
    samples.reduce((sum, one) => sum + (one.positive === positive ? one.weight : 0), 0)
  const balance = [samples.length / 2 / total(false), samples.length / 2 / total(true)] as const
  const weights = new Float64Array(size)
  for (let step = 0; step < STEPS; step++) {
    const change = newtonStep(rows, samples, balance, weights, ridge)
    let largest = 0
    for (let at = 0; at < size; at++) {
      weights[at] = (weights[at] ?? 0) + (change[at] ?? 0)
      largest = Math.max(largest, Math.abs(change[at] ?? 0))
    }
    if (largest < 3e-3) break
  }
  const plain = new Float64Array(width)
  let bias = weights[width] ?? 0
  for (let at = 0; at < width; at++) {
    plain[at] = (weights[at] ?? 0) / (scale[at] ?? 1)
    bias -= (plain[at] ?? 0) * (mean[at] ?? 0)
  }
  return { bias, weights: plain }
}

function standards(samples: readonly Sample[], width: number) {
  const mean = new Float64Array(width)
  const scale = new Float64Array(width)
  for (const { values } of samples)
    for (let at = 0; at < width; at++) mean[at] = (mean[at] ?? 0) + (values[at] ?? 0) / samples.length
  for (const { values } of samples) {
    for (let at = 0; at < width; at++)
      scale[at] = (scale[at] ?? 0) + ((values[at] ?? 0) - (mean[at] ?? 0)) ** 2 / samples.length
  }
  // Limits the scale of rare features, because a handful of pages must not get a large weight.
  for (let at = 0; at < width; at++) scale[at] = Math.max(0.15, Math.sqrt(scale[at] ?? 0))
  return { mean, scale }
}

function newtonStep(
  rows: readonly Float64Array[],
  samples: readonly Sample[],
  balance: readonly [number, number],
  weights: Float64Array,
  ridge: number,
): Float64Array {
  const size = weights.length
  const hessian = new Float64Array(size * size)
  const gradient = new Float64Array(size)
  for (let at = 0; at < size - 1; at++) {
    hessian[at * size + at] = ridge
    gradient[at] = -ridge * (weights[at] ?? 0)
  }
  hessian[size * size - 1] = 1e-6
  const present = new Int32Array(size)
  for (const [index, row] of rows.entries()) {
    const sample = samples[index]
    if (sample === undefined) continue
    let odds = 0
    for (let at = 0; at < size; at++) odds += (weights[at] ?? 0) * (row[at] ?? 0)
    const expected = 1 / (1 + Math.exp(-odds))
    const weight = sample.weight * balance[sample.positive ? 1 : 0]
    const error = weight * ((sample.positive ? 1 : 0) - expected)
    const curve = weight * Math.max(1e-6, expected * (1 - expected))
    let count = 0
    for (let at = 0; at < size; at++) {
      const value = row[at] ?? 0
      gradient[at] = (gradient[at] ?? 0) + error * value
      if (value !== 0) present[count++] = at
    }
    for (let i = 0; i < count; i++) {
      const a = present[i] ?? 0
      const part = curve * (row[a] ?? 0)
      const start = a * size
      for (let j = i; j < count; j++) {
        const b = present[j] ?? 0
        hessian[start + b] = (hessian[start + b] ?? 0) + part * (row[b] ?? 0)
      }
    }
  }
  return solve(hessian, gradient, size)
}

/** Cholesky decomposition; `upper` is the upper half of a symmetric matrix. */
function solve(upper: Float64Array, right: Float64Array, size: number): Float64Array {
  const lower = new Float64Array(size * size)
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = upper[j * size + i] ?? 0
      for (let k = 0; k < j; k++) sum -= (lower[i * size + k] ?? 0) * (lower[j * size + k] ?? 0)
      lower[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-9)) : sum / (lower[j * size + j] ?? 1)
    }
  }
  const answer = new Float64Array(size)
  for (let i = 0; i < size; i++) {
    let sum = right[i] ?? 0
    for (let k = 0; k < i; k++) sum -= (lower[i * size + k] ?? 0) * (answer[k] ?? 0)
    answer[i] = sum / (lower[i * size + i] ?? 1)
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = answer[i] ?? 0
    for (let k = i + 1; k < size; k++) sum -= (lower[k * size + i] ?? 0) * (answer[k] ?? 0)
    answer[i] = sum / (lower[i * size + i] ?? 1)
  }
  return answer
}
