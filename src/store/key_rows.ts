// Where keys are kept: the part of the key store that a backend supplies.
import type { Key, MaybeAsync } from './store.ts'

/** When a key was used, in milliseconds since the Unix epoch. */
export type Use = readonly [id: string, at: number]

/** All may throw or reject with a StoreError; changes resolve when they are durable. */
export interface KeyRows {
  byHash(hash: string): MaybeAsync<Key | null>
  byId(id: string): MaybeAsync<Key | null>
  /** Oldest first. */
  all(): MaybeAsync<readonly Key[]>
  any(): MaybeAsync<boolean>
  hasAccount(account: string): MaybeAsync<boolean>
  insert(hash: string, key: Key): Promise<void>
  /** Inserts unless there is any key yet; whether it did. */
  insertFirst(hash: string, key: Key): Promise<boolean>
  /** Inserts the successor of `id` and sets when `id` expires: both or neither. */
  succeed(id: string, expires: Date, hash: string, key: Key): Promise<void>
  /** A key revoked before keeps its first date. */
  revoke(id: string, at: Date): Promise<void>
  /** Never sets a use back. */
  touch(uses: readonly Use[]): Promise<void>
}

/**
 * A stored time. What is none becomes the first of all times: it can be shown, and it ends the key it is said to end, for a
 * garbled row must not outlive its revocation.
 */
export function storedTime(value: unknown): Date {
  const time = new Date(Number(value))
  return Number.isNaN(time.getTime()) ? new Date(0) : time
}
