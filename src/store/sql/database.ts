// The database behind the store: one SQLite file, or a PostgreSQL that several instances share. Statements are written once, with
// Kysely; where a statement must differ, `dialect` says which one it is.
import { type Kysely, Migrator, type Transaction } from 'kysely'
import { StoreError } from '../store.ts'
import { migrationsFor, NEWEST } from './migrations.ts'
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
  /** Whether opening it made it: it holds nothing yet. */
  readonly is_new: boolean
  /** Milliseconds since the last transaction that became durable; infinite when none did or the last one failed. */
  sinceWrite(): number
  close(): Promise<void>
}

/** The setting with the oldest schema version that can still use the tables. A contracting migration raises it. */
const USABLE_FROM = 'usable_from'

/**
 * Brings the tables to the version of this release, unless they have it, and returns whether there were none. Rejects with a
 * StoreError when a later release has changed them so that this one cannot use them, and when there are none but must be.
 */
export async function migrate(
  dialect: Dialect,
  { read, write, must_exist = false }: { read: Kysely<Schema>; write: Kysely<Schema>; must_exist?: boolean },
): Promise<boolean> {
  const migrations = await new Migrator({ db: read, provider: migrationsFor(dialect) }).getMigrations()
  const isNew = migrations.every(({ executedAt }) => executedAt === undefined)
  if (isNew && must_exist) throw new StoreError('store_missing', 'The store is empty.')
  if (!migrations.every(({ executedAt }) => executedAt !== undefined)) await runMigrations(dialect, write)
  const usable = read.selectFrom('settings').select('value').where('name', '=', USABLE_FROM)
  const { value = '' } = (await usable.executeTakeFirst()) ?? {}
  if (value > NEWEST)
    throw new StoreError('store_too_new', 'The store was changed by a later release. Run that release.')
  return isNew
}

async function runMigrations(dialect: Dialect, db: Kysely<Schema>): Promise<void> {
  const { error } = await new Migrator({ db, provider: migrationsFor(dialect) }).migrateToLatest()
  if (error === undefined) return
  const message = error instanceof Error ? error.message : String(error)
  throw new StoreError('store_unavailable', `cannot migrate the store: ${message}. It was rolled back.`, error)
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
