// Boosted decision trees, as arrays: how they answer, and what in the name made them.

/** Nodes of all trees one after the other; the root of each is in `roots`. Odds are log-odds. */
export interface Forest {
  readonly roots: Uint32Array
  /** The feature that a node asks for. */
  readonly features: Uint8Array
  /** Values up to this go left. */
  readonly splits: Float32Array
  /** The left child; the right one stands next to it. 0 at a leaf. */
  readonly lefts: Uint32Array
  /** What is expected at the node: at a leaf, the tree's answer. */
  readonly odds: Float32Array
}

/**
 * The log-odds that the values are of a malicious name. `shares` gets, by feature, what each question asked added to them
 * (Saabas): together with what the roots expect they add up to the answer.
 */
export function askForest(forest: Forest, values: Float32Array, shares: Float32Array): number {
  const { roots, features, splits, lefts, odds } = forest
  shares.fill(0)
  let sum = 0
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] ?? 0
    let left = lefts[node] ?? 0
    while (left !== 0) {
      const feature = features[node] ?? 0
      const next = (values[feature] ?? 0) <= (splits[node] ?? 0) ? left : left + 1
      shares[feature] = (shares[feature] ?? 0) + (odds[next] ?? 0) - (odds[node] ?? 0)
      node = next
      left = lefts[node] ?? 0
    }
    sum += odds[node] ?? 0
  }
  return sum
}
