// A ledger that answers in time, whatever the disk does.
import { inTime } from '../in_time.ts'
import type { Ledger } from '../ledger.ts'
import { StoreError } from '../store.ts'

/** Milliseconds that a write may take: a disk that syncs slowly delays answers, one that hangs must not keep clients waiting. */
export const write_ms = 2_000

/**
 * Its writes end within `most_ms`. One that did not goes on, and what it was to count may be counted yet; until it has
 * ended everything fails at once, so that requests are refused before any work is done for them. What is stored is read
 * afresh then, and each write is made only upon what was read: nothing is counted twice or forgotten.
 */
export function boundLedger(ledger: Ledger, most_ms: number): Ledger {
  let overdue = 0

  function refuseOverdue(): void {
    if (overdue > 0) throw late()
  }

  return {
    read(account, period) {
      refuseOverdue()
      return ledger.read(account, period)
    },
    async record(entries) {
      refuseOverdue()
      const write = ledger.record(entries)
      return inTime(write, most_ms, () => {
        overdue += 1
        const end = () => {
          overdue -= 1
        }
        write.then(end, end)
        return late()
      })
    },
  }
}

const late = () => new StoreError('quota_store_error', 'the disk takes too long to write')
