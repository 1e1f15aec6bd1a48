// Quotas over any number of processes: an answer is counted in the database before it is sent. All answers that wait when a
// transaction begins are counted in it (group commit), and it grants the part of them that fits.
import { sql } from 'kysely'
import { createTable } from '../../base/cache/cache.ts'
import { withTimeout } from '../../base/timeout.ts'
import {
  type Allowance,
  type Counts,
  countMore,
  countsAt,
  hasRoom,
  type PeriodKind,
  stableSpan,
  type Usage,
  type Use,
  usageOf,
  useOf,
} from '../../config/quota_rule.ts'
import { type Refusal, refusal, StoreError } from '../store.ts'
import { daysLeaving } from '../usage_days.ts'
import type { Change, Database } from './database.ts'
import { EMPTY } from './locked_rows.ts'
import { createTicks } from './ticks.ts'
import { archiveDays, createUsageRows, type Leaving, toCounts } from './usage.ts'

/** Writes the counted row, in the transaction that counts it; false if the row existed already, and then nothing is counted. */
export type Recording = (change: Change) => Promise<boolean>

export interface Quota {
  /** The stored usage. Rejects with a StoreError when it cannot be read or is damaged. */
  usage(account: string, allowance: Allowance): Promise<Usage>
  /**
   * A refusal if nothing is left by the last known use, so that no work is done for an answer that cannot be counted. Reads
   * nothing: null may be refused by `charge`. Throws a StoreError while the database takes too long to count.
   */
  refusal(account: string, allowance: Allowance): Refusal | null
  /**
   * Counts one answer; resolves when the count is durable. Rejects with a StoreError when the answer must not be sent: it may have
   * been counted, and is never counted again.
   */
  charge(account: string, allowance: Allowance, record?: undefined, price?: number): Promise<Usage | Refusal>
  /**
   * As above; null when `record` resolved with false. If `record` rejects, so does this, and nothing is counted. `price`: how many
   * answers it counts as.
   */
  charge(
    account: string,
    allowance: Allowance,
    record: Recording | undefined,
    price?: number,
  ): Promise<Usage | Refusal | null>
  /** Resolves when nothing waits to be counted. */
  drain(): Promise<void>
}

/** Milliseconds that a transaction may take before its requests are refused. */
const WRITE_MS = 5_000

/** Milliseconds that the last known use refuses: a counter may be lower afterwards, as when a backup was restored. */
const KNOWN_MS = 60_000

/** Counts that are carried to the period and the time that were last asked for, and what follows from them. */
interface Carried extends Use {
  counts: Counts
  /** While `from <= now < until`, all of it holds for plans of this period. */
  readonly period: PeriodKind
  readonly from: number
  readonly until: number
  used: number
}

interface Counter extends Carried {
  /** What is stored. */
  readonly text: string
  readonly stored: Counts | null
  /** When it was read or written here, on a monotonic clock. */
  readonly seen: number
}

interface Charge {
  readonly account: string
  readonly allowance: Allowance
  readonly record: Recording | undefined
  readonly price: number
  readonly resolve: (answer: Usage | Refusal | null) => void
  readonly reject: (fault: unknown) => void
  answer: Usage | Refusal | null
  fault: unknown
}

/** `now` is the wall clock in milliseconds. */
export function createQuota(database: Database, now: () => number): Quota {
  const counting = new GroupCommit(database, now)
  return {
    usage: (account, allowance) => counting.usage(account, allowance),
    refusal: (account, allowance) => counting.refusal(account, allowance),
    charge: ((account, allowance, record, price) =>
      counting.charge(account, allowance, record, price)) as Quota['charge'],
    drain: () => counting.drain(),
  }
}

class GroupCommit {
  readonly #database: Database
  readonly #now: () => number
  readonly #rows: ReturnType<typeof createUsageRows>
  readonly #counters = createTable<Counter>('counters', () => true)
  readonly #ticks: ReturnType<typeof createTicks<Charge>>
  #isOverdue = false

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
    this.#rows = createUsageRows(database)
    this.#ticks = createTicks<Charge>(take => this.#commit(take), database.dialect === 'sqlite')
  }

  async usage(account: string, allowance: Allowance): Promise<Usage> {
    const time = this.#now()
    try {
      const texts = await this.#rows.read([account])
      const counter = counterOf(texts.get(account) ?? EMPTY, allowance.period, time)
      if (texts.has(account)) this.#keep(account, counter)
      return usageOf(allowance.quota, counter)
    } catch (cause) {
      throw cause instanceof StoreError ? cause : unreadable(cause)
    }
  }

  refusal(account: string, allowance: Allowance): Refusal | null {
    if (this.#isOverdue) throw late()
    const counter = this.#counters.get(account)
    if (counter === undefined) return null
    advance(counter, allowance.period, this.#now())
    if (hasRoom(allowance, counter.used) || performance.now() - counter.seen > KNOWN_MS) return null
    return refusal(usageOf(allowance.quota, counter))
  }

  charge(
    account: string,
    allowance: Allowance,
    record: Recording | undefined,
    price = 1,
  ): Promise<Usage | Refusal | null> {
    return new Promise((resolve, reject) => {
      if (this.#isOverdue) reject(late())
      else this.#ticks.add({ account, allowance, record, price, resolve, reject, answer: null, fault: undefined })
    })
  }

  drain(): Promise<void> {
    return this.#ticks.drain()
  }

  /** Counts all charges that wait when the transaction begins, and answers them. */
  async #commit(take: () => readonly Charge[]): Promise<void> {
    let charges: readonly Charge[] = []
    const counting = this.#database.transaction(change => {
      charges = take()
      return this.#count(change, charges)
    })
    try {
      const counters = await withTimeout(counting, WRITE_MS, () => {
        this.#isOverdue = true
        throw late()
      })
      for (const [account, counter] of counters) this.#keep(account, counter)
      for (const { answer, fault, resolve, reject } of charges) fault === undefined ? resolve(answer) : reject(fault)
    } catch (cause) {
      // Without a transaction, or while one is late, waiting answers are refused as well.
      this.#refuse(this.#isOverdue || charges.length === 0 ? [...charges, ...take()] : charges, notCounted(cause))
    }
    await counting.catch(() => {})
    this.#isOverdue = false
  }

  #refuse(charges: readonly Charge[], fault: StoreError): void {
    for (const { account, reject } of charges) {
      this.#counters.delete(account)
      reject(fault)
    }
  }

  /** Decides all charges; resolves with the counters of their accounts. */
  async #count(change: Change, charges: readonly Charge[]): Promise<ReadonlyMap<string, Counter>> {
    const byAccount = chargesByAccount(charges)
    // The order in which rows are locked.
    const accounts = [...byAccount.keys()].sort()
    const unknownAccounts = accounts.filter(account => this.#counters.get(account) === undefined)
    const texts = await this.#rows.lock(change, accounts, unknownAccounts)
    const time = this.#now()
    const counters = new Map<string, Counter>()
    const counterTexts = new Map<string, string>()
    const leaving: Leaving[] = []
    for (const [account, own] of byAccount) {
      const { period } = own[0].allowance
      const counter = unlessDamaged(own, () => this.#counterAt(account, texts.get(account), period, time))
      if (counter === null) continue
      counters.set(account, counter)
      const counts = await decide(change, counter, own, time)
      if (counts === null) continue
      const text = JSON.stringify(counts)
      counters.set(account, { ...counter, text, stored: counts })
      counterTexts.set(account, text)
      leaving.push({ account, days: daysLeaving(counter.stored, counts), current: counts.day[0] ?? 0 })
    }
    await this.#rows.write(change, counterTexts)
    await archiveDays(this.#database, change, leaving)
    return counters
  }

  /** A counter of its own, because the known one is advanced by others meanwhile. */
  #counterAt(account: string, text: string | undefined, period: PeriodKind, time: number): Counter {
    if (text === undefined) {
      // As after a failover to a replica that lacks it. The next transaction creates it again.
      this.#counters.delete(account)
      throw new StoreError('quota_store_error', `the counter of ${account} was removed`)
    }
    const last = this.#counters.get(account)
    if (last?.text !== text) return counterOf(text, period, time)
    const counter = { ...last, seen: performance.now() }
    advance(counter, period, time)
    return counter
  }

  #keep(account: string, counter: Counter): void {
    const last = this.#counters.get(account)
    if (last === undefined) this.#counters.add(account, () => counter)
    else Object.assign(last, counter)
  }
}

function chargesByAccount(charges: readonly Charge[]): ReadonlyMap<string, readonly [Charge, ...Charge[]]> {
  const byAccount = new Map<string, [Charge, ...Charge[]]>()
  for (const charge of charges) {
    const others = byAccount.get(charge.account)
    if (others === undefined) byAccount.set(charge.account, [charge])
    else others.push(charge)
  }
  return byAccount
}

/** A damaged counter fails its own charges alone. */
function unlessDamaged(charges: readonly Charge[], read: () => Counter): Counter | null {
  try {
    return read()
  } catch (fault) {
    for (const charge of charges) charge.fault = fault
    return null
  }
}

/** Throws a StoreError for damaged counts. */
function counterOf(text: string, period: PeriodKind, time: number): Counter {
  const stored = toCounts(text)
  return { text, stored, seen: performance.now(), ...carried(stored, period, time) }
}

function carried(from: Counts | null, period: PeriodKind, time: number): Carried {
  const counts = countsAt(from, time, period)
  return { counts, period, ...stableSpan(counts, period), ...useOf(counts, period) }
}

/** Within the span no calendar is needed. */
function advance(counter: Counter, period: PeriodKind, time: number): void {
  if (time >= counter.from && time < counter.until && period === counter.period) return
  Object.assign(counter, carried(counter.counts, period, time))
}

/** Grants in the order of arrival what fits. Resolves with the counts to store; null when nothing is granted. */
async function decide(
  change: Change,
  counter: Counter,
  charges: readonly Charge[],
  time: number,
): Promise<Counts | null> {
  let [granted, isChanged] = [0, false]
  for (const charge of charges) {
    const { allowance, record, price } = charge
    if (allowance.period !== counter.period) {
      counter.counts = countMore(counter.counts, counter.period, granted)
      granted = 0
      advance(counter, allowance.period, time)
    }
    if (!hasRoom(allowance, counter.used, price)) charge.answer = refusal(usageOf(allowance.quota, counter))
    else if (record === undefined || (await isRecorded(change, charge, record))) {
      counter.used += price
      granted += price
      isChanged = true
      charge.answer = usageOf(allowance.quota, counter)
    }
  }
  if (!isChanged) return null
  counter.counts = countMore(counter.counts, counter.period, granted)
  return counter.counts
}

/** What a record wrote before it failed is undone, and the rest of the transaction goes on. */
async function isRecorded(change: Change, charge: Charge, record: Recording): Promise<boolean> {
  await sql`SAVEPOINT record`.execute(change)
  try {
    const isNew = await record(change)
    await sql`RELEASE SAVEPOINT record`.execute(change)
    return isNew
  } catch (fault) {
    await sql`ROLLBACK TO SAVEPOINT record`.execute(change)
    await sql`RELEASE SAVEPOINT record`.execute(change)
    charge.fault = fault
    return false
  }
}

const late = () => new StoreError('quota_store_error', 'the database takes too long to count answers')

const unreadable = (cause: unknown) =>
  new StoreError('quota_store_error', `the quota counters cannot be read: ${String(cause)}`, cause)

const notCounted = (cause: unknown) =>
  cause instanceof StoreError
    ? cause
    : new StoreError('quota_store_error', `the answers cannot be counted durably: ${String(cause)}`, cause)
