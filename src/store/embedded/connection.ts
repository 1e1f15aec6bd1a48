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

/**
 * `begin` and `run` only take a lock and touch pages in memory, so they run in place: a thread would cost more than
 * they do. `exec` is for what waits for the disk, and leaves the event loop free.
 */
export interface WriteConnection {
  prepare(sql: string): Promise<WriteStatement>
  /** Begins a transaction; false, at once, when another process is in one. */
  begin(): boolean
  exec(sql: string): Promise<void>
  inTransaction(): boolean
  close(): void
}

/** Milliseconds that a read waits for a file that another process is recovering. */
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
  const database = new Threaded(path, { timeout: 0 })
  await database.exec('PRAGMA synchronous = FULL')
  const begin = await database.prepare('BEGIN IMMEDIATE')
  let open = true
  return {
    prepare: sql => database.prepare(sql),
    begin() {
      if (!open) throw new Error('the connection is closed')
      return unlessBusy(() => begin.run())
    },
    exec: sql => database.exec(sql),
    // Asked of a closed database, libsql ends the process.
    inTransaction: () => open && Reflect.get(database, 'inTransaction') === true,
    close() {
      open = false
      database.close()
    },
  }
}

/** Whether it could be done without waiting for a lock held elsewhere. */
function unlessBusy(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
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

/** Whether what the file holds caused this error, and not the way to it: `SQLITE_ERROR` is a table that is not there. */
export function isDamage(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(CORRUPT|NOTADB|ERROR)/)
}

function hasCode(error: unknown, code: RegExp): boolean {
  return error instanceof Direct.SqliteError && code.test(error.code)
}
