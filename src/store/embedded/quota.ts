// Exact quotas in one process. Reservations are counted in memory at once; all answers that are counted while the ledger
// writes go into its next write together (group commit).
import { createTable } from '../../cache/cache.ts'
import {
  type Allowance,
  type Balance,
  type Counts,
  countMore,
  countsAt,
  hasRoom,
  type PeriodKind,
  roomFor,
  stableSpan,
  type Usage,
  usageOf,
  usedIn,
} from '../quota_rule.ts'
import { createGrant, type Grant, type LocalQuota, type Refusal, refusal, StoreError } from '../store.ts'

/** A change of one counter. It is made only while the stored counts are still `before`; null means nothing is stored. */
export interface Entry {
  readonly account: string
  readonly before: Counts | null
  readonly after: Counts
}

/** Where counts become durable. */
export interface Ledger {
  /** Throws a StoreError when the counter cannot be read or is damaged. */
  read(account: string): Counts | null
  /**
   * Resolves when all changes are durable, with whether each was made. Rejects with a StoreError when none was made. Without
   * entries, what is written changes nothing.
   */
  record(entries: readonly Entry[]): Promise<readonly boolean[]>
}

export interface Quota extends LocalQuota {
  /** Resolves when nothing is waiting to be written. */
  drain(): Promise<void>
}

interface Counter {
  readonly account: string
  /** As last read or written. */
  stored: Counts | null
  /** All counted answers, durable or not yet. */
  counts: Counts
  /** While `from <= now < until`, `counts` are current for a plan of this period. */
  period: PeriodKind
  from: number
  until: number
  /** Granted answers that are neither committed nor released. */
  reserved: number
  /** Answers counted since the counter was read, and how many of them are durable. */
  counted: number
  durable: number
  /** A write failed, so the stored counts are unknown and must be read again. */
  lost: boolean
  fault: unknown
}

/** Counters for the next write. `done` resolves with those that were lost. */
interface Batch {
  readonly counters: Set<Counter>
  readonly done: Promise<ReadonlySet<Counter>>
  settle(lost: ReadonlySet<Counter>): void
}

/** There must be no other writer of the ledger. `now` is the wall clock in milliseconds. */
export function createQuota(ledger: Ledger, now: () => number): Quota {
  const table = createTable<Counter>('counters', isIdle)
  let waiting: Batch | null = null
  let writing: Promise<void> | null = null

  function find(account: string, period: PeriodKind): Counter {
    const counter = table.get(account) ?? table.add(account, own => load(ledger, own, now(), period))
    advance(counter, now(), period)
    return counter
  }

  /** Joins the next write, which starts after this turn's sockets are read, so that their requests share it. */
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
      batch.settle(await write(batch.counters))
    }
    writing = null
  }

  /** Resolves with the counters that are lost; never rejects. */
  async function write(counters: ReadonlySet<Counter>): Promise<ReadonlySet<Counter>> {
    const batch = [...counters].filter(counter => !counter.lost)
    const counted = batch.map(counter => counter.counted)
    const entries = batch.map(({ account, stored, counts }) => ({ account, before: stored, after: counts }))
    const made = await ledger.record(entries).catch((fault: unknown) => fault)
    batch.forEach((counter, index) => {
      if (Array.isArray(made) && made[index] === true) {
        counter.stored = entries[index]?.after ?? null
        counter.durable = counted[index] ?? 0
      } else lose(counter, Array.isArray(made) ? 'another process changed the stored counter' : made)
    })
    return new Set([...counters].filter(counter => counter.lost))
  }

  function lose(counter: Counter, fault: unknown): void {
    counter.lost = true
    counter.fault = fault
    if (table.get(counter.account) === counter) table.delete(counter.account)
  }

  async function commit(counter: Counter, allowance: Allowance): Promise<Usage> {
    counter.reserved -= 1
    if (counter.lost) throw notCounted(counter)
    advance(counter, now(), allowance.period)
    counter.counts = countMore(counter.counts, allowance.period)
    counter.counted += 1
    const usage = usageOf(allowance, balanceOf(counter))
    const lost = await enqueue(counter)
    if (lost.has(counter)) throw notCounted(counter)
    return usage
  }

  function reserve(account: string, allowance: Allowance): Grant | Refusal {
    const counter = find(account, allowance.period)
    const balance = balanceOf(counter)
    if (!hasRoom(allowance, usedIn(allowance.period, balance), counter.reserved))
      return refusal(usageOf(allowance, balance))
    counter.reserved += 1
    return createGrant({
      commit: () => commit(counter, allowance),
      release() {
        counter.reserved -= 1
      },
    })
  }

  async function chargeMany(account: string, allowance: Allowance, want: number) {
    const { period } = allowance
    const counter = find(account, period)
    const balance = balanceOf(counter)
    const used = usedIn(period, balance)
    const granted = Math.min(want, roomFor(allowance, used, counter.reserved))
    if (granted === 0) return { granted, usage: usageOf(allowance, balance, used) }
    counter.counts = countMore(counter.counts, period, granted)
    counter.counted += granted
    const usage = usageOf(allowance, balanceOf(counter), used + granted)
    const lost = await enqueue(counter)
    if (lost.has(counter)) throw notCounted(counter)
    return { granted, usage }
  }

  return {
    reserve,
    async charge(account, allowance) {
      const { granted, usage } = await chargeMany(account, allowance, 1)
      return granted === 1 ? usage : refusal(usage)
    },
    chargeMany,
    usage: (account, allowance) => usageOf(allowance, balanceOf(find(account, allowance.period))),
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

function load(ledger: Ledger, account: string, now: number, period: PeriodKind): Counter {
  const stored = ledger.read(account)
  const counts = countsAt(stored, now, period)
  return {
    account,
    stored,
    counts,
    period,
    ...stableSpan(counts, period),
    reserved: 0,
    counted: 0,
    durable: 0,
    lost: false,
    fault: undefined,
  }
}

/** Advances the counts to `now`; within the span no calendar is needed. */
function advance(counter: Counter, now: number, period: PeriodKind): void {
  if (now >= counter.from && now < counter.until && period === counter.period) return
  counter.counts = countsAt(counter.counts, now, period)
  Object.assign(counter, stableSpan(counter.counts, period))
  counter.period = period
}

/** The balance of the period that the counter was last advanced for. */
function balanceOf({ counts, period }: Counter): Balance {
  const balance = counts[period]
  if (balance === undefined) throw new StoreError('quota_store_error', `the ${period} counter is missing`)
  return balance
}

/** An idle counter can be read again from the ledger. */
const isIdle = ({ reserved, counted, durable }: Counter): boolean => reserved === 0 && counted === durable

const notCounted = ({ account, fault }: Counter): StoreError =>
  new StoreError('quota_store_error', `the answer of ${account} could not be counted durably`, fault)
