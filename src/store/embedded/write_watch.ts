// Whether answers can be counted: a write that succeeded lately proves it, and otherwise one is made that changes nothing.
import type { MaybeAsync } from '../store.ts'
import type { Ledger } from './quota.ts'

/** Milliseconds for which a write proves that the next one will succeed: a few looks of a load balancer. */
const LATELY_MS = 5_000

export interface WatchedLedger extends Ledger {
  /** A slug for why nothing can be counted, or null; known at once after a recent write. Never rejects. */
  fault(): MaybeAsync<string | null>
}

/** `monotonic` in milliseconds. The ledger must end its writes in time. */
export function watchWrites(ledger: Ledger, monotonic: () => number): WatchedLedger {
  let written_at = Number.NEGATIVE_INFINITY
  let proving: Promise<string | null> | null = null

  async function record(entries: Parameters<Ledger['record']>[0]): Promise<readonly boolean[]> {
    try {
      const made = await ledger.record(entries)
      written_at = monotonic()
      return made
    } catch (fault) {
      written_at = Number.NEGATIVE_INFINITY
      throw fault
    }
  }

  const prove = () =>
    record([]).then(
      () => null,
      () => 'not-writable',
    )

  return {
    read: ledger.read,
    record,
    fault() {
      if (monotonic() - written_at < LATELY_MS) return null
      proving ??= prove().finally(() => {
        proving = null
      })
      return proving
    },
  }
}
