// Exact quotas over several instances. Requests for an account that arrive while a query to Redis is pending share the
// next query. Each instance always reports the total it has reserved, so that no reservation can leak. While Redis is
// down an instance answers within what it last knew, and writes those answers to its journal.
import { setTimeout as pause } from 'node:timers/promises'
import { createTable } from '../../cache/cache.ts'
import {
  type Allowance,
  type Balance,
  balanceAt,
  hasRoom,
  isCounted,
  type PeriodKind,
  roomFor,
  startAt,
  type Usage,
  usageOf,
  usedIn,
} from '../quota_rule.ts'
import { createGrant, type Grant, type QuotaStore, type Refusal, refusal, StoreError } from '../store.ts'
import { extendRestoring } from './epoch.ts'
import type { Given, Journal } from './journal.ts'
import { RedisDown, RedisUnreached, type Run } from './link.ts'
import { type Balances, Restoring, type Settled, type Settlement, settle } from './quota_script.ts'

/** Answers that an instance may give an account while Redis is down, at most. */
export const insured_max = 100

/** Accounts that are restored at once: each is a command that must be answered in time. */
const together = 200

/** Greater than the number of every settlement: Redis is raised to the marks. */
const unacknowledged = Number.MAX_SAFE_INTEGER

/** Milliseconds between two questions about an account while Redis is restored, and how many there are: together less than a check may take. */
const wait_ms = 100
const waits_max = 50

export interface RedisQuotaOptions {
  readonly run: Run
  /** Identifies this process. */
  readonly instance: string
  readonly journal: Journal
  /** Names the data of Redis that this instance knows. */
  readonly epoch: () => string
  /** Called when Redis lost its data and nobody has noticed yet. */
  readonly emptied: () => void
  /** Instances that answer from this Redis. */
  readonly instances: () => number
  /** The share of a quota that all instances together may give beyond it while Redis is down. */
  readonly overshoot: number
  /** The wall clock, in milliseconds. */
  readonly now: () => number
  /** Called for a damaged counter, and for any other refusal of Redis to count. */
  readonly alarm: (message: string) => void
}

export interface RedisQuota extends QuotaStore {
  /** Reports the answers given without Redis; called when Redis is back. */
  resume(): void
  /** Restores what this instance knows in a Redis that lost its data; `epoch` names the new data. */
  restore(run: Run, epoch: string): Promise<void>
  /** Batches of given answers that Redis has not counted. */
  readonly owed: number
  /** Resolves when no query is pending. */
  drain(): Promise<void>
}

/**
 * `count`: a reserved answer is given. `charge`: one that is not reserved is there to be given. `grant`: one more is to be reserved.
 * `look`: how much is used.
 */
interface Ask {
  readonly kind: 'count' | 'charge' | 'grant' | 'look'
  readonly allowance: Allowance
  readonly resolve: (answer: Usage | Grant | Refusal) => void
  readonly reject: (fault: Error) => void
}

interface Account {
  readonly account: string
  /** Of the plan under which it was last asked for. */
  period: PeriodKind | null
  /** The last counts that Redis reported, and the number of the last settlement that it replied to. */
  marks: Balances
  acknowledged: number
  /** Answers reserved by this instance. */
  held: number
  readonly asks: Ask[]
  /** Waits in a row for a Redis that is being restored. */
  waits: number
  /** Given answers that Redis has not counted, oldest first. */
  readonly owed: Given[]
  /** Set while a query to Redis is pending. */
  settling: Promise<void> | null
}

export function accountTable() {
  const table = createTable<Account>('accounts', isIdle)
  return {
    find: (account: string): Account =>
      table.get(account) ??
      table.add(account, own => ({
        account: own,
        period: null,
        marks: {},
        acknowledged: 0,
        held: 0,
        asks: [],
        waits: 0,
        owed: [],
        settling: null,
      })),
    all: () => table.values(),
  }
}

/** All state of an idle account can be read from Redis again. */
const isIdle = ({ asks, owed, held, settling }: Account): boolean =>
  asks.length + owed.length + held === 0 && settling === null

interface Batch {
  readonly allowance: Allowance
  readonly counts: readonly Ask[]
  readonly charges: readonly Ask[]
  readonly grants: readonly Ask[]
  readonly looks: readonly Ask[]
}

/** Takes everything that waits under the same plan as the longest waiter: the plan of an account may just have changed. */
function takeBatch(account: Account, { allowance }: Ask): Batch {
  const isAlike = (ask: Ask) => ask.allowance.quota === allowance.quota && ask.allowance.period === allowance.period
  const taken = account.asks.filter(isAlike)
  const rest = account.asks.filter(ask => !isAlike(ask))
  account.asks.splice(0, account.asks.length, ...rest)
  const of = (kind: Ask['kind']) => taken.filter(ask => ask.kind === kind)
  return { allowance, counts: of('count'), charges: of('charge'), grants: of('grant'), looks: of('look') }
}

const asksOf = ({ counts, charges, grants, looks }: Batch): readonly Ask[] => [
  ...counts,
  ...charges,
  ...grants,
  ...looks,
]

/** Answers that were given without Redis and count in the current period. */
const owedIn = ({ owed }: Account, period: PeriodKind, balance: Balance): number =>
  owed.reduce((sum, { at, count }) => (isCounted(period, balance, at) ? sum + count : sum), 0)

export function createRedisQuota(options: RedisQuotaOptions): RedisQuota {
  const { run, instance, journal, epoch, emptied, instances, overshoot, now, alarm } = options
  const accounts = accountTable()
  for (const given of journal.left) accounts.find(given.account).owed.push(given)
  /** Batches in the journal that Redis has not counted, including those being written. */
  let owing = journal.left.length
  /** Numbers the settlements of this process, over all accounts. */
  let sequence = 0

  function kick(account: Account): void {
    account.settling ??= new Promise<void>(resolve => setImmediate(resolve))
      .then(() => settleAll(account))
      .finally(() => {
        account.settling = null
        if (account.asks.length > 0) kick(account)
      })
  }

  async function settleAll(account: Account): Promise<void> {
    for (let first = account.asks[0]; first !== undefined; first = account.asks[0]) await settleOnce(account, first)
    await reportOwed(account).catch((fault: unknown) => {
      if (!(fault instanceof RedisDown))
        alarm(`answers given to ${account.account} cannot be counted: ${String(fault)}`)
    })
  }

  /** Rejects unless Redis has counted every answer that was given without it. */
  async function reportOwed(account: Account): Promise<void> {
    for (let given = account.owed[0]; given !== undefined; given = account.owed[0]) {
      const report = forGiven(account, given)
      note(account, await settle(run, report))
      account.acknowledged = report.remembered ?? unacknowledged
      account.owed.shift()
      owing -= 1
      if (owing === 0) await journal.clear().catch(fault => alarm(String(fault)))
    }
  }

  async function settleOnce(account: Account, first: Ask): Promise<void> {
    const batch = takeBatch(account, first)
    let asked = question(account, batch)
    try {
      await reportOwed(account)
      // The report may have brought other counts.
      asked = { ...asked, ...standing(account) }
      const settled = await settle(run, asked)
      note(account, settled)
      account.acknowledged = asked.sequence
      answer(account, batch, settled)
      account.waits = 0
    } catch (fault) {
      if (fault instanceof Restoring && (await isDeferred(account, batch, fault))) return
      if (fault instanceof RedisDown) await insure(account, batch, asked, fault)
      else {
        alarm(`cannot count answers of ${account.account}: ${String(fault)}`)
        refuse(asksOf(batch), fault)
      }
    }
  }

  /**
   * Waits for a Redis that is being restored, because another instance may know of more answers: the batch is back in the queue when
   * this resolves with true. After `waits_max` times it is answered as in an outage.
   */
  async function isDeferred(account: Account, batch: Batch, { is_new }: Restoring): Promise<boolean> {
    if (is_new) emptied()
    if (account.waits >= waits_max) return false
    account.waits += 1
    account.asks.unshift(...asksOf(batch))
    await pause(wait_ms)
    return true
  }

  function question(account: Account, { counts, charges, grants, allowance }: Batch): Settlement {
    // The number after it is left for a report of the batch.
    sequence += 2
    const batch = { instance, sequence, count: counts.length, charge: charges.length, given_at: null }
    return { ...standing(account), ...allowance, ...batch, held: account.held, want: grants.length }
  }

  /**
   * A batch of an earlier process is reported under that process's name, with nothing reserved: the marks are not that process's. One
   * of an earlier release has left no number free for the report.
   */
  function forGiven(account: Account, { instance: giver, sequence, count, period, at }: Given): Settlement {
    const own = giver === instance ? { remembered: sequence + 1 } : { held: 0, acknowledged: sequence }
    const batch = { instance: giver, sequence, count, charge: 0, given_at: at }
    return { ...standing(account), held: account.held, ...own, ...batch, want: 0, period, quota: 0 }
  }

  const standing = ({ account, marks, acknowledged }: Account) => ({
    account,
    epoch: epoch(),
    now: now(),
    marks,
    acknowledged,
  })

  function answer(account: Account, { allowance, counts, charges, grants, looks }: Batch, settled: Settled): void {
    const { counted, granted, balance } = settled
    const used = usedIn(allowance.period, balance)
    const usage = (used: number) => usageOf(allowance, balance, used)
    // Those that were reserved are counted first.
    for (const [i, ask] of [...counts, ...charges].entries()) {
      if (i < counted) ask.resolve(usage(used - counted + i + 1))
      else if (ask.kind === 'charge') ask.resolve(refusal(usage(used)))
      else ask.reject(notCounted('the reservation was lost'))
    }
    for (const [i, ask] of grants.entries()) ask.resolve(i < granted ? grant(account, allowance) : refusal(usage(used)))
    for (const ask of looks) ask.resolve(usage(used))
  }

  /**
   * Redis is down. Reserved answers are given and written to the journal. More are given or reserved while that certainly stays
   * within the quota.
   */
  async function insure(account: Account, batch: Batch, asked: Settlement, fault: unknown): Promise<void> {
    const { allowance, counts, charges, grants, looks } = batch
    const { period } = allowance
    const mark = account.marks[period] ?? null
    const balance = balanceAt(period, mark, asked.now)
    const used = usedIn(period, balance)
    const insured = insuredOf(allowance, roomFor(allowance, used, 0), instances(), overshoot)
    const owed = () => owedIn(account, period, balance)
    const usage = (more = 0) => usageOf(allowance, balance, used + owed() + more)
    /** More answers that may be given beside `given`, which are not counted anywhere yet. */
    const room = (given: number): number => {
      if (mark === null) return 0
      const taken = owed() + given
      return Math.max(0, Math.min(insured - taken - account.held, roomFor(allowance, used + taken, account.held)))
    }
    const given = [...counts, ...charges.slice(0, room(counts.length))]
    const refused = charges.slice(given.length - counts.length)
    // Redis may have counted what is refused here, and learns that it was not given.
    const isUnsure = refused.length > 0 && !(fault instanceof RedisUnreached)
    if (given.length > 0 || isUnsure) await write(account, given, asked, usage)
    if (mark === null) return refuse([...refused, ...grants, ...looks], fault)
    const isUsedUp = () => !hasRoom(allowance, usage().used, account.held)
    for (const ask of looks) ask.resolve(usage())
    for (const ask of [...refused, ...grants]) {
      if (isUsedUp()) ask.resolve(refusal(usage()))
      else if (ask.kind === 'grant' && room(0) > 0) ask.resolve(grant(account, allowance))
      else ask.reject(notCounted(fault))
    }
  }

  async function write(
    account: Account,
    asks: readonly Ask[],
    { sequence, period, now, marks }: Settlement,
    usage: (more: number) => Usage,
  ): Promise<void> {
    const start = startAt(period, marks[period] ?? null, now)
    const at = Math.max(now, start)
    const given = { instance, sequence, account: account.account, period, start, count: asks.length, at }
    owing += 1
    try {
      await journal.add(given)
    } catch (fault) {
      owing -= 1
      return refuse(asks, fault)
    }
    const usages = asks.map((_, i) => usage(i + 1))
    account.owed.push(given)
    for (const [i, ask] of asks.entries()) ask.resolve(usages[i] as Usage)
  }

  function grant(account: Account, allowance: Allowance): Grant {
    account.held += 1
    return createGrant({
      async commit() {
        account.held -= 1
        return ask<Usage>(account, 'count', allowance)
      },
      release() {
        account.held -= 1
        return ask<Usage>(account, 'look', allowance).then(
          () => {},
          () => {},
        )
      },
    })
  }

  function ask<T>(account: Account, kind: Ask['kind'], allowance: Allowance): Promise<T> {
    account.period = allowance.period
    return new Promise<T>((resolve, reject) => {
      account.asks.push({ kind, allowance, resolve: resolve as Ask['resolve'], reject })
      kick(account)
    })
  }

  return {
    usage: (account, allowance) => ask<Usage>(accounts.find(account), 'look', allowance),
    reserve: (account: string, allowance: Allowance) =>
      ask<Grant | Refusal>(accounts.find(account), 'grant', allowance),
    charge: (account: string, allowance: Allowance) =>
      ask<Usage | Refusal>(accounts.find(account), 'charge', allowance),
    resume() {
      // The look gives Redis a number of this process after the reports of an earlier one. Otherwise the next request would raise Redis to
      // marks with refused answers that another instance has taken back since.
      for (const account of accounts.all()) {
        const [first] = account.owed
        if (first === undefined) continue
        const period = account.period ?? first.period
        ask(account, 'look', { quota: 0, period }).catch(() => {})
      }
    },
    async restore(run, epoch) {
      const known = [...accounts.all()].filter(({ marks, held }) => held > 0 || Object.keys(marks).length > 0)
      for (let from = 0; from < known.length; from += together) {
        await extendRestoring(run)
        await Promise.all(
          known.slice(from, from + together).map(async account => {
            const nothing = { sequence: 0, count: 0, charge: 0, given_at: null, want: 0, quota: 0 }
            const own = { instance, held: account.held, period: account.period ?? 'month' }
            try {
              note(account, await settle(run, { ...standing(account), ...nothing, ...own, epoch, restores: true }))
            } catch (fault) {
              if (fault instanceof RedisDown) throw fault
              // Concerns this account alone: without the others' counts, nothing would be counted at all.
              alarm(`the count of ${account.account} cannot be restored: ${String(fault)}`)
            }
          }),
        )
      }
    },
    get owed() {
      return owing
    },
    async drain() {
      for (const account of accounts.all()) await account.settling
    },
  }
}

/**
 * Answers that this instance may give while Redis is down. All instances may give what was left when Redis last replied, in
 * equal parts, and together no more than `overshoot` beyond the quota.
 */
export const insuredOf = ({ quota }: Allowance, left: number, instances: number, overshoot: number): number =>
  Math.min(insured_max, left, Math.floor(left / instances) + Math.floor((overshoot * quota) / instances))

function note(account: Account, { balances }: Settled): void {
  account.marks = { ...account.marks, ...balances }
}

function refuse(asks: readonly Ask[], fault: unknown): void {
  for (const ask of asks) ask.reject(notCounted(fault))
}

const notCounted = (cause: unknown) =>
  cause instanceof StoreError ? cause : new StoreError('quota_store_error', 'the quota cannot be accessed', cause)
