// What changed between the results of a target: which results are compared, which changes count, and the words for them.

/** @typedef {import('./kept_results.js').Entry} Entry */
/** @typedef {import('./kept_results.js').Kept} Kept */

/**
 * @typedef {object} Change
 * @property {string} path
 * @property {'weakened' | 'strengthened' | 'changed'} severity
 * @property {string} message
 */

/**
 * Each kept result with the kept one before it, latest first.
 * @param {readonly Entry[]} results latest first
 */
export function neighbours(results) {
  const keptEntries = results.filter(one => one.kept)
  return keptEntries.slice(1).map((from, i) => ({ from, to: /** @type {Entry} */ (keptEntries[i]) }))
}

/** What this installation has learned, not what the target has done. */
const ABOUT_US = new Set(['signals.first_seen_here'])

/** @type {<One extends { readonly path: string }>(changes: readonly One[]) => One[]} */
export const ofTarget = changes => changes.filter(({ path }) => !ABOUT_US.has(path))

/** The kind that a mark for all of them has. @type {(changes: readonly Change[]) => Change['severity']} */
export const worst = changes =>
  /** @type {const} */ (['weakened', 'strengthened']).find(kind => changes.some(({ severity }) => severity === kind)) ??
  'changed'

/** The first change, which the service judges the most telling, and the number of others. @param {readonly { readonly message: string }[]} changes */
export const inShort = changes =>
  `${changes[0]?.message ?? 'nothing changed'}${changes.length > 1 ? `, and ${changes.length - 1} more` : ''}`

/** Comparisons in memory: kept results never change. */
const MAX_COMPARISONS = 2_000
/** @type {Map<string, Promise<readonly Change[]>>} */
const changesByPair = new Map()

/**
 * The changes of the target between two results, asked for once. Rejects with `Failure`.
 * @type {(kept: Pick<Kept, 'changes'>, from: string, to: string) => Promise<readonly Change[]>}
 */
export function changesBetween(store, from, to) {
  const pair = `${from} ${to}`
  const cachedChanges = changesByPair.get(pair)
  if (cachedChanges !== undefined) return cachedChanges
  const changes = store.changes(from, to).then(ofTarget)
  changesByPair.set(pair, changes)
  changes.catch(() => changesByPair.delete(pair))
  for (const oldest of [...changesByPair.keys()].slice(0, -MAX_COMPARISONS)) changesByPair.delete(oldest)
  return changes
}
