// Watches and their deliveries in a SQLite file of their own, `watch.db`. Writes reach the disk before they are acknowledged,
// on libsql's threads; the service and the command line may use the file at once.
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Direct from 'libsql'
import { makeDirectory } from '../../files.ts'
import { StoreError } from '../store.ts'
import { type Delivery, FARTHEST_MS, KEPT_DELIVERIES, readDelivery, readWatch, type WatchStore } from '../watches.ts'
import { createWriter, isDamage, openReader, openWriteConnection, type Row } from './connection.ts'
import type { DatabaseFile } from './database_file.ts'

const OWNER_ONLY = { directory: 0o700, file: 0o600 }

/** Changes with the tables. A file of another version is not read. */
const VERSION = 1

export const watchesDatabase: DatabaseFile = {
  name: 'watch.db',
  holds: 'watches and their deliveries',
  version: VERSION,
}

const TABLES = `
CREATE TABLE watches (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  created INTEGER NOT NULL,
  terms TEXT NOT NULL,
  state TEXT NOT NULL,
  next_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX watches_account ON watches (account, created);
CREATE INDEX watches_due ON watches (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  watch TEXT NOT NULL REFERENCES watches ON DELETE CASCADE,
  account TEXT NOT NULL,
  type TEXT NOT NULL,
  event TEXT NOT NULL,
  created INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  next_at INTEGER,
  last TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_watch ON deliveries (watch, created);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1), holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
PRAGMA user_version = ${VERSION};`

/** Text is read as bytes: the library ends the process on text that is not UTF-8, as in a damaged file. */
const bytes = (...names: string[]) => names.map(name => `CAST(${name} AS BLOB)`).join(', ')
const WATCH = `SELECT ${bytes('id', 'terms', 'state')}, next_at FROM watches`
const DELIVERY = `SELECT ${bytes('id', 'watch', 'account', 'type', 'event', 'state', 'last')},
created, attempt, failed, next_at FROM deliveries`

/** Parameters: now, and the farthest time that anything is planned. */
const DUE = '(next_at <= ?1 OR next_at > ?2)'

export interface EmbeddedWatchOptions {
  /** Holds `watch.db`; created if missing. */
  readonly directory: string
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  /** Milliseconds to wait for a transaction of another process. */
  readonly patience: number
  /** Called when a damaged file was moved away and an empty one was begun. */
  readonly damaged: (moved_to: string) => void
  /** Called when a row cannot be read and is not run any more. */
  readonly unreadable?: () => void
}

/** Rejects with a StoreError when the file cannot be used. */
export async function openEmbeddedWatches(options: EmbeddedWatchOptions): Promise<WatchStore> {
  const { now, patience, unreadable = () => {} } = options
  const path = prepareFile(options)
  const reader = openReader(path)
  const connection = await openWriteConnection(path)
  await connection.exec('PRAGMA foreign_keys = ON')
  const writer = createWriter(connection, patience)

  const byId = reader.prepare(`${WATCH} WHERE id = ?`)
  const ofAccount = reader.prepare(`${WATCH} WHERE account = ? ORDER BY created, id`)
  const watchesDue = reader.prepare(`${WATCH} WHERE ${DUE} ORDER BY next_at LIMIT ?3`)
  const next = reader.prepare(
    `SELECT min(first), max(last) FROM (
SELECT (SELECT min(next_at) FROM watches) AS first, (SELECT max(next_at) FROM watches) AS last
UNION ALL SELECT (SELECT min(next_at) FROM deliveries), (SELECT max(next_at) FROM deliveries))`,
  )
  const deliveriesDue = reader.prepare(`${DELIVERY} WHERE ${DUE} ORDER BY next_at LIMIT ?3`)
  const deliveriesOf = reader.prepare(`${DELIVERY} WHERE watch = ? ORDER BY created DESC, id DESC LIMIT ?`)
  const oneDelivery = reader.prepare(`${DELIVERY} WHERE id = ?`)
  const addWatch = await connection.prepare(`INSERT INTO watches (id, account, created, terms, state, next_at)
SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE (SELECT count(*) FROM watches WHERE account = ?2) < ?7`)
  const removeWatch = await connection.prepare('DELETE FROM watches WHERE id = ? AND account = ?')
  const putState = await connection.prepare('UPDATE watches SET state = ?, next_at = ? WHERE id = ? AND next_at = ?')
  const stopWatch = await connection.prepare(
    `UPDATE watches SET state = json_set(state, '$.stopped', ?), next_at = NULL WHERE id = ?`,
  )
  const addDelivery = await connection.prepare(`INSERT OR IGNORE INTO deliveries
(id, watch, account, type, event, created, state, attempt, failed, next_at, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const dropOld = await connection.prepare(
    `DELETE FROM deliveries WHERE watch = ?1 AND next_at IS NULL AND (created < ?2 OR id NOT IN
(SELECT id FROM deliveries WHERE watch = ?1 ORDER BY created DESC, id DESC LIMIT ${KEPT_DELIVERIES.count}))`,
  )
  const begin = await connection.prepare(
    `UPDATE deliveries SET attempt = attempt + 1, next_at = ? WHERE id = ? AND attempt = ? AND state = 'pending'`,
  )
  const end = await connection.prepare(
    `UPDATE deliveries SET state = ?, failed = ?, next_at = ?, last = ? WHERE id = ? AND attempt = ?`,
  )
  const again = await connection.prepare(
    `UPDATE deliveries SET state = 'pending', failed = 0, next_at = ? WHERE id = ?`,
  )
  const take = await connection.prepare(`INSERT INTO lease (one, holder, until) VALUES (1, ?1, ?2)
ON CONFLICT DO UPDATE SET holder = ?1, until = ?2 WHERE holder = ?1 OR until <= ?3 OR until > ?2`)
  const forgetWatch = await connection.prepare('UPDATE watches SET next_at = NULL WHERE hex(id) = ?')
  const forgetDelivery = await connection.prepare('UPDATE deliveries SET next_at = NULL WHERE hex(id) = ?')
  const leased = reader.prepare('SELECT until FROM lease')
  const leave = await connection.prepare('DELETE FROM lease WHERE holder = ?')

  /** A damaged row would be due for ever. */
  async function readable<T>(rows: readonly Row[], read: (row: Row) => T | null, forget: typeof forgetWatch) {
    const found: T[] = []
    for (const row of rows) {
      const one = read(row)
      if (one !== null) found.push(one)
      else {
        await writer.transaction(
          () =>
            forget.run(
              Buffer.from(row[0] as Uint8Array)
                .toString('hex')
                .toUpperCase(),
            ).changes,
        )
        unreadable()
      }
    }
    return found
  }

  function add(delivery: Delivery): void {
    const { id, watch, account, type, event, created, state, attempt, failed, next_at, last } = delivery
    addDelivery.run(
      ...[id, watch, account, type, event, created, state, attempt, failed, next_at],
      last === null ? null : JSON.stringify(last),
    )
    dropOld.run(watch, now() - KEPT_DELIVERIES.ms)
  }

  return {
    add: ({ state, next_at, ...terms }, most) =>
      writer.transaction(() => {
        const { id, account, created } = terms
        const values = [id, account, created, JSON.stringify(terms), JSON.stringify(state), next_at, most]
        return addWatch.run(...values).changes === 1
      }),
    list: account => ofAccount.all(account).map(watchOf).filter(isThere),
    get: id => firstOf(byId.get(id), watchOf),
    remove: (account, id) => writer.transaction(() => removeWatch.run(id, account).changes === 1),
    nextDue() {
      const [first = null, last = null] = (next.get() ?? []) as readonly (number | null)[]
      return last !== null && last > now() + FARTHEST_MS ? Math.min(first ?? last, now()) : first
    },
    dueWatches: (at, limit) => readable(watchesDue.all(at, at + FARTHEST_MS, limit), watchOf, forgetWatch),
    dueDeliveries: (at, limit) => readable(deliveriesDue.all(at, at + FARTHEST_MS, limit), deliveryOf, forgetDelivery),
    checked: (id, due, { state, next_at, delivery }) =>
      writer.transaction(() => {
        if (putState.run(JSON.stringify(state), next_at, id, due).changes === 0) return false
        if (delivery !== null) add(delivery)
        return true
      }),
    stop: (id, why) =>
      writer.transaction(() => {
        stopWatch.run(why, id)
      }),
    enqueue: delivery => writer.transaction(() => add(delivery)),
    claim: (id, attempt, until) => writer.transaction(() => begin.run(until, id, attempt).changes === 1),
    settle: (id, attempt, { state, failed, next_at, last }) =>
      writer.transaction(() => {
        end.run(state, failed, next_at, JSON.stringify(last), id, attempt)
      }),
    deliveries: (watch, limit) => deliveriesOf.all(watch, limit).map(deliveryOf).filter(isThere),
    delivery: id => firstOf(oneDelivery.get(id), deliveryOf),
    replay: (id, at) => writer.transaction(() => again.run(at, id).changes === 1),
    async lease(holder, ms) {
      const until = now() + ms
      const held = await writer.transaction(() => take.run(holder, until, now()).changes === 1)
      return { held, until: held ? until : ((leased.get()?.[0] as number | undefined) ?? until) }
    },
    release: holder =>
      writer.transaction(() => {
        leave.run(holder)
      }),
    async close() {
      await writer.close()
      reader.close()
    },
  }
}

const isThere = <T>(one: T | null): one is T => one !== null

const firstOf = <T>(row: Row | undefined, read: (row: Row) => T | null): T | null =>
  row === undefined ? null : read(row)

const watchOf = ([, terms, state, next_at]: Row) => readWatch(String(terms), String(state), next_at as number | null)

function deliveryOf(row: Row): Delivery | null {
  const [id, watch, account, type, event, state, last, created, attempt, failed, next_at] = row
  return readDelivery({
    id: String(id),
    watch: String(watch),
    account: String(account),
    type: String(type) as Delivery['type'],
    event: String(event),
    created: Number(created),
    state: String(state) as Delivery['state'],
    attempt: Number(attempt),
    failed: Number(failed),
    next_at: next_at as number | null,
    last: last === null ? null : String(last),
  })
}

/** A damaged file is moved away: the service must not stop for it, and nothing is overwritten or guessed. */
function prepareFile({ directory, now, damaged }: EmbeddedWatchOptions): string {
  const path = join(directory, watchesDatabase.name)
  try {
    makeDirectory(directory, OWNER_ONLY.directory)
    createTables(path)
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (!isDamage(error)) throw new StoreError('store_unavailable', `cannot open ${path}: ${String(error)}`, error)
    const away = `${path}.damaged-${now()}`
    renameSync(path, away)
    for (const file of [`${path}-wal`, `${path}-shm`]) if (existsSync(file)) rmSync(file)
    damaged(away)
    createTables(path)
  }
  return path
}

/** Milliseconds to wait for another process that creates the tables at the same time. */
const CREATE_MS = 5_000

function createTables(path: string): void {
  const database = new Direct(path, { timeout: CREATE_MS })
  try {
    chmodSync(path, OWNER_ONLY.file)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const version = () => (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
    if (version() > VERSION)
      throw new StoreError('store_too_new', `${path} was written by a later release. Run that release.`)
    if (version() === 0) {
      database.exec('BEGIN IMMEDIATE')
      database.exec(version() === 0 ? `${TABLES}COMMIT` : 'COMMIT')
    }
    database.prepare('SELECT id FROM watches LIMIT 1').get()
    database.prepare('SELECT id FROM deliveries LIMIT 1').get()
  } finally {
    database.close()
  }
}
