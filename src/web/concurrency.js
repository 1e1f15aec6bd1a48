// Work on many items, a few at a time.

/**
 * Runs `work` for each item in order, at most `most` at once. Rejects with the first error; work that has begun goes on.
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} most
 * @param {(item: Item) => Promise<void>} work
 */
export async function forEachAtMost(items, most, work) {
  let next = 0
  let hasFailed = false
  const run = async () => {
    while (next < items.length && !hasFailed) {
      try {
        await work(/** @type {Item} */ (items[next++]))
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: most }, run))
}
