// Boosted decision trees as arrays: their answer, and the share of each feature in it.

/** Nodes of all trees one after the other; the root of each is in `roots`. Odds are log-odds. */
export interface Forest {
  readonly roots: Uint32Array
  /** The feature that a node compares. */
  readonly features: Uint8Array
  /** Values up to this go left. */
  readonly splits: Float32Array
  /** The left child; the right one stands next to it. 0 at a leaf. */
  readonly lefts: Uint32Array
  /** The expected log-odds at the node; at a leaf, the tree's answer. */
  readonly odds: Float32Array
}

/** The same with the numbers of a node side by side, so that a node costs one cache miss. */
export interface PackedForest {
  readonly roots: Uint32Array
  /** Four places a node: feature, left child's first place, and for `numbers` split and odds. */
  readonly places: Uint32Array
  readonly numbers: Float32Array
}

const nodeSize = 4

export function packForest({ roots, features, splits, lefts, odds }: Forest): PackedForest {
  const places = new Uint32Array(features.length * nodeSize)
  const numbers = new Float32Array(places.buffer)
  for (let node = 0; node < features.length; node++) {
    const at = node * nodeSize
    places[at] = features[node] ?? 0
    places[at + 1] = (lefts[node] ?? 0) * nodeSize
    numbers[at + 2] = splits[node] ?? 0
    numbers[at + 3] = odds[node] ?? 0
  }
  return { roots: roots.map(root => root * nodeSize), places, numbers }
}

/**
 * Returns the log-odds that the values belong to a malicious name. Fills `shares` with what each feature contributed
 * (Saabas' method); the shares and the expectations of the roots add up to the answer.
 */
export function askForest(
  { roots, places, numbers }: PackedForest,
  values: Float32Array,
  shares: Float64Array,
): number {
  shares.fill(0)
  let sum = 0
  for (const root of roots) {
    let at = root
    let odds = numbers[at + 3] ?? 0
    for (let left = places[at + 1] ?? 0; left !== 0; left = places[at + 1] ?? 0) {
      const feature = places[at] ?? 0
      at = (values[feature] ?? 0) <= (numbers[at + 2] ?? 0) ? left : left + nodeSize
      const next = numbers[at + 3] ?? 0
      shares[feature] = (shares[feature] ?? 0) + (next - odds)
      odds = next
    }
    sum += odds
  }
  return sum
}
