// The database behind the store: one SQLite file, or a PostgreSQL that several instances share. Statements are written once, with
// Kysely; where a statement must differ, `dialect` says which one it is.
import { type Kysely, Migrator, type Transaction } from 'kysely'
import { StoreError } from '../store.ts'
import { migrationsFor } from './migrations.ts'
import type { Schema } from './schema.ts'

export type Dialect = 'sqlite' | 'postgres'
export type Change = Transaction<Schema>

export interface Database {
  readonly dialect: Dialect
  /** For statements that only read. */
  readonly read: Kysely<Schema>
  /**
   * Runs `work` in a transaction of its own. Resolves with its value when it is durable; rejects when it was rolled back, or when
   * whether it was is not known. With SQLite one runs after the other, and reads of other connections go on meanwhile.
   */
  transaction<T>(work: (change: Change) => Promise<T>): Promise<T>
  /** Milliseconds since the last transaction that became durable; infinite when none did or the last one failed. */
  sinceWrite(): number
  close(): Promise<void>
}

/** Brings the tables to the version of this release. Rejects with a StoreError when a later release has changed them. */
export async function migrate(dialect: Dialect, db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: migrationsFor(dialect) })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('previously executed migration'))
    throw new StoreError('store_too_new', 'The store was written by a later release. Run that release.', error)
  throw new StoreError('store_unavailable', `cannot migrate the store: ${message}. It was rolled back.`, error)
}

/** Whether the tables have the version of this release. */
export async function isCurrent(dialect: Dialect, db: Kysely<Schema>): Promise<boolean> {
  const all = await new Migrator({ db, provider: migrationsFor(dialect) }).getMigrations()
  return all.every(({ executedAt }) => executedAt !== undefined)
}

/** Notes when transactions become durable, on a monotonic clock in milliseconds. */
export function noteWrites(monotonic: () => number) {
  let at = Number.NEGATIVE_INFINITY
  return {
    since: () => monotonic() - at,
    async noted<T>(writing: Promise<T>): Promise<T> {
      try {
        const value = await writing
        at = monotonic()
        return value
      } catch (error) {
        at = Number.NEGATIVE_INFINITY
        throw error
      }
    },
  }
}
