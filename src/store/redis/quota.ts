// Exact quotas over many instances. What arrives for an account while Redis is asked about it goes into the next question
// together, and each instance always says how much it has set aside in all, so that nothing can leak.
import { periodStart } from '../period.ts'
import { type Allowance, type Grant, type QuotaStore, type Refusal, StoreError, type Usage } from '../store.ts'
import {
  type Account,
  type Accounts,
  type Ask,
  accountTable,
  type Batch,
  describe,
  owedIn,
  takeBatch,
} from './accounts.ts'
import type { Given, Journal } from './journal.ts'
import { RedisDown, type Run } from './link.ts'
import { type Settled, type Settlement, settle } from './quota_script.ts'

/** Answers that each instance may give an account while Redis is out, if so many were left when it was last heard. */
export const insured_max = 100

export interface RedisQuotaOptions {
  readonly run: Run
  /** Of this process alone. */
  readonly instance: string
  readonly journal: Journal
  /** The wall clock, in milliseconds. */
  readonly now: () => number
  /** Told of a counter that holds no count, and of whatever else Redis says against a count. */
  readonly alarm: (message: string) => void
}

export interface RedisQuota extends QuotaStore {
  /** Tells Redis of what was given without it; called when it is back. */
  resume(): void
  /** Batches of given answers that Redis has not counted. */
  readonly owed: number
  /** Resolves when nothing is under way. */
  drain(): Promise<void>
}

export function createRedisQuota(options: RedisQuotaOptions): RedisQuota {
  const { run, instance, journal, now, alarm } = options
  const accounts: Accounts = accountTable(journal.left)

  function kick(account: Account): void {
    account.settling ??= new Promise<void>(resolve => setImmediate(resolve))
      .then(() => settleAll(account))
      .finally(() => {
        account.settling = null
        if (account.asks.length > 0) kick(account)
      })
  }

  async function settleAll(account: Account): Promise<void> {
    while (account.asks.length > 0) await settleOnce(account)
    await tellOwed(account).catch((fault: unknown) => {
      if (!(fault instanceof RedisDown))
        alarm(`given answers of ${account.account} cannot be counted: ${String(fault)}`)
    })
  }

  /** Rejects when Redis does not know of all that was given without it. */
  async function tellOwed(account: Account): Promise<void> {
    for (let given = account.owed[0]; given !== undefined; given = account.owed[0]) {
      note(account, await settle(run, account.key, forGiven(account, given)))
      account.owed.shift()
      accounts.owing -= 1
      if (accounts.owing === 0) await journal.clear().catch(fault => alarm(String(fault)))
    }
  }

  async function settleOnce(account: Account): Promise<void> {
    const batch = takeBatch(account)
    const asked = question(account, batch)
    try {
      await tellOwed(account)
      const settled = await settle(run, account.key, asked)
      note(account, settled)
      answer(account, batch, settled)
    } catch (fault) {
      if (fault instanceof RedisDown) await insure(account, batch, asked, fault)
      else {
        alarm(`the count of ${account.account}: ${String(fault)}`)
        refuse([...batch.counts, ...batch.grants, ...batch.looks], fault)
      }
    }
  }

  function question(account: Account, { counts, grants, quota }: Batch): Settlement {
    const { held, mark, period } = account
    const start = Math.max(periodStart(period, now()), mark?.start ?? 0)
    const count = counts.length
    const sequence = count > 0 ? accounts.nextSequence() : 0
    return { instance, sequence, count, given: false, held, want: grants.length, start, quota, mark }
  }

  /** An earlier process's batch is told in its name, with nothing set aside. */
  function forGiven(account: Account, { instance: giver, sequence, count, start }: Given): Settlement {
    const { mark } = account
    const held = giver === instance ? account.held : 0
    return { instance: giver, sequence, count, given: true, held, want: 0, start, quota: 0, mark }
  }

  function answer(account: Account, { quota, counts, grants, looks }: Batch, settled: Settled): void {
    const { used, counted, granted, start } = settled
    const usage = (used: number) => describe(account.period, quota, used, start)
    for (const [i, ask] of counts.entries()) {
      if (i < counted) ask.resolve(usage(used - counted + i + 1))
      else ask.reject(notCounted('what was set aside was lost'))
    }
    for (const [i, ask] of grants.entries()) ask.resolve(i < granted ? grant(account, quota) : refusal(usage(used)))
    for (const ask of looks) ask.resolve(usage(used))
  }

  /** Redis is out: what was set aside is given and written down; more is set aside while that is surely within the quota. */
  async function insure(account: Account, batch: Batch, asked: Settlement, fault: unknown): Promise<void> {
    const { quota, counts, grants, looks } = batch
    const { mark } = account
    const start = Math.max(asked.start, mark?.start ?? 0)
    const known = mark?.start === start ? mark.used : 0
    const usage = () => describe(account.period, quota, known + owedIn(account, start), start)
    if (counts.length > 0) await write(account, counts, { ...asked, start }, usage)
    if (mark === null) return refuse([...grants, ...looks], fault)
    for (const ask of looks) ask.resolve(usage())
    for (const ask of grants) {
      if (usage().used + account.held >= quota) ask.resolve(refusal(usage()))
      else if (owedIn(account, start) + account.held < insured_max) ask.resolve(grant(account, quota))
      else ask.reject(notCounted(fault))
    }
  }

  async function write(account: Account, counts: readonly Ask[], asked: Settlement, usage: () => Usage): Promise<void> {
    const { sequence, start } = asked
    const given = { instance, sequence, account: account.account, period: account.period, start, count: counts.length }
    accounts.owing += 1
    try {
      await journal.add(given)
    } catch (fault) {
      accounts.owing -= 1
      return refuse(counts, fault)
    }
    const { used, limit } = usage()
    account.owed.push(given)
    for (const [i, ask] of counts.entries()) ask.resolve(describe(account.period, limit, used + i + 1, start))
  }

  function grant(account: Account, quota: number): Grant {
    let open = true
    account.held += 1
    return {
      allowed: true,
      async commit() {
        if (!open) throw new StoreError('quota_store_error', 'a reservation was already settled')
        open = false
        account.held -= 1
        return ask<Usage>(account, 'count', quota)
      },
      release() {
        if (!open) return
        open = false
        account.held -= 1
        return ask<Usage>(account, 'look', quota).then(
          () => {},
          () => {},
        )
      },
    }
  }

  function ask<T>(account: Account, kind: Ask['kind'], quota: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      account.asks.push({ kind, quota, resolve: resolve as Ask['resolve'], reject })
      kick(account)
    })
  }

  return {
    usage: (account, { period, quota }) => ask<Usage>(accounts.find(account, period), 'look', quota),
    reserve: (account: string, { period, quota }: Allowance) =>
      ask<Grant | Refusal>(accounts.find(account, period), 'grant', quota),
    resume() {
      for (const account of accounts.all()) if (account.owed.length > 0) kick(account)
    },
    get owed() {
      return accounts.owing
    },
    async drain() {
      for (const account of accounts.all()) await account.settling
    },
  }
}

/** Remembers the most that was ever used in the latest period. */
function note(account: Account, { start, used }: Settled): void {
  const { mark } = account
  if (mark === null || start > mark.start || (start === mark.start && used > mark.used)) account.mark = { start, used }
}

const refusal = (usage: Usage): Refusal => ({ allowed: false, usage: { ...usage, remaining: 0 } })

function refuse(asks: readonly Ask[], fault: unknown): void {
  for (const ask of asks) ask.reject(notCounted(fault))
}

const notCounted = (cause: unknown) =>
  cause instanceof StoreError ? cause : new StoreError('quota_store_error', 'the quota cannot be reached', cause)
