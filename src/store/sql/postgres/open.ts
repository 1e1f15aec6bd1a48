// The store in PostgreSQL, which many instances share. While PostgreSQL is unavailable, statements fail within seconds; connections
// are reopened when it is back.
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { connectionOptions, type PostgresPlace } from '../../../config/postgres_place.ts'
import { StoreError } from '../../store.ts'
import { type Database, migrate, noteWrites } from '../database.ts'
import type { Schema } from '../schema.ts'

/** OID of `bigint`: times, counts and places, all below 2^53. `pg` returns text by default. */
const BIGINT = 20

/** Connections of a process for the store, besides the connections of its queues. */
export const POOL = 4
/** Connections of a process for its queues: one that listens for each of three, and two for statements. */
export const QUEUE_POOL = 5
/** Connections of a process that listen for turns. */
export const LISTENERS = 1

/**
 * Commits are durable whatever the server's default says. When a process gives up on a slow statement, the server ends the
 * transaction, so that it holds no rows and does not mix with the next transaction.
 */
const SESSION = 'SET synchronous_commit = on; SET idle_in_transaction_session_timeout = 5000'

/** The error of `pg` when `query_timeout` is over. */
const SILENT = 'Query read timeout'

export interface PostgresOptions {
  readonly place: PostgresPlace
  /** Called when an idle connection ends; without a listener such an error would end the process. */
  readonly onLoss: (reason: string) => void
  /** Rejects instead of making tables where there are none. */
  readonly must_exist?: boolean
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}

/** Each connection runs `session` before its first statement: as options of the connection, a pooler would refuse what it sets. */
export function createPool(
  place: PostgresPlace,
  size: number,
  onLoss: (reason: string) => void,
  session = SESSION,
): pg.Pool {
  const onConnect = (client: pg.ClientBase) => client.query(session).then(() => {})
  const pool = new pg.Pool({ ...connectionOptions(place), types, max: size, onConnect })
  pool.on('connect', client => {
    // A connection that ends between two statements of a transaction: the next statement fails, and an unhandled event would end the
    // process. The pool listens only while the connection is idle.
    client.on('error', () => {})
    endWhenSilent(client)
  })
  pool.on('error', error => onLoss(error.message))
  return pool
}

/**
 * Ends a connection on which a reply did not come in time, so that the pool makes another. The server or something between may have
 * forgotten it, and `pg` would use it again: it waits for the reply before it sends anything else.
 */
function endWhenSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...all: unknown[]) => unknown
  const watchedQuery = async (...all: unknown[]) => {
    try {
      return await query(...all)
    } catch (error) {
      if (error instanceof Error && error.message === SILENT) void (client as unknown as pg.Client).end()
      throw error
    }
  }
  client.query = watchedQuery as typeof client.query
}

/** Rejects with a StoreError when the server cannot be reached, or a later release has changed the tables. */
export async function openPostgres({ place, onLoss, must_exist = false }: PostgresOptions): Promise<Database> {
  const pool = createPool(place, POOL, onLoss)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const writes = noteWrites(() => performance.now())
  let isNew: boolean
  try {
    isNew = await migrate('postgres', { read: db, write: db, must_exist })
  } catch (error) {
    await db.destroy()
    if (error instanceof StoreError) throw error
    throw new StoreError('store_unavailable', `cannot use the PostgreSQL store: ${String(error)}`, error)
  }
  return {
    dialect: 'postgres',
    read: db,
    is_new: isNew,
    transaction: work => writes.noted(db.transaction().execute(work)),
    sinceWrite: writes.since,
    close: () => db.destroy(),
  }
}

export interface InspectedPostgres {
  /** Major version. */
  readonly version: number
  /** The server's clock, in milliseconds since the Unix epoch. */
  readonly time: number
  /** `max_connections`. */
  readonly connections: number
  /** Whether the user may create tables in the schema that it uses. */
  readonly may_create: boolean
}

/** Checks that the server meets the service's requirements. Rejects when it cannot be reached. */
export async function inspectPostgres(place: PostgresPlace): Promise<InspectedPostgres> {
  const pool = createPool(place, 1, () => {})
  try {
    const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int / 10000 AS version,
(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time, current_setting('max_connections')::int AS connections,
coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create`)
    return rows[0] as InspectedPostgres
  } finally {
    await pool.end()
  }
}
