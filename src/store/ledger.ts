// Where counts become durable: the part of the quota that a backend supplies.
import { periodStart } from './period.ts'
import { type PeriodKind, StoreError } from './store.ts'

/** A count at rest. `start` is the first millisecond of its period. */
export interface Balance {
  readonly start: number
  readonly used: number
}

/** A change of one counter, made only if what is stored is still `before` (null: nothing stored). */
export interface Entry {
  readonly account: string
  readonly period: PeriodKind
  readonly before: Balance | null
  readonly after: Balance
}

export interface Ledger {
  /** Throws a StoreError when the counter cannot be read or is not a count. */
  read(account: string, period: PeriodKind): Balance | null
  /** Resolves when all are durable: per entry, whether it was made. Rejects with a StoreError when none was. */
  record(entries: readonly Entry[]): Promise<readonly boolean[]>
}

/** What was read, if it is a count of a period; a StoreError otherwise: a garbled counter must not mean "unlimited". */
export function balance(start: unknown, used: unknown, period: PeriodKind): Balance {
  if (isCount(start) && isCount(used) && periodStart(period, start) === start) return { start, used }
  throw new StoreError(
    'quota_store_error',
    `a quota counter holds (${String(start)}, ${String(used)}), which is no count`,
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
