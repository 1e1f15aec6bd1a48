// Gradient boosting for the logistic loss: each tree corrects the previous ones. No library: those for Node are native builds or
// unmaintained, and the same names must give the same trees.
import type { Forest } from '../../src/evidence/name_score/model_file.ts'
import { type BinTable, binTable, type Table } from './bins.ts'
import { shuffle } from './random.ts'
import { growTree, type Node } from './tree.ts'

export interface BoostingOptions {
  readonly trees: number
  readonly leaves: number
  /** Shrinkage: the share of each tree's output that is used. */
  readonly rate: number
  readonly lambda: number
  readonly leastWeight: number
  /** Shares of rows and features that each tree is trained on. */
  readonly rowShare: number
  readonly featureShare: number
  readonly random: () => number
  readonly log?: (line: string) => void
}

export interface Examples extends Table {
  /** 1 for malicious, 0 for benign. */
  readonly answers: Uint8Array
  readonly weights: Float32Array
}

export function trainForest(examples: Examples, options: BoostingOptions): Forest {
  const bins = binTable(examples)
  const odds = new Float32Array(bins.rows)
  const gradients = { first: new Float32Array(bins.rows), second: new Float32Array(bins.rows) }
  const trees: Node[] = []
  for (let tree = 0; tree < options.trees; tree++) {
    const loss = derive(examples, odds, gradients)
    if (tree % 25 === 0) options.log?.(`tree ${tree}: loss ${loss.toFixed(5)}`)
    const rows = pickRows(bins.rows, options)
    const features = pickFeatures(bins.width, options)
    const root = growTree(bins, gradients, rows, { ...options, features })
    trees.push(root)
    for (let row = 0; row < bins.rows; row++) odds[row] = (odds[row] ?? 0) + answerOf(root, row, bins, options)
  }
  return flatten(trees, bins, options)
}

/** The loss and its derivatives with respect to each row's odds. */
function derive(
  { answers, weights }: Examples,
  odds: Float32Array,
  { first, second }: { first: Float32Array; second: Float32Array },
): number {
  let loss = 0
  let total = 0
  for (let row = 0; row < odds.length; row++) {
    const weight = weights[row] ?? 0
    const p = 1 / (1 + Math.exp(-(odds[row] ?? 0)))
    const y = answers[row] ?? 0
    first[row] = (p - y) * weight
    second[row] = p * (1 - p) * weight
    loss -= weight * Math.log(Math.max(1e-9, y === 1 ? p : 1 - p))
    total += weight
  }
  return loss / total
}

function pickRows(count: number, { rowShare, random }: BoostingOptions): Uint32Array {
  const rows = new Uint32Array(count)
  let pickCount = 0
  for (let row = 0; row < count; row++) if (rowShare >= 1 || random() < rowShare) rows[pickCount++] = row
  return rows.subarray(0, pickCount)
}

function pickFeatures(width: number, { featureShare, random }: BoostingOptions): number[] {
  const all = Uint32Array.from({ length: width }, (_, feature) => feature)
  shuffle(all, random)
  return [...all.subarray(0, Math.max(1, Math.round(width * featureShare)))].sort((a, b) => a - b)
}

type Answering = Pick<BoostingOptions, 'rate' | 'lambda'>

const expected = ({ first, second }: Node, { rate, lambda }: Answering) => (-first / (second + lambda)) * rate

function answerOf(root: Node, row: number, { width, bins }: BinTable, options: Answering): number {
  let node = root
  while (node.split !== null && node.left !== null && node.right !== null) {
    node = (bins[row * width + node.split.feature] ?? 0) <= node.split.bin ? node.left : node.right
  }
  return expected(node, options)
}

/** Breadth-first, so that siblings are adjacent. */
function flatten(trees: readonly Node[], { edges }: BinTable, options: Answering): Forest {
  const roots: number[] = []
  const features: number[] = []
  const splits: number[] = []
  const lefts: number[] = []
  const odds: number[] = []
  for (const root of trees) {
    roots.push(odds.length)
    const queue = [root]
    const first = odds.length
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at] ?? root
      const { split, left, right } = node
      const inner = split !== null && left !== null && right !== null
      features.push(inner ? split.feature : 0)
      splits.push(inner ? (edges[split.feature]?.[split.bin] ?? Number.POSITIVE_INFINITY) : 0)
      lefts.push(inner ? first + queue.length : 0)
      odds.push(expected(node, options))
      if (inner) queue.push(left, right)
    }
  }
  return {
    roots: Uint32Array.from(roots),
    features: Uint8Array.from(features),
    splits: Float32Array.from(splits),
    lefts: Uint32Array.from(lefts),
    odds: Float32Array.from(odds),
  }
}
