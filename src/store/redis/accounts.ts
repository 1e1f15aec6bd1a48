// The accounts whose quota this instance has dealt with lately: what it knows of each, and what waits to be asked.
import { periodEnd } from '../period.ts'
import type { Grant, PeriodKind, Refusal, Usage } from '../store.ts'
import type { Given } from './journal.ts'
import { redisKey } from './names.ts'

/** Accounts held in memory: about 500 octets each. */
const accounts_max = 50_000

/** `count`: an answer set aside is given. `grant`: one more is to be set aside. `look`: how much is used. */
export interface Ask {
  readonly kind: 'count' | 'grant' | 'look'
  readonly quota: number
  readonly resolve: (answer: Usage | Grant | Refusal) => void
  readonly reject: (fault: Error) => void
}

export interface Account {
  readonly account: string
  readonly period: PeriodKind
  /** Of the counter in Redis. */
  readonly key: string
  /** The most that Redis ever said is used, in the latest period it spoke of. */
  mark: { readonly start: number; readonly used: number } | null
  /** Answers set aside here. */
  held: number
  readonly asks: Ask[]
  /** Given answers of which Redis does not know, oldest first. */
  readonly owed: Given[]
  /** While Redis is being asked. */
  settling: Promise<void> | null
}

export interface Accounts {
  find(account: string, period: PeriodKind): Account
  all(): Iterable<Account>
  /** Batches in the journal that Redis has not counted, those being written included. */
  owing: number
  /** Numbers the batches of this process, of whatever account. */
  nextSequence(): number
}

export function accountTable(left: readonly Given[]): Accounts {
  const table = new Map<string, Account>()

  function find(account: string, period: PeriodKind): Account {
    const key = redisKey(`quota-${period}`, account)
    const known = table.get(key)
    if (known !== undefined) return known
    if (table.size >= accounts_max) forgetIdle(table)
    const fresh = {
      account,
      period,
      key,
      mark: null,
      held: 0,
      asks: [],
      owed: [],
      settling: null,
    }
    table.set(key, fresh)
    return fresh
  }

  for (const given of left) find(given.account, given.period).owed.push(given)
  let sequence = 0
  return { find, all: () => table.values(), owing: left.length, nextSequence: () => ++sequence }
}

/** Makes room: what Redis knows too can be asked again. */
function forgetIdle(table: Map<string, Account>): void {
  for (const [key, { asks, owed, held, settling }] of table) {
    if (asks.length + owed.length + held === 0 && settling === null) table.delete(key)
  }
}

export interface Batch {
  readonly quota: number
  readonly counts: readonly Ask[]
  readonly grants: readonly Ask[]
  readonly looks: readonly Ask[]
}

/** All that waits under the quota of whoever waits longest: keys of one account may have several plans. */
export function takeBatch(account: Account): Batch {
  const quota = account.asks[0]?.quota ?? 0
  const taken = account.asks.filter(ask => ask.quota === quota)
  const rest = account.asks.filter(ask => ask.quota !== quota)
  account.asks.splice(0, account.asks.length, ...rest)
  const of = (kind: Ask['kind']) => taken.filter(ask => ask.kind === kind)
  return { quota, counts: of('count'), grants: of('grant'), looks: of('look') }
}

/** Answers of a period that were given without Redis. */
export const owedIn = ({ owed }: Account, start: number): number =>
  owed.reduce((sum, given) => (given.start === start ? sum + given.count : sum), 0)

export const describe = (period: PeriodKind, limit: number, used: number, start: number): Usage => ({
  limit,
  used,
  remaining: Math.max(0, limit - used),
  reset: periodEnd(period, start) / 1000,
})
