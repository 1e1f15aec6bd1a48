// The two ways libsql reaches a SQLite file: in place, for reads that take microseconds,
// and from its own threads, for commits that wait for the disk.
import Direct from 'libsql'
import Threaded from 'libsql/promise'

export type Value = string | number | null
export type Row = readonly unknown[]

export interface ReadStatement {
  /** The first row, as an array in the order of the columns. */
  get(...values: readonly Value[]): Row | undefined
  all(...values: readonly Value[]): readonly Row[]
}

export interface WriteStatement {
  run(...values: readonly Value[]): { readonly changes: number }
}

export interface Reader {
  prepare(sql: string): ReadStatement
  close(): void
}

/** `exec` leaves the event loop free; `run` only touches pages in memory until a COMMIT writes them. */
export interface WriteConnection {
  prepare(sql: string): Promise<WriteStatement>
  exec(sql: string): Promise<void>
  inTransaction(): boolean
  close(): void
}

/**
 * Milliseconds to wait for another process's transaction. A server must answer, and what it waits for is short;
 * a command has time, and may meet a server that commits without pause.
 */
export const busy_ms = { server: 2_000, command: 30_000 }

export function openReader(path: string): Reader {
  const database = new Direct(path, { timeout: busy_ms.server })
  database.exec('PRAGMA query_only = ON')
  return {
    prepare: sql => database.prepare(sql).raw() as ReadStatement,
    close: () => database.close(),
  }
}

/** Commits reach the disk before they are acknowledged (`synchronous = FULL`). `timeout` is one of `busy_ms`. */
export async function openWriteConnection(path: string, timeout: number): Promise<WriteConnection> {
  const database = new Threaded(path, { timeout })
  await database.exec('PRAGMA synchronous = FULL')
  return {
    prepare: sql => database.prepare(sql),
    exec: sql => database.exec(sql),
    inTransaction: () => Reflect.get(database, 'inTransaction') === true,
    close: () => database.close(),
  }
}

/** Holds a lock on a file of its own that ends with the process, however that ends. Throws when it is held. */
export function holdLock(path: string): { release(): void } {
  const lock = new Direct(path)
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  return { release: () => lock.close() }
}

/** Whether a lock held elsewhere caused this error. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^SQLITE_BUSY/)
}

/** Whether what the file holds caused this error, and not the way to it. */
export function isDamage(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(CORRUPT|NOTADB)/)
}

function hasCode(error: unknown, code: RegExp): boolean {
  return error instanceof Direct.SqliteError && code.test(error.code)
}
