// Grows one regression tree on gradients, best leaf first, from histograms of binned features.
import { type BinTable, mostBins } from './bins.ts'

export interface TreeOptions {
  readonly leaves: number
  /** Minimum sum of second derivatives in a leaf. */
  readonly leastWeight: number
  /** L2 regularisation of the leaf values. */
  readonly lambda: number
  /** Features that this tree may split on. */
  readonly features: readonly number[]
}

/** First and second derivatives of the loss for each row. */
export interface Gradients {
  readonly first: Float32Array
  readonly second: Float32Array
}

export interface Split {
  readonly feature: number
  /** The last bin that goes left. */
  readonly bin: number
  readonly gain: number
}

export interface Node {
  /** Its rows: a range of the tree's permutation. */
  readonly from: number
  readonly to: number
  readonly first: number
  readonly second: number
  /** Sums of both derivatives by feature and bin; released when the node is final. */
  histogram: Float64Array | null
  split: Split | null
  left: Node | null
  right: Node | null
}

/** Permutes `rows` so that the rows of a leaf are adjacent. */
export function growTree(table: BinTable, gradients: Gradients, rows: Uint32Array, options: TreeOptions): Node {
  const histogram = histogramOf(table, gradients, rows, options)
  const root = nodeOf(0, rows.length, histogram, options)
  const open = [root]
  for (let leaves = 1; leaves < options.leaves; leaves++) {
    const best = open.reduce((a, b) => ((b.split?.gain ?? 0) > (a.split?.gain ?? 0) ? b : a))
    if (best.split === null) break
    open.splice(open.indexOf(best), 1, ...divide(best, best.split, table, gradients, rows, options))
  }
  for (const node of open) {
    node.histogram = null
    node.split = null
  }
  return root
}

function nodeOf(from: number, to: number, histogram: Float64Array, options: TreeOptions): Node {
  const [first, second] = totals(histogram, options.features[0] ?? 0)
  const split = bestSplit(histogram, first, second, options)
  return { from, to, first, second, histogram, split, left: null, right: null }
}

/** Counts the smaller child; the other is the parent minus that. */
function divide(
  node: Node,
  split: Split,
  table: BinTable,
  gradients: Gradients,
  rows: Uint32Array,
  options: TreeOptions,
): [Node, Node] {
  const middle = partition(rows, node, split, table)
  const leftIsSmaller = middle - node.from < node.to - middle
  const small = leftIsSmaller ? rows.subarray(node.from, middle) : rows.subarray(middle, node.to)
  const smallHistogram = histogramOf(table, gradients, small, options)
  const rest = node.histogram ?? new Float64Array(smallHistogram.length)
  for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) - (smallHistogram[at] ?? 0)
  node.histogram = null
  const left = nodeOf(node.from, middle, leftIsSmaller ? smallHistogram : rest, options)
  const right = nodeOf(middle, node.to, leftIsSmaller ? rest : smallHistogram, options)
  node.left = left
  node.right = right
  return [left, right]
}

/** Only of features that may be split on; the others stay empty. */
function histogramOf(
  { width, bins }: BinTable,
  { first, second }: Gradients,
  rows: Uint32Array,
  { features }: TreeOptions,
): Float64Array {
  const histogram = new Float64Array(width * mostBins * 2)
  for (const row of rows) {
    const g = first[row] ?? 0
    const h = second[row] ?? 0
    const start = row * width
    for (const feature of features) {
      const at = (feature * mostBins + (bins[start + feature] ?? 0)) * 2
      histogram[at] = (histogram[at] ?? 0) + g
      histogram[at + 1] = (histogram[at + 1] ?? 0) + h
    }
  }
  return histogram
}

function totals(histogram: Float64Array, feature: number): [number, number] {
  let first = 0
  let second = 0
  const start = feature * mostBins * 2
  for (let at = start; at < start + mostBins * 2; at += 2) {
    first += histogram[at] ?? 0
    second += histogram[at + 1] ?? 0
  }
  return [first, second]
}

function bestSplit(histogram: Float64Array, first: number, second: number, options: TreeOptions): Split | null {
  const { lambda, leastWeight } = options
  const whole = (first * first) / (second + lambda)
  let best: Split | null = null
  for (const feature of options.features) {
    let g = 0
    let h = 0
    for (let bin = 0; bin < mostBins - 1; bin++) {
      const at = (feature * mostBins + bin) * 2
      g += histogram[at] ?? 0
      h += histogram[at + 1] ?? 0
      if (h < leastWeight) continue
      if (second - h < leastWeight) break
      const gain = (g * g) / (h + lambda) + (first - g) ** 2 / (second - h + lambda) - whole
      if (gain > (best?.gain ?? 1e-6)) best = { feature, bin, gain }
    }
  }
  return best
}

/** Moves the rows that go left to the front; returns the start of the others. */
function partition(rows: Uint32Array, { from, to }: Node, { feature, bin }: Split, { width, bins }: BinTable): number {
  let low = from
  let high = to - 1
  while (low <= high) {
    const row = rows[low] ?? 0
    if ((bins[row * width + feature] ?? 0) <= bin) {
      low++
      continue
    }
    rows[low] = rows[high] ?? 0
    rows[high--] = row
  }
  return low
}
