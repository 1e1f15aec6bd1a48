// Claims of the processes of one machine, in a file of their own that is never waited for: `claims.db`. It starts empty.
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Expression, sql } from 'kysely'
import Direct from 'libsql'
import { StoreError } from '../../store.ts'
import {
  ANSWER,
  type Beside,
  type ClaimAdvance,
  type ClaimAnswer,
  type ClaimLimits,
  type ClaimRequest,
  type ClaimState,
  type Claims,
  claimsTable,
  DISPLACE,
  END,
  FOLLOW,
  GRANT,
  noClaim,
  RECORD,
  RENEWALS_PER_SWEEP,
  REPORT,
  type ReportRow,
  readReport,
  renewal,
  type Step,
  WITHDRAW,
} from '../claims.ts'
import type { Database } from '../database.ts'
import { isBusy } from './dialect.ts'
import { createEmpty, filesOf } from './file.ts'

const CLAIMS_FILE = 'claims.db'
const OWNER_ONLY = 0o600
/** Milliseconds between two attempts to begin a transaction while another process has one, which takes less than one. */
const LOOK_MS = 1
const POLL_MS = 25

export interface SqliteClaimsOptions {
  readonly directory: string
  /** Where the query beside a claim is read. */
  readonly database: Pick<Database, 'read'>
  /** Of this process; random. */
  readonly owner: string
  readonly limits: ClaimLimits
  readonly patience_ms: number
  /** Milliseconds on a clock that all processes of the machine share. */
  readonly now?: () => number
}

type Parameters = Readonly<Record<string, string | number | null>>

/** Removes all claims: called by the process that holds the lock of the directory, before others open it. */
export function emptyClaims(directory: string): void {
  for (const file of filesOf(join(directory, CLAIMS_FILE))) rmSync(file, { force: true })
}

/** Milliseconds since the machine started: a clock that cannot be set. */
export const sinceBoot = (): number => Math.floor(Number(process.hrtime.bigint() / 1_000_000n))

/** Rejects with a StoreError when the file cannot be used. */
export async function openSqliteClaims(options: SqliteClaimsOptions): Promise<Claims> {
  const path = join(options.directory, CLAIMS_FILE)
  return new SqliteClaims(options, path, await orUnavailable(path, async () => open(path)))
}

class SqliteClaims implements Claims {
  readonly #options: SqliteClaimsOptions
  readonly #now: () => number
  readonly #path: string
  readonly #database: Direct.Database
  readonly #statements = new Map<string, Direct.Statement>()
  #renewals = 0
  readonly #bounds: Parameters
  readonly poll_ms = POLL_MS
  readonly hears = false

  constructor(options: SqliteClaimsOptions, path: string, database: Direct.Database) {
    this.#options = options
    this.#now = options.now ?? sinceBoot
    this.#path = path
    this.#database = database
    this.#bounds = boundsOf(options.owner, options.limits)
  }

  #run(text: string, parameters: Parameters): unknown[] {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text)
      this.#statements.set(text, statement)
    }
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return []
  }

  /** Runs in place, in some 0.2 ms; waits while another process has a transaction. */
  #transaction<T>(work: (now: number) => T): Promise<T> {
    return orUnavailable(this.#path, async () => {
      const end = performance.now() + this.#options.patience_ms
      while (!begins(this.#database)) {
        if (performance.now() >= end) throw new Error('another process did not end its transaction in time')
        await pause(LOOK_MS)
      }
      try {
        const value = work(this.#now())
        this.#database.exec('COMMIT')
        return value
      } catch (error) {
        if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
        throw error
      }
    })
  }

  #grantAll(parameters: Parameters) {
    while (this.#run(GRANT, parameters).length > 0);
  }

  #statesOf(ids: readonly string[], inNow: number): ReadonlyMap<string, ClaimState> {
    const rows = this.#run(renewing.states, { in_ids: JSON.stringify(ids), in_now: inNow }) as {
      out_id: string
      out_state: ClaimState
    }[]
    return new Map(rows.map(row => [row.out_id, row.out_state]))
  }

  listen() {}

  async claim({ id, flight, target, key, background, fresh, beside, limits: own }: ClaimRequest): Promise<ClaimAnswer> {
    // The file of the store is another, and is read in place.
    const row = beside ? await orUnavailable(this.#path, () => besideIn(this.#options.database, beside)) : null
    if (row?.found === 1) return noClaim(row)
    return this.#transaction(inNow => {
      const request = { in_id: id, in_flight: flight, in_target: target, in_key: key }
      const flags = { in_background: background ? 1 : 0, in_fresh: fresh ? 1 : 0 }
      const bounds = own ? boundsOf(this.#options.owner, own) : this.#bounds
      const parameters = { ...bounds, ...request, ...flags, in_now: inNow }
      for (const text of [FOLLOW, DISPLACE, RECORD]) this.#run(text, parameters)
      this.#grantAll(parameters)
      return readReport(this.#run(ANSWER, parameters)[0] as ReportRow, own ?? this.#options.limits, row)
    })
  }

  advance({ target, end, withdraw }: Step): Promise<ClaimAdvance> {
    return this.#transaction(inNow => {
      const about = { in_target: target, in_key: withdraw?.key ?? '', in_background: withdraw?.background ? 1 : 0 }
      const parameters = { ...this.#bounds, ...about, in_id: withdraw?.id ?? '', in_now: inNow }
      if (end !== undefined) this.#run(END, { in_end: end.id, in_end_state: end.state, in_now: inNow })
      this.#grantAll(parameters)
      this.#run(WITHDRAW, parameters)
      return readReport(this.#run(REPORT, parameters)[0] as ReportRow, this.#options.limits)
    })
  }

  renew(own: readonly string[], ids: readonly string[]): Promise<ReadonlyMap<string, ClaimState>> {
    return own.length === 0
      ? orUnavailable(this.#path, async () => this.#statesOf(ids, this.#now()))
      : this.#transaction(inNow => {
          this.#run(renewing.renew, { in_own: JSON.stringify(own), in_now: inNow })
          if (this.#renewals++ % RENEWALS_PER_SWEEP === 0) this.#run(renewing.sweep, { in_now: inNow })
          return this.#statesOf(ids, inNow)
        })
  }

  ending() {
    return null
  }

  async close() {
    this.#database.close()
  }
}

const boundsOf = (
  owner: string,
  { at_once, per_second, waiting, key_at_once, key_per_second }: ClaimLimits,
): Parameters => ({
  in_owner: owner,
  in_at_once: at_once,
  in_per_second: per_second,
  in_waiting: waiting,
  in_key_at_once: key_at_once,
  in_key_per_second: key_per_second,
})

const renewing = renewal(name => `SELECT value FROM json_each(${name})`, '')

async function besideIn({ read }: Pick<Database, 'read'>, query: Expression<Beside>): Promise<Beside | null> {
  return (await sql<Beside>`SELECT * FROM ${query} AS b`.execute(read)).rows[0] ?? null
}

function open(path: string): Direct.Database {
  createUnlessThere(path)
  const database = new Direct(path, { timeout: 2_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  chmodSync(path, OWNER_ONLY)
  database.exec('BEGIN IMMEDIATE')
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (isNew) for (const text of claimsTable('TEXT', 'INTEGER', 'STRICT, WITHOUT ROWID', '')) database.exec(text)
  database.exec('COMMIT; PRAGMA busy_timeout = 0')
  return database
}

function createUnlessThere(path: string): void {
  try {
    createEmpty(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function begins(database: Direct.Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

async function orUnavailable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StoreError('store_unavailable', `cannot use ${path}: ${String(error)}`, error)
  }
}
