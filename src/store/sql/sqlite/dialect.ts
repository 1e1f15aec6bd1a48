// Kysely on libsql. Statements run in place, where they take microseconds; a commit waits for the disk on a thread of libsql's.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import Direct from 'libsql'
import Threaded from 'libsql/promise'

/** Milliseconds that opening and reading wait while another connection recovers the file or closes it last. */
const RECOVERY_MS = 2_000
/** Milliseconds between two attempts to begin a transaction while another process has one, which takes one or two. */
const LOOK_MS = 1
/** Prepared statements that a connection keeps: some hundred, and one for each number of facts that are written at once. */
const STATEMENTS = 512

/** What both kinds of connection of libsql prepare. */
interface Statement {
  readonly reader: boolean
  /** In place, also on the writing connection. */
  get(...parameters: readonly unknown[]): object | undefined
  /** The writing connection reads on a thread. */
  all(...parameters: readonly unknown[]): readonly object[] | Promise<readonly object[]>
  run(...parameters: readonly unknown[]): { readonly changes: number }
}

class SqliteAdapterWithDdl extends SqliteAdapter {
  /** Kysely assumes that other drivers may not; SQLite rolls changes of tables back like others. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Statements limited to one row are read in this thread: this costs a fifth of a thread or another connection. */
const ONE_ROW = / LIMIT 1$/

const one = (row: object | undefined): readonly object[] => (row === undefined ? [] : [row])

abstract class LibsqlDriver implements Driver {
  protected abstract prepare(text: string): Statement | Promise<Statement>
  readonly #statements = new Map<string, Statement>()
  readonly #connection: DatabaseConnection = {
    executeQuery: query => this.execute(query),
    // biome-ignore lint/correctness/useYield: results are never streamed from a file.
    async *streamQuery() {
      throw new Error('results of SQLite are not streamed')
    },
  }

  async execute<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#statements.get(text) ?? (await this.#keep(text))
    if (!statement.reader) return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) }
    const rows = ONE_ROW.test(text) ? one(statement.get(...parameters)) : await statement.all(...parameters)
    for (const row of rows) {
      for (const [name, value] of Object.entries(row))
        if (value instanceof ArrayBuffer) Object.assign(row, { [name]: Buffer.from(value) })
    }
    return { rows: rows as Row[] }
  }

  async #keep(text: string): Promise<Statement> {
    const statement = await this.prepare(text)
    if (this.#statements.size >= STATEMENTS) this.#statements.clear()
    this.#statements.set(text, statement)
    return statement
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
  abstract beginTransaction(): Promise<void>
  abstract commitTransaction(): Promise<void>
  abstract rollbackTransaction(): Promise<void>
  async releaseConnection(): Promise<void> {}
  abstract destroy(): Promise<void>
}

class Reading extends LibsqlDriver {
  readonly #database: Direct.Database
  constructor(path: string) {
    super()
    this.#database = new Direct(path, { timeout: RECOVERY_MS })
    this.#database.exec('PRAGMA query_only = ON')
  }
  protected prepare = (text: string) => this.#database.prepare(text) as unknown as Statement
  async beginTransaction(): Promise<void> {
    this.#database.exec('BEGIN')
  }
  async commitTransaction(): Promise<void> {
    this.#database.exec('COMMIT')
  }
  rollbackTransaction = this.commitTransaction
  async destroy(): Promise<void> {
    this.#database.close()
  }
}

class Writing extends LibsqlDriver {
  readonly #database: Threaded
  readonly #patience_ms: number
  #last: Promise<void> = Promise.resolve()
  #release = () => {}

  constructor(database: Threaded, patienceMs: number) {
    super()
    this.#database = database
    this.#patience_ms = patienceMs
  }

  protected prepare = (text: string) => this.#database.prepare(text) as unknown as Promise<Statement>

  /** The connection is one, so that its users take turns. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last
    let release = () => {}
    this.#last = new Promise(resolve => {
      release = resolve
    })
    await before
    this.#release = release
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#release()
  }

  async beginTransaction(): Promise<void> {
    const end = performance.now() + this.#patience_ms
    while (!(await this.#begins())) {
      if (performance.now() >= end) throw new Error('another process did not end its transaction in time')
      await sleep(LOOK_MS)
    }
  }

  /** False at once when another process has a transaction. */
  async #begins(): Promise<boolean> {
    try {
      await this.execute(BEGIN)
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  async commitTransaction(): Promise<void> {
    await this.#database.exec('COMMIT')
  }

  /** A full disk may have rolled the transaction back already. */
  async rollbackTransaction(): Promise<void> {
    if (Reflect.get(this.#database, 'inTransaction') === true) await this.#database.exec('ROLLBACK')
  }

  async destroy(): Promise<void> {
    await this.#last
    this.#database.close()
  }
}

const BEGIN = { sql: 'BEGIN IMMEDIATE', parameters: [] } as unknown as CompiledQuery

const dialectOf = (createDriver: () => Driver): Dialect => ({
  createDriver,
  createAdapter: () => new SqliteAdapterWithDdl(),
  createIntrospector: db => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** A connection that reads committed data. */
export const readingDialect = (path: string): Dialect => dialectOf(() => new Reading(path))

/**
 * The connection that writes. Commits reach the disk before they are acknowledged, unless `durable` is false. A transaction waits
 * `patience_ms` for one of another process.
 */
export async function writingDialect(path: string, patienceMs: number, durable = true): Promise<Dialect> {
  const database = new Threaded(path, { timeout: RECOVERY_MS })
  // Reads the file, and may wait; what follows runs in place and must not.
  const synchronous = durable ? 'FULL' : 'OFF'
  await database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 0`)
  return dialectOf(() => new Writing(database, patienceMs))
}

/** Whether a lock of another process caused this error. */
export const isBusy = (error: unknown): boolean => hasCode(error, /^SQLITE_BUSY/)

/** Whether the content of the file caused this error; `SQLITE_ERROR` means that a table is missing. */
export const isDamage = (error: unknown): boolean => hasCode(error, /^SQLITE_(CORRUPT|NOTADB|ERROR)/)

const hasCode = (error: unknown, code: RegExp): boolean => error instanceof Direct.SqliteError && code.test(error.code)
