// Reads the datasets on disk at a start: one after another, in parallel with slow ones.
import { withTimeout } from '../../base/timeout.ts'
import type { Source } from './source.ts'

/** Milliseconds for which one dataset is read alone: in parallel, each takes longer, but its disk may hang. */
const ALONE_MS = 3_000
/** Datasets read at once. One that hangs holds one of the four threads that Node has for files. */
const READ_AT_ONCE = 3

export function createLoading(sources: readonly Source[], endSignal: AbortSignal) {
  let queue: readonly Source[] = []
  let running: Promise<void> | null = null

  async function readAll(): Promise<void> {
    const reading = new Set<Promise<void>>()
    for (let next = queue[0]; next !== undefined && !endSignal.aborted; next = queue[0]) {
      queue = queue.slice(1)
      const load = next
        .load()
        .catch(() => {})
        .finally(() => reading.delete(load))
      reading.add(load)
      await withTimeout(load, ALONE_MS)
      if (reading.size >= READ_AT_ONCE) await Promise.race(reading)
    }
    queue = []
    await Promise.all(reading)
  }

  return {
    /** Reads, once, all that are not in memory. Never rejects; never resolves while a disk hangs. */
    load() {
      if (running === null) {
        queue = sources.filter(source => source.held() === null)
        running = readAll()
      }
      return running
    },
    /** Whether the source is being read or waits for its turn. */
    isAwaited: (source: Source) => source.isReading() || queue.includes(source),
  }
}
