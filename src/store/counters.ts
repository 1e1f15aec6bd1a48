// The counters of the accounts now in use, as the ledger has them and as they will be.
import type { Balance, Entry, Ledger } from './ledger.ts'
import { periodEnd, periodStart } from './period.ts'
import type { PeriodKind } from './store.ts'

/** Counters held in memory: about 200 octets each. */
const counters_max = 100_000

export interface Counter {
  readonly account: string
  readonly period: PeriodKind
  /** As last read or written. */
  stored: Balance | null
  start: number
  end: number
  /** Answers counted in this period, durable or on their way. */
  used: number
  /** Answers set aside and not yet settled. */
  reserved: number
  /** A write failed: what is stored is uncertain, so it must be read afresh. */
  lost: boolean
  fault: unknown
}

export interface CounterTable {
  find(account: string, period: PeriodKind, now: number): Counter
  advance(counter: Counter, now: number): void
  /** Writes them in one go; resolves with those that are lost and never rejects. */
  write(counters: ReadonlySet<Counter>): Promise<ReadonlySet<Counter>>
}

export function counterTable(ledger: Ledger): CounterTable {
  const tables: Readonly<Record<PeriodKind, Map<string, Counter>>> = { month: new Map(), day: new Map() }

  function find(account: string, period: PeriodKind, now: number): Counter {
    const table = tables[period]
    let counter = table.get(account)
    if (counter === undefined) {
      if (table.size >= counters_max) forgetIdle(table)
      counter = load(ledger, account, period, now)
      table.set(account, counter)
    }
    advance(counter, now)
    return counter
  }

  function lose(counter: Counter, fault: unknown): void {
    counter.lost = true
    counter.fault = fault
    const table = tables[counter.period]
    if (table.get(counter.account) === counter) table.delete(counter.account)
  }

  async function write(counters: ReadonlySet<Counter>): Promise<ReadonlySet<Counter>> {
    const batch = [...counters].filter(counter => !counter.lost)
    const entries = batch.map(toEntry)
    const made = await ledger.record(entries).catch((fault: unknown) => fault)
    batch.forEach((counter, index) => {
      if (Array.isArray(made) && made[index] === true) counter.stored = entries[index]?.after ?? null
      else lose(counter, Array.isArray(made) ? 'the stored counter was changed by someone else' : made)
    })
    return new Set([...counters].filter(counter => counter.lost))
  }

  return { find, advance, write }
}

function load(ledger: Ledger, account: string, period: PeriodKind, now: number): Counter {
  const stored = ledger.read(account, period)
  const start = stored?.start ?? periodStart(period, now)
  const end = periodEnd(period, start)
  return { account, period, stored, start, end, used: stored?.used ?? 0, reserved: 0, lost: false, fault: undefined }
}

/** Moves on to the period of `now`, never back: a clock set back must not hand out a used-up quota again. */
function advance(counter: Counter, now: number): void {
  if (now < counter.end) return
  counter.start = periodStart(counter.period, now)
  counter.end = periodEnd(counter.period, now)
  counter.used = 0
}

function toEntry(counter: Counter): Entry {
  const { account, period, stored, start, used } = counter
  return { account, period, before: stored, after: { start, used } }
}

function isIdle({ reserved, used, start, stored }: Counter): boolean {
  return reserved === 0 && (used === 0 || (used === stored?.used && start === stored.start))
}

/** Makes room: what is idle can be read again from the ledger. */
function forgetIdle(table: Map<string, Counter>): void {
  for (const [account, counter] of table) if (isIdle(counter)) table.delete(account)
}
