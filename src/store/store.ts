// What the service stores: API keys and their accounts, and the errors of the store.
import type { Allowance, Usage } from '../config/quota_rule.ts'
import type { DayCount, DaySpan } from './usage_days.ts'

/** The result of a call that a local store answers at once and a remote store later. Callers await it. */
export type MaybeAsync<T> = T | Promise<T>

/** Reports an event to the operator: a slug and its details, without addresses. */
export type StoreEvent = (level: 'info' | 'warn' | 'error', event: Readonly<Record<string, unknown>>) => void

export type StoreErrorCode =
  /** A counter cannot be read, is damaged, or could not be made durable: answer 503, never "unlimited". */
  | 'quota_store_error'
  /** Keys cannot be read or written. */
  | 'key_store_error'
  /** Another process serves from this directory. */
  | 'store_in_use'
  /** The file is damaged or is not a store of this service. Nothing is guessed or overwritten. */
  | 'store_damaged'
  /** A later release wrote the store. */
  | 'store_too_new'
  /** There is no store, and the command does not make one. */
  | 'store_missing'
  /** The directory or file cannot be created or opened. */
  | 'store_unavailable'
  | 'account_not_found'
  /** A key was requested with another plan than its account has. */
  | 'plan_differs'
  | 'key_not_found'
  /** The key is revoked, expired or already rotated, so it cannot be rotated. */
  | 'key_not_active'

/** The only error of the store. `message` is for the operator and must not reach clients. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** An API key as it is stored: everything but its text. */
export interface Key {
  readonly id: string
  /** The account that the key draws its plan and quota from. Several keys may share an account. */
  readonly account: string
  /** The first characters of the text, enough for the holder to recognise the key. */
  readonly display: string
  /** The plan of the account. */
  readonly plan: string
  readonly label: string
  readonly created: Date
  /** May lag by a minute. */
  readonly last_used: Date | null
  readonly expires: Date | null
  readonly revoked: Date | null
}

/** A new account needs a plan; for an existing account the plan may only repeat what the account has. */
export type KeyOrder = {
  readonly label: string
  readonly expires?: Date | null | undefined
} & (
  | { readonly plan: string; readonly account?: undefined }
  | { readonly plan?: string | undefined; readonly account: string }
)

/** How many valid keys, and how many accounts of such keys, use a plan. */
export interface PlanHolders {
  readonly plan: string
  readonly accounts: number
  readonly keys: number
}

export interface PlanChange {
  readonly account: string
  readonly plan: string
  readonly before: string
}

/** `text` is shown once and is not stored. */
export interface IssuedKey {
  readonly key: Key
  readonly text: string
}

/** All methods may reject with a StoreError. A change by another process is visible within two seconds. */
export interface KeyStore {
  create(order: KeyOrder): Promise<IssuedKey>
  /** Changes the plan of an account and all its keys. Answers used in the current period stay used. */
  changePlan(account: string, plan: string): Promise<PlanChange>
  /** Plans of valid keys that are not in `planNames`, sorted by name. */
  unknownPlans(planNames: readonly string[]): Promise<readonly PlanHolders[]>
  /** The durable usage of each account under its allowance; null for a damaged counter. */
  usages(allowances: ReadonlyMap<string, Allowance>): Promise<ReadonlyMap<string, Usage | null>>
  /** The durable answers of each account by day, as far as days are kept; null for a damaged counter. */
  usageByDay(accounts: readonly string[], span: DaySpan): Promise<ReadonlyMap<string, readonly DayCount[] | null>>
  /** The key with this hash (see `parseKey`); null when it is unknown, expired or revoked. */
  find(hash: string): MaybeAsync<Key | null>
  /** The key with this ID, or else another valid one of the account; null when the account has none. */
  holder(account: string, id: string): Promise<Key | null>
  /** All keys, oldest first, including those that are no longer active. */
  list(): Promise<readonly Key[]>
  /** The keys of an account, the oldest first, also those that expired or were revoked. */
  ofAccount(account: string): Promise<readonly Key[]>
  /** Creates a key if none was ever created; otherwise null, also when another process was faster. */
  createFirst(order: { readonly plan: string; readonly label: string }): Promise<IssuedKey | null>
  /** Creates a key with the same account, plan, label and expiry; the old key ends after the grace period. */
  rotate(id: string): Promise<IssuedKey>
  /** Ends a key now. Revoking it again changes nothing. */
  revoke(id: string): Promise<Key>
  /** Notes that a key was used. The time is written later, in batches. */
  touch(id: string): void
}

export interface Refusal {
  readonly allowed: false
  readonly usage: Usage
}

/** A refusal shows nothing left, whatever the count says. */
export const refusal = (usage: Usage): Refusal => ({ allowed: false, usage: { ...usage, remaining: 0 } })
