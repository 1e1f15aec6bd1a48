// When keys were last used, gathered in memory and written now and then: a write per request would cost more than it tells.
import type { KeyRows, Use } from './key_rows.ts'

/** Milliseconds between writes. */
const interval_ms = 60_000

/** Uses in one write, so that none holds up the event loop for more than a few milliseconds. */
const batch_size = 500

export interface UseLog {
  note(id: string, at: number): void
  close(): Promise<void>
}

export function createUseLog(rows: KeyRows): UseLog {
  const noted = new Map<string, number>()
  const timer = setInterval(write, interval_ms).unref()

  async function write(): Promise<void> {
    const uses = [...noted]
    noted.clear()
    for (let from = 0; from < uses.length; from += batch_size) await record(uses.slice(from, from + batch_size))
  }

  /** A batch that cannot be written waits for the next round: nothing else depends on it. */
  async function record(uses: readonly Use[]): Promise<void> {
    await rows.touch(uses).catch(() => {
      for (const [id, at] of uses) if (!noted.has(id)) noted.set(id, at)
    })
  }

  return {
    note: (id, at) => noted.set(id, at),
    close() {
      clearInterval(timer)
      return write()
    },
  }
}
