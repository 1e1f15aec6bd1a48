// Feature values as a few bins with about equally many rows each: the trees are trained on bins only.

export const mostBins = 256

/** Rows of `width` values each. */
export interface Table {
  readonly width: number
  readonly values: Float32Array
}

export type BinTable = ReturnType<typeof binTable>

/** Only every n-th row is used to place the edges. */
const sampleSize = 50_000

export function binTable({ width, values }: Table) {
  const rows = values.length / width
  /** The highest value of each bin except the last, by feature. */
  const edges = Array.from({ length: width }, (_, feature) => edgesOf(values, width, feature))
  /** In the order of the table's values. */
  const bins = new Uint8Array(values.length)
  for (let at = 0; at < values.length; at++) bins[at] = binOf(values[at] ?? 0, edges[at % width] ?? new Float32Array())
  return { width, rows, bins, edges }
}

function edgesOf(values: Float32Array, width: number, feature: number): Float32Array {
  const rows = values.length / width
  const stride = Math.max(1, Math.floor(rows / sampleSize))
  const sample = new Float32Array(Math.ceil(rows / stride))
  for (let at = 0; at < sample.length; at++) sample[at] = values[at * stride * width + feature] ?? 0
  sample.sort()
  const edges = new Set<number>()
  for (let bin = 1; bin < mostBins; bin++) edges.add(sample[Math.floor((bin * sample.length) / mostBins)] ?? 0)
  return Float32Array.from(edges).sort()
}

/** Number of edges below the value. */
function binOf(value: number, edges: Float32Array): number {
  let low = 0
  let high = edges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edges[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
