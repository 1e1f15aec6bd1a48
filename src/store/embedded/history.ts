// The history in a SQLite file of its own: it grows and may be deleted, and keys and counts do not depend on it.
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Direct from 'libsql'
import { makeDirectory } from '../../files.ts'
import {
  type Entry,
  type HistoryLimits,
  type HistoryStore,
  type Meeting,
  MOST_SHARES,
  type Share,
  type Sighting,
  shareId,
} from '../history.ts'
import { StoreError } from '../store.ts'
import { asBytes, isDamage } from './connection.ts'
import type { DatabaseFile } from './database_file.ts'

const OWNER_ONLY = { directory: 0o700, file: 0o600 }

/** Changes with the tables. A file of a later version is not read. */
const VERSION = 2

export const historyDatabase: DatabaseFile = {
  name: 'history.db',
  holds: 'kept results and the links that share them',
  version: VERSION,
}

const TABLES = `
CREATE TABLE results (
  id TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  domain TEXT,
  ip TEXT,
  checked_at INTEGER NOT NULL,
  risk_score INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  recommendation TEXT NOT NULL,
  complete INTEGER NOT NULL,
  octets INTEGER NOT NULL,
  body BLOB
) STRICT;
CREATE INDEX results_age ON results (checked_at);
CREATE INDEX results_kept ON results (checked_at) WHERE body IS NOT NULL;
CREATE TABLE sightings (
  account TEXT NOT NULL,
  target TEXT NOT NULL,
  checked_at INTEGER NOT NULL,
  id TEXT NOT NULL REFERENCES results ON DELETE CASCADE,
  PRIMARY KEY (account, target, checked_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sightings_latest ON sightings (account, checked_at);
CREATE INDEX sightings_result ON sightings (id, account);
CREATE TABLE targets (
  target TEXT PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX targets_age ON targets (last);
CREATE TABLE shares (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  result_id TEXT NOT NULL REFERENCES results ON DELETE CASCADE,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_result ON shares (result_id);`

/**
 * Since when the record of targets is complete. Version 1 removed targets by `last` alone, so its record is complete since the
 * earliest `last`.
 */
const recordTable = (now: number) => `
CREATE TABLE record (since INTEGER NOT NULL) STRICT;
INSERT INTO record SELECT ifnull(min(last), ${now}) FROM targets;
PRAGMA user_version = ${VERSION};`

/** Without a change of the version: an earlier release reads a file that has it. */
const SHARES_INDEX = 'CREATE INDEX IF NOT EXISTS shares_account ON shares (account)'

const text = (column: string, name: string) => `${asBytes(column)} AS ${name}`

const ENTRY = `SELECT ${text('r.id', 'result_id')}, ${text('r.target', 'target')}, ${text('r.domain', 'domain')},
${text('r.ip', 'ip')}, r.checked_at, r.risk_score, ${text('r.verdict', 'verdict')},
${text('r.recommendation', 'recommendation')}, r.complete, r.body IS NOT NULL AS kept
FROM sightings AS s JOIN results AS r USING (id)`

export interface EmbeddedHistoryOptions extends HistoryLimits {
  /** Holds `history.db`; created if missing. */
  readonly directory: string
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  /** Called when a damaged file was moved away and a new history was begun. */
  readonly damaged: (moved_to: string) => void
}

type Row = Readonly<Record<string, unknown>>

/** Throws a StoreError when the file cannot be used. */
export function openEmbeddedHistory(options: EmbeddedHistoryOptions): HistoryStore {
  const { life_ms, octets, met_ms, targets, now } = options
  const database = openFile(options)
  const statement = (sql: string) => {
    const prepared = database.prepare(sql)
    return {
      run: (...values: unknown[]) => prepared.run(...values),
      get: (...values: unknown[]) => prepared.get(...values) as Row | undefined,
      all: (...values: unknown[]) => prepared.all(...values) as Row[],
    }
  }
  const putResult = statement(`INSERT OR IGNORE INTO results
(id, target, domain, ip, checked_at, risk_score, verdict, recommendation, complete, octets, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const putSighting = statement('INSERT OR IGNORE INTO sightings (account, target, checked_at, id) VALUES (?, ?, ?, ?)')
  const addTarget = statement('INSERT OR IGNORE INTO targets (target, first, last) VALUES (?, ?, ?)')
  const meetTarget = statement('UPDATE targets SET first = min(first, ?), last = max(last, ?) WHERE target = ?')
  const octetsBefore = statement(
    'SELECT ifnull(sum(octets), 0) AS gone FROM results WHERE body IS NOT NULL AND checked_at < ?',
  )
  // With their sightings and shares.
  const dropResults = statement('DELETE FROM results WHERE checked_at < ?')
  const dropTargets = statement('DELETE FROM targets WHERE last < ?')
  const leastRecent = statement('SELECT MAX(last) AS last FROM (SELECT last FROM targets ORDER BY last LIMIT ?)')
  const dropLeastRecent = statement(
    'DELETE FROM targets WHERE target IN (SELECT target FROM targets ORDER BY last LIMIT ?)',
  )
  const beginRecord = statement('UPDATE record SET since = ? WHERE since < ?')
  const oldest = statement(
    'SELECT rowid AS place, octets FROM results WHERE body IS NOT NULL ORDER BY checked_at LIMIT 64',
  )
  const dropBody = statement('UPDATE results SET body = NULL WHERE rowid = ?')
  const body = statement('SELECT body FROM results JOIN sightings USING (id) WHERE id = ? AND account = ?')
  const saw = statement('SELECT 1 FROM sightings WHERE id = ? AND account = ?')
  const listTarget = statement(`${ENTRY} WHERE s.account = ? AND (s.checked_at, s.id) < (?, ?) AND s.target = ?
ORDER BY s.checked_at DESC, s.id DESC LIMIT ?`)
  const listAll = statement(
    `${ENTRY} WHERE s.account = ? AND (s.checked_at, s.id) < (?, ?) ORDER BY s.checked_at DESC, s.id DESC LIMIT ?`,
  )
  const first = statement('SELECT since, (SELECT first FROM targets WHERE target = ?) AS first FROM record')
  const putShare = statement('INSERT INTO shares (id, token_hash, account, result_id, created) VALUES (?, ?, ?, ?, ?)')
  const listShares = statement(
    `SELECT ${text('id', 'id')}, created FROM shares WHERE account = ? AND result_id = ? ORDER BY created, shares.id`,
  )
  const countShares = statement('SELECT count(*) AS count FROM shares WHERE account = ?')
  const dropShare = statement('DELETE FROM shares WHERE account = ? AND id = ?')
  const byToken = statement(
    `SELECT ${text('account', 'account')}, ${text('result_id', 'result_id')} FROM shares WHERE token_hash = ?`,
  )
  let held = Number(
    statement('SELECT ifnull(sum(octets), 0) AS held FROM results WHERE body IS NOT NULL').get()?.['held'],
  )
  let known = Number(statement('SELECT count(*) AS known FROM targets').get()?.['known'])

  function put({ account, id, summary, body }: Sighting): void {
    const { target, domain, ip, risk_score, verdict, recommendation, complete } = summary
    const checked = Date.parse(summary.checked_at)
    const { changes } = putResult.run(
      ...[id, target, domain, ip, checked, risk_score, verdict, recommendation, Number(complete), body.length, body],
    )
    held += changes * body.length
    putSighting.run(account, target, checked, id)
  }

  function dropTooOld(): void {
    const end = now() - life_ms
    held -= Number(octetsBefore.get(end)?.['gone'])
    dropResults.run(end)
  }

  function dropTooMuch(): void {
    while (held > octets) {
      const rows = oldest.all()
      if (rows.length === 0) return
      for (const { place, octets: size } of rows) {
        if (held <= octets) return
        dropBody.run(place)
        held -= Number(size)
      }
    }
  }

  const write = database.transaction((sightings: readonly Sighting[]) => {
    for (const sighting of sightings) put(sighting)
    dropTooOld()
    dropTooMuch()
  })

  const meet = database.transaction((meetings: readonly Meeting[]) => {
    for (const { target, at } of meetings) {
      const { changes } = addTarget.run(target, at, at)
      if (changes === 0) meetTarget.run(at, at, target)
      known += changes
    }
    const end = Math.ceil(now() - met_ms)
    known -= dropTargets.run(end).changes
    beginRecord.run(end, end)
    const surplus = known - targets
    if (surplus <= 0) return
    const after = Number(leastRecent.get(surplus)?.['last']) + 1
    known -= dropLeastRecent.run(surplus).changes
    beginRecord.run(after, after)
  })

  return {
    async meet(meetings) {
      const before = known
      try {
        meet(meetings)
      } catch (error) {
        known = before
        throw error
      }
    },
    async write(sightings) {
      const before = held
      try {
        write(sightings)
      } catch (error) {
        held = before
        throw error
      }
    },
    read(account, id) {
      const found = body.get(id, account)?.['body']
      return found == null ? null : Buffer.from(found as Uint8Array)
    },
    list({ account, target, before, after, limit }) {
      const from = [account, before, after ?? ''] as const
      return (target === null ? listAll.all(...from, limit) : listTarget.all(...from, target, limit)).map(entryOf)
    },
    firstSeen(target) {
      const found = first.get(target)
      const since = Math.max(Number(found?.['since']), Math.ceil(now() - met_ms))
      return { at: (found?.['first'] ?? null) as number | null, since }
    },
    share(account, result_id, token_hash) {
      if (saw.get(result_id, account) === undefined) return null
      if (Number(countShares.get(account)?.['count']) >= MOST_SHARES) return 'limit'
      const share = { id: shareId(token_hash), result_id, created: now() }
      putShare.run(share.id, token_hash, account, result_id, share.created)
      return share
    },
    shares: (account, result_id) =>
      listShares
        .all(account, result_id)
        .map(({ id, created }): Share => ({ id: textOf(id), result_id, created: Number(created) })),
    unshare: (account, share) => dropShare.run(account, share).changes === 1,
    shared(hash) {
      const row = byToken.get(hash)
      return row === undefined ? null : { account: textOf(row['account']), result_id: textOf(row['result_id']) }
    },
    async close() {
      database.close()
    },
  }
}

const textOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString()
const textOrNull = (bytes: unknown): string | null => (bytes === null ? null : textOf(bytes))

const entryOf = (row: Row): Entry => ({
  result_id: textOf(row['result_id']),
  target: textOf(row['target']),
  domain: textOrNull(row['domain']),
  ip: textOrNull(row['ip']),
  checked_at: `${new Date(Number(row['checked_at'])).toISOString().slice(0, 19)}Z`,
  risk_score: Number(row['risk_score']),
  verdict: textOf(row['verdict']),
  recommendation: textOf(row['recommendation']),
  complete: row['complete'] === 1,
  kept: row['kept'] === 1,
})

/** A damaged file is moved away: its results are lost to the service, but nothing is overwritten or guessed. */
function openFile({ directory, now, damaged }: EmbeddedHistoryOptions): Direct.Database {
  const path = join(directory, historyDatabase.name)
  makeDirectory(directory, OWNER_ONLY.directory)
  try {
    return openTables(path, now())
  } catch (error) {
    if (!isDamage(error)) throw unusable(path, error)
    const away = `${path}.damaged-${now()}`
    renameSync(path, away)
    for (const file of [`${path}-wal`, `${path}-shm`]) if (existsSync(file)) rmSync(file)
    damaged(away)
    return openTables(path, now())
  }
}

function openTables(path: string, now: number): Direct.Database {
  const database = new Direct(path)
  try {
    chmodSync(path, OWNER_ONLY.file)
    // A power cut may cost the last seconds of the history, but nothing older: the log is written in order.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    if (user_version > VERSION) {
      throw new StoreError(
        'store_too_new',
        `a later release wrote ${path}: use that release, or delete the file to begin a new history`,
      )
    }
    if (user_version < VERSION) {
      database.exec(`BEGIN IMMEDIATE;${user_version === 0 ? TABLES : ''}${recordTable(now)}COMMIT`)
    }
    database.exec(SHARES_INDEX)
    database.prepare('SELECT rowid FROM results LIMIT 1').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const unusable = (path: string, error: unknown): StoreError =>
  error instanceof StoreError
    ? error
    : new StoreError('store_unavailable', `cannot open ${path}: ${String(error)}`, error)
