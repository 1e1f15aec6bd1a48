// Waits until the event loop has taken in what the system holds for this process.
import { setImmediate as turn } from 'node:timers/promises'

/** What arrives within a turn may be read in the next one. */
const QUIET_TURNS = 2

/**
 * Resolves when `count` has not changed for a whole turn of the event loop, or after `most_ms`. Node accepts one connection in a
 * turn, so that a process that was busy needs many.
 */
export async function untilQuiet(count: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  let lastCount = count()
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < end; ) {
    await turn()
    quiet = count() === lastCount ? quiet + 1 : 0
    lastCount = count()
  }
}
