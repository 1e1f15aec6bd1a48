// Work in common: everything that waits when a run begins goes into it, and one run follows the other.
import { setTimeout as pause } from 'node:timers/promises'

/** Runs in a row after which there is a rest, and its milliseconds: longer than another process waits before it looks again. */
const ROW = 4
const REST_MS = 2

/**
 * `run` takes all waiting items, as late as it can, and never rejects; items that it leaves go into the next run. With `rests`,
 * consecutive runs pause so that other processes can run, because the database does not alternate between processes.
 */
export function createTicks<Item>(run: (take: () => readonly Item[]) => Promise<void>, rests = false) {
  let waiting: Item[] = []
  let running: Promise<void> | null = null

  const take = (): readonly Item[] => {
    const batch = waiting
    waiting = []
    return batch
  }

  async function runAll(): Promise<void> {
    // After this turn's sockets were read, so that their requests share the run.
    await new Promise<void>(resolve => setImmediate(resolve))
    for (let row = 1; waiting.length > 0; row++) {
      await run(take)
      // Every rest costs a sleep and a wake, which is a tenth of a commit.
      if (rests && row % ROW === 0) await pause(REST_MS)
    }
    running = null
  }

  return {
    add(item: Item) {
      waiting.push(item)
      running ??= runAll()
    },
    /** Resolves when nothing waits or runs. */
    async drain() {
      while (running !== null) await running
    },
  }
}
