// What the service keeps: API keys and quota counters. Backends (embedded file, Redis) stand behind these types.

/** A call that a local backend answers at once and a remote one later. Callers await it. */
export type MaybeAsync<T> = T | Promise<T>

export type StoreErrorCode =
  /** A counter cannot be read, is not a count, or could not be made durable: answer 503, never unlimited. */
  | 'quota_store_error'
  /** Keys cannot be read or written. */
  | 'key_store_error'
  /** Another process serves from this directory. */
  | 'store_in_use'
  /** The file is not a sound store of ours: nothing is guessed or overwritten. */
  | 'store_damaged'
  /** Written by a later version. */
  | 'store_too_new'
  /** The directory or file cannot be created or opened. */
  | 'store_unavailable'
  | 'account_not_found'
  | 'key_not_found'
  /** Revoked, expired or rotated before: there is nothing to rotate. */
  | 'key_not_active'

/** The one error of the store; `message` is for the operator, never for the client. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** An API key as the store knows it: everything but its text. */
export interface Key {
  readonly id: string
  /** Whose quota it draws on; keys may share an account. */
  readonly account: string
  /** The first characters of the text, enough for its holder to recognise it. */
  readonly display: string
  readonly plan: string
  readonly label: string
  readonly created: Date
  /** May lag by a minute. */
  readonly last_used: Date | null
  readonly expires: Date | null
  readonly revoked: Date | null
}

export interface KeyOrder {
  readonly plan: string
  readonly label: string
  /** An existing account; a new one when absent. */
  readonly account?: string | undefined
  readonly expires?: Date | null
}

/** `text` is shown once and is not kept. */
export interface IssuedKey {
  readonly key: Key
  readonly text: string
}

/** All may reject with a StoreError. A change made by another process is seen within two seconds. */
export interface KeyStore {
  create(order: KeyOrder): Promise<IssuedKey>
  /** The key with this hash (see `parseKey`), or null when it is unknown, expired or revoked. */
  find(hash: string): MaybeAsync<Key | null>
  /** Oldest first, also those no longer active. */
  list(): Promise<readonly Key[]>
  /** Makes a key if none was ever made; null otherwise, also when another process was faster. */
  createFirst(order: Pick<KeyOrder, 'plan' | 'label'>): Promise<IssuedKey | null>
  /** A new key of the same account, plan, label and expiry; the old one ends after the grace period. */
  rotate(id: string): Promise<IssuedKey>
  /** Ends a key now; ending it twice changes nothing. */
  revoke(id: string): Promise<Key>
  /** Notes a use; written later, in batches. */
  touch(id: string): void
}

export type PeriodKind = 'month' | 'day'

/** What a plan allows: so many answers in a calendar period (UTC). */
export interface Allowance {
  readonly quota: number
  readonly period: PeriodKind
}

export interface Usage {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** Unix seconds: the first of the next period. */
  readonly reset: number
}

/** One answer set aside. It ends in exactly one of the two; what comes after the first has no effect. */
export interface Grant {
  readonly allowed: true
  /** Counts it. Resolves when the count is durable, with the usage that includes it; a StoreError: do not answer. */
  commit(): Promise<Usage>
  /** The request ended in an error: nothing is counted, and another instance may have the place when this resolves. */
  release(): MaybeAsync<void>
}

export interface Refusal {
  readonly allowed: false
  readonly usage: Usage
}

/** Counters of answers by account and kind of period. All may throw or reject with a StoreError. */
export interface QuotaStore {
  /** The present state; counts nothing. */
  usage(account: string, allowance: Allowance): MaybeAsync<Usage>
  /** Sets one answer aside before the work starts, so that with N left exactly N of any number at once go on. */
  reserve(account: string, allowance: Allowance): MaybeAsync<Grant | Refusal>
}

export interface Store {
  readonly keys: KeyStore
  readonly quota: QuotaStore
  /** Writes what is pending, then lets go of the files. */
  close(): Promise<void>
}
