// Claims of the processes of one machine, in a file of their own that is never waited for: `claims.db`. It starts empty.
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Expression, sql } from 'kysely'
import Direct from 'libsql'
import { StoreError } from '../../store.ts'
import {
  ANSWER,
  type Beside,
  type ClaimLimits,
  type ClaimState,
  type Claims,
  claimsTable,
  DISPLACE,
  END,
  FOLLOW,
  GRANT,
  RECORD,
  RENEWALS_PER_SWEEP,
  REPORT,
  type ReportRow,
  readReport,
  renewal,
  unclaimed,
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

/** Milliseconds since the machine started: a clock that nobody sets. */
export const sinceBoot = (): number => Math.floor(Number(process.hrtime.bigint() / 1_000_000n))

/** Rejects with a StoreError when the file cannot be used. */
export async function openSqliteClaims(options: SqliteClaimsOptions): Promise<Claims> {
  const { directory, database: store, owner, limits, patience_ms, now = sinceBoot } = options
  const path = join(directory, CLAIMS_FILE)
  const database = await orUnavailable(path, async () => open(path))
  const statements = new Map<string, Direct.Statement>()
  let renewals = 0

  function run(text: string, parameters: Parameters): unknown[] {
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = database.prepare(text)
      statements.set(text, statement)
    }
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return []
  }

  /** Runs in place, in some 0.2 ms; waits while another process has a transaction. */
  const transaction = <T>(work: (now: number) => T): Promise<T> =>
    orUnavailable(path, async () => {
      const end = performance.now() + patience_ms
      while (!begins(database)) {
        if (performance.now() >= end) throw new Error('another process did not end its transaction in time')
        await pause(LOOK_MS)
      }
      try {
        const value = work(now())
        database.exec('COMMIT')
        return value
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK')
        throw error
      }
    })

  const boundsOf = ({ at_once, per_second, waiting, key_at_once, key_per_second }: ClaimLimits) => ({
    in_owner: owner,
    in_at_once: at_once,
    in_per_second: per_second,
    in_waiting: waiting,
    in_key_at_once: key_at_once,
    in_key_per_second: key_per_second,
  })
  const bounds = boundsOf(limits)
  const grantAll = (parameters: Parameters) => {
    while (run(GRANT, parameters).length > 0);
  }

  function statesOf(ids: readonly string[], inNow: number): ReadonlyMap<string, ClaimState> {
    const rows = run(renewing.states, { in_ids: JSON.stringify(ids), in_now: inNow }) as {
      out_id: string
      out_state: ClaimState
    }[]
    return new Map(rows.map(row => [row.out_id, row.out_state]))
  }

  return {
    poll_ms: POLL_MS,
    hears: false,
    listen() {},
    async claim({ id, flight, target, key, background, fresh, beside, limits: own }) {
      // The file of the store is another, and is read in place.
      const row = beside ? await orUnavailable(path, () => besideIn(store, beside)) : null
      if (row?.found === 1) return unclaimed(row)
      return transaction(inNow => {
        const request = { in_id: id, in_flight: flight, in_target: target, in_key: key }
        const flags = { in_background: background ? 1 : 0, in_fresh: fresh ? 1 : 0 }
        const parameters = { ...(own ? boundsOf(own) : bounds), ...request, ...flags, in_now: inNow }
        for (const text of [FOLLOW, DISPLACE, RECORD]) run(text, parameters)
        grantAll(parameters)
        return readReport(run(ANSWER, parameters)[0] as ReportRow, own ?? limits, row)
      })
    },
    advance: ({ target, end, withdraw }) =>
      transaction(inNow => {
        const about = { in_target: target, in_key: withdraw?.key ?? '', in_background: withdraw?.background ? 1 : 0 }
        const parameters = { ...bounds, ...about, in_id: withdraw?.id ?? '', in_now: inNow }
        if (end !== undefined) run(END, { in_end: end.id, in_end_state: end.state, in_now: inNow })
        grantAll(parameters)
        run(WITHDRAW, parameters)
        return readReport(run(REPORT, parameters)[0] as ReportRow, limits)
      }),
    renew: (own, ids) =>
      own.length === 0
        ? orUnavailable(path, async () => statesOf(ids, now()))
        : transaction(inNow => {
            run(renewing.renew, { in_own: JSON.stringify(own), in_now: inNow })
            if (renewals++ % RENEWALS_PER_SWEEP === 0) run(renewing.sweep, { in_now: inNow })
            return statesOf(ids, inNow)
          }),
    ending: () => null,
    async close() {
      database.close()
    },
  }
}

const renewing = renewal(name => `SELECT value FROM json_each(${name})`, '')

async function besideIn({ read }: Pick<Database, 'read'>, query: Expression<Beside>): Promise<Beside | null> {
  return (await sql<Beside>`SELECT * FROM ${query} AS b`.execute(read)).rows[0] ?? null
}

function open(path: string): Direct.Database {
  if (!existsSync(path)) createUnlessThere(path)
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
