// Access to the SQLite file through libsql: in place for reads, which take microseconds, and on libsql's threads for commits,
// which wait for the disk. One writer runs one transaction after the other.
import { setTimeout as sleep } from 'node:timers/promises'
import Direct from 'libsql'
import Threaded from 'libsql/promise'

export type Value = string | number | Uint8Array | null
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

/**
 * `begin` and `run` take a lock and change pages in memory, so they run in place: a thread would cost more. `exec` is for work
 * that waits for the disk, and does not block the event loop.
 */
export interface WriteConnection {
  prepare(sql: string): Promise<WriteStatement>
  /** Starts a transaction; returns false at once when another process has one. */
  begin(): boolean
  exec(sql: string): Promise<void>
  inTransaction(): boolean
  close(): void
}

/** Columns of text, read as bytes: the library ends the process on text that is not UTF-8, as in a damaged file. */
export const asBytes = (...columns: string[]): string => columns.map(column => `CAST(${column} AS BLOB)`).join(', ')

/** Milliseconds that opening and reading wait while another connection recovers the file or closes it last. */
const recovery_ms = 2_000

export function openReader(path: string): Reader {
  const database = new Direct(path, { timeout: recovery_ms })
  database.exec('PRAGMA query_only = ON')
  return {
    prepare: sql => database.prepare(sql).raw() as ReadStatement,
    close: () => database.close(),
  }
}

/** Commits reach the disk before they are acknowledged (`synchronous = FULL`). */
export async function openWriteConnection(path: string): Promise<WriteConnection> {
  const database = new Threaded(path, { timeout: recovery_ms })
  // Reads the file, and may wait; what follows runs in place and must not.
  await database.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0')
  const begin = await database.prepare('BEGIN IMMEDIATE')
  let open = true
  return {
    prepare: sql => database.prepare(sql),
    begin() {
      if (!open) throw new Error('the connection is closed')
      return unlessBusy(() => begin.run())
    },
    exec: sql => database.exec(sql),
    // On a closed database this property makes libsql end the process.
    inTransaction: () => open && Reflect.get(database, 'inTransaction') === true,
    close() {
      open = false
      database.close()
    },
  }
}

/** Whether it succeeded without waiting for a lock of another process. */
function unlessBusy(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** The locks of this process: a connection that is garbage-collected would release its lock. */
const held = new Set<Direct.Database>()

/** Locks a file until released or the process ends, however it ends. Throws when another process has the lock. */
export function holdLock(path: string): { release(): void } {
  const lock = new Direct(path)
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  held.add(lock)
  return {
    release() {
      held.delete(lock)
      lock.close()
    },
  }
}

/** Whether a lock of another process caused this error. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^SQLITE_BUSY/)
}

/** Whether the content of the file caused this error; `SQLITE_ERROR` means that a table is missing. */
export function isDamage(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(CORRUPT|NOTADB|ERROR)/)
}

function hasCode(error: unknown, code: RegExp): boolean {
  return error instanceof Direct.SqliteError && code.test(error.code)
}

export interface Writer {
  /** Runs `work` in a transaction; resolves with its value when it is durable, rejects when it was rolled back. */
  transaction<T>(work: () => T): Promise<T>
  close(): Promise<void>
}

/**
 * Milliseconds to wait for another process's transaction. A server must respond, and waits only for short transactions; a
 * command has time, and may compete with a server that commits without pause.
 */
export const patience_ms = { server: 2_000, command: 30_000 }

/** Milliseconds between attempts. A transaction takes one or two. */
const look_ms = 1

/** `patience` is one of `patience_ms`. */
export function createWriter(connection: WriteConnection, patience: number): Writer {
  let last: Promise<unknown> = Promise.resolve()

  function transaction<T>(work: () => T): Promise<T> {
    const result = last.then(() => transact(work))
    last = result.catch(() => {})
    return result
  }

  async function transact<T>(work: () => T): Promise<T> {
    await begin()
    try {
      const value = work()
      await connection.exec('COMMIT')
      return value
    } catch (error) {
      // A full disk may have rolled it back already.
      if (connection.inTransaction()) await connection.exec('ROLLBACK')
      throw error
    }
  }

  async function begin(): Promise<void> {
    const end = performance.now() + patience
    while (!connection.begin()) {
      if (performance.now() >= end) throw new Error('another process did not end its transaction in time')
      await sleep(look_ms)
    }
  }

  return {
    transaction,
    async close() {
      await last
      connection.close()
    },
  }
}

/** Whether another process holds the lock of this file. Waits for nothing; the file must exist. */
export function isLocked(path: string): boolean {
  const database = new Direct(path, { timeout: 0 })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    database.close()
  }
}
