// Exact quotas with group commit: reservations are counted in memory at once, and all counts that
// arrive while the ledger is writing go into its next write together.
import { type Counter, counterTable } from './counters.ts'
import type { Ledger } from './ledger.ts'
import { type Allowance, type Grant, type QuotaStore, type Refusal, StoreError, type Usage } from './store.ts'

/** Counts on their way to the ledger; `done` tells which counters were not written. */
interface Batch {
  readonly counters: Set<Counter>
  readonly done: Promise<ReadonlySet<Counter>>
  settle(lost: ReadonlySet<Counter>): void
}

export interface Quota extends QuotaStore {
  /** Resolves when nothing is waiting to be written. */
  drain(): Promise<void>
}

/** The one writer of its ledger. `now` is the wall clock in milliseconds. */
export function createQuota(ledger: Ledger, now: () => number): Quota {
  const table = counterTable(ledger)
  let waiting: Batch | null = null
  let writing: Promise<void> | null = null

  /** Joins the next write. It starts when the sockets of this turn have been read, so that their requests share it. */
  function enqueue(counter: Counter): Promise<ReadonlySet<Counter>> {
    waiting ??= createBatch()
    waiting.counters.add(counter)
    writing ??= new Promise<void>(resolve => setImmediate(resolve)).then(writeAll)
    return waiting.done
  }

  async function writeAll(): Promise<void> {
    while (waiting !== null) {
      const batch = waiting
      waiting = null
      batch.settle(await table.write(batch.counters))
    }
    writing = null
  }

  async function commit(counter: Counter, allowance: Allowance): Promise<Usage> {
    counter.reserved -= 1
    if (counter.lost) throw notCounted(counter)
    table.advance(counter, now())
    counter.used += 1
    const usage = describe(counter, allowance)
    const lost = await enqueue(counter)
    if (lost.has(counter)) throw notCounted(counter)
    return usage
  }

  function reserve(account: string, allowance: Allowance): Grant | Refusal {
    const counter = table.find(account, allowance.period, now())
    if (counter.used + counter.reserved >= allowance.quota) {
      return { allowed: false, usage: { ...describe(counter, allowance), remaining: 0 } }
    }
    return grant(counter, () => commit(counter, allowance))
  }

  return {
    reserve,
    usage: (account, allowance) => describe(table.find(account, allowance.period, now()), allowance),
    async drain() {
      while (writing !== null) await writing
    },
  }
}

function createBatch(): Batch {
  let settle: Batch['settle'] = () => {}
  const done = new Promise<ReadonlySet<Counter>>(resolve => {
    settle = resolve
  })
  return { counters: new Set(), done, settle }
}

function grant(counter: Counter, commit: () => Promise<Usage>): Grant {
  let open = true
  counter.reserved += 1
  return {
    allowed: true,
    async commit() {
      if (!open) throw new StoreError('quota_store_error', 'a reservation was already settled')
      open = false
      return commit()
    },
    release() {
      if (open) counter.reserved -= 1
      open = false
    },
  }
}

function describe(counter: Counter, allowance: Allowance): Usage {
  return {
    limit: allowance.quota,
    used: counter.used,
    remaining: Math.max(0, allowance.quota - counter.used),
    reset: counter.end / 1000,
  }
}

function notCounted(counter: Counter): StoreError {
  return new StoreError('quota_store_error', `the count of ${counter.account} could not be made durable`, counter.fault)
}
