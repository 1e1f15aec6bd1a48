// Watches and their deliveries in a SQLite file of their own, `watch.db`. Writes reach the disk before they are acknowledged,
// on libsql's threads; the service and the command line may use the file at once.
import { type Delivery, FARTHEST_MS, KEPT_DELIVERIES, readDelivery, readWatch, type WatchStore } from '../watches.ts'
import { asBytes, createWriter, openReader, openWriteConnection, type Row } from './connection.ts'
import type { DatabaseFile } from './database_file.ts'
import { createLease, LEASE_TABLE } from './lease.ts'
import { type PreparedFile, prepareFile } from './prepare_file.ts'

/** Changes with the tables. A file of another version is not read. */
const VERSION = 1

export const watchesDatabase: DatabaseFile = {
  name: 'watch.db',
  holds: 'watches and their deliveries',
  version: VERSION,
}

const SQL = `
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
${LEASE_TABLE}
`

const WATCH = `SELECT ${asBytes('id', 'terms', 'state')}, next_at FROM watches`
const DELIVERY = `SELECT ${asBytes('id', 'watch', 'account', 'type', 'event', 'state', 'last')},
created, attempt, failed, next_at FROM deliveries`

/** Parameters: now, and the farthest time that anything is planned. */
const DUE = '(next_at <= ?1 OR next_at > ?2)'

export interface EmbeddedWatchOptions extends PreparedFile {
  /** Milliseconds to wait for a transaction of another process. */
  readonly patience: number
  /** Called when a row cannot be read and is not run any more. */
  readonly unreadable?: () => void
}

/** Rejects with a StoreError when the file cannot be used. */
export async function openEmbeddedWatches(options: EmbeddedWatchOptions): Promise<WatchStore> {
  const { now, patience, unreadable = () => {} } = options
  const path = prepareFile(watchesDatabase, { sql: SQL, names: ['watches', 'deliveries'] }, options)
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
  const lease = await createLease({ reader, connection, writer, now })
  const forgetWatch = await connection.prepare('UPDATE watches SET next_at = NULL WHERE hex(id) = ?')
  const forgetDelivery = await connection.prepare('UPDATE deliveries SET next_at = NULL WHERE hex(id) = ?')

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
    ...lease,
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
