// The part of the key store that a backend supplies: rows of keys, and the plan of each account.
import type { StoreEvent } from './backend.ts'
import type { Balance, Counts } from './quota_rule.ts'
import type { Key, MaybeAsync, PlanHolders } from './store.ts'
import type { DaySpan, StoredDay } from './usage_days.ts'

/** When a key was used, in milliseconds since the Unix epoch. */
export type Use = readonly [id: string, at: number]

export interface DaysOfAccount {
  readonly balance: Balance
  readonly archived: readonly StoredDay[]
}

/** All methods may throw or reject with a StoreError. Changes resolve when they are durable. */
export interface KeyRows {
  byHash(hash: string): MaybeAsync<Key | null>
  byId(id: string): MaybeAsync<Key | null>
  /** Oldest first. */
  all(): MaybeAsync<readonly Key[]>
  any(): MaybeAsync<boolean>
  /** The plan of an account; null when the account does not exist. */
  planOf(account: string): MaybeAsync<string | null>
  /** The stored counters of the accounts that have one; null for a damaged counter. */
  counts(accounts: readonly string[]): MaybeAsync<ReadonlyMap<string, Counts | null>>
  /** The stored counters with archived days of the span, of the same moment; otherwise as `counts`. */
  days(accounts: readonly string[], span: DaySpan): MaybeAsync<ReadonlyMap<string, DaysOfAccount | null>>
  /** Holders of plans that are not in `known`, by keys that are valid at `now`, in any order. Fast when there are none. */
  holders(known: readonly string[], now: number): MaybeAsync<readonly PlanHolders[]>
  /** Changes the plan of an account; resolves with the previous plan, or null when the account does not exist. */
  setPlan(account: string, plan: string): Promise<string | null>
  /** Creates the account with the key's plan when there is none; an existing account keeps its plan. */
  insert(hash: string, key: Key): Promise<void>
  /** Inserts the key if there is no key at all; resolves with whether it did. */
  insertFirst(hash: string, key: Key): Promise<boolean>
  /** Inserts the successor of `id` and sets the expiry of `id`: both or neither. */
  succeed(id: string, expires: Date, hash: string, key: Key): Promise<void>
  /** A key that is already revoked keeps its first date. */
  revoke(id: string, at: Date): Promise<void>
  /** Never moves the time of the last use back. */
  touch(uses: readonly Use[]): Promise<void>
}

/** A stored time. A damaged one becomes 1970, which can be displayed and which ends the key: damage must not undo a revocation. */
export function storedTime(value: unknown): Date {
  const time = new Date(Number(value))
  return Number.isNaN(time.getTime()) ? new Date(0) : time
}

/** In earlier releases each key had its own plan. This is the plan that a migration chose for an account. */
export interface PlanChosen {
  readonly account: string
  readonly plan: string
  /** The plans of its keys, sorted. */
  readonly of: readonly string[]
}

type PlannedKey = Pick<Key, 'id' | 'plan' | 'created' | 'expires' | 'revoked'>

/**
 * The plan of the newest key that is valid at `now`, or of the newest key if none is: accounts changed plans by getting a new
 * key. The greater id wins between keys of the same millisecond. `keys` are all keys of the account.
 */
export function planChosen(account: string, keys: readonly PlannedKey[], now: number): PlanChosen {
  const isValid = ({ revoked, expires }: PlannedKey) =>
    revoked === null && (expires === null || expires.getTime() > now)
  const [newest] = [...keys].sort(
    (a, b) =>
      Number(isValid(b)) - Number(isValid(a)) || b.created.getTime() - a.created.getTime() || (a.id < b.id ? 1 : -1),
  )
  return { account, plan: newest?.plan ?? '', of: [...new Set(keys.map(({ plan }) => plan))].sort() }
}

/** Accounts that are logged one by one; of any more only the number is logged. */
const logged_max = 100

/** Logs each choice, so that the operator can correct it. */
export const logChosenPlans =
  (event: StoreEvent) =>
  (chosen: readonly PlanChosen[]): void => {
    for (const one of chosen.slice(0, logged_max)) event('warn', { store: 'account-plan-chosen', ...one })
    const more = chosen.length - logged_max
    if (more > 0) event('warn', { store: 'account-plan-chosen', more })
  }
