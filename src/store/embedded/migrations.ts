// The tables of the SQLite file, as numbered migrations. Version n is what the first n of them make; a new file runs all.
// To change a table, append a migration and record a store of the version before it: see test/store/migrations.test.ts.
import Direct from 'libsql'
import { type PlanChosen, planChosen, storedTime } from '../key_rows.ts'
import type { Key } from '../store.ts'
import type { Row } from './connection.ts'

interface Migration {
  /** Changes the tables and their rows. Its SQL is written out, because tables change later and a migration must not. */
  up(database: Direct.Database, now: number): readonly PlanChosen[]
  /** Queries that fail when a table or column of this version is missing. */
  readonly probes: readonly string[]
}

/** Times are milliseconds since the Unix epoch. */
const migrations: readonly Migration[] = [
  {
    up(database) {
      database.exec(`
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  display TEXT NOT NULL,
  plan TEXT NOT NULL,
  label TEXT NOT NULL,
  created INTEGER NOT NULL,
  last_used INTEGER,
  expires INTEGER,
  revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_account ON keys (account);
CREATE TABLE quota (
  account TEXT NOT NULL,
  period TEXT NOT NULL,
  start INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (account, period)
) STRICT, WITHOUT ROWID;`)
      return []
    },
    probes: [
      'SELECT id, account, hash, display, plan, label, created, last_used, expires, revoked FROM keys',
      'SELECT account, period, start, used FROM quota',
    ],
  },
  {
    up: movePlansToAccounts,
    probes: [
      'SELECT id, plan FROM accounts',
      'SELECT id, account, hash, display, label, created, last_used, expires, revoked FROM keys',
      `SELECT account, month_start, month_used, month_past_start, month_past_used,
  day_start, day_used, day_past_start, day_past_used FROM quota`,
    ],
  },
  {
    up: joinBalances,
    probes: [
      'SELECT id, plan FROM accounts',
      'SELECT id, account, hash, display, label, created, last_used, expires, revoked FROM keys',
      'SELECT account, counts FROM quota',
    ],
  },
  {
    up: addUsageDays,
    probes: [
      'SELECT id, plan FROM accounts',
      'SELECT id, account, hash, display, label, created, last_used, expires, revoked FROM keys',
      'SELECT account, counts FROM quota',
      'SELECT account, day, answers FROM usage_days INDEXED BY usage_days_day',
    ],
  },
]

export const schema_version = migrations.length

/** The probes of a version; undefined when there is no such version. */
export const probesOf = (version: number): readonly string[] | undefined => migrations[version - 1]?.probes

/**
 * Runs the migrations that the file has not seen, each in one transaction with its version number. Returns the plans that
 * were chosen for accounts. The caller holds the lock of the directory. Throws an error that names the failed migration,
 * which is rolled back.
 */
export function migrateFile(path: string, now: number): readonly PlanChosen[] {
  const database = new Direct(path)
  const chosen: PlanChosen[] = []
  let version = 0
  try {
    database.exec('PRAGMA synchronous = FULL')
    for (;;) {
      database.exec('BEGIN IMMEDIATE')
      // Read inside the transaction: another process may have migrated the file in the meantime.
      version = Number((database.prepare('PRAGMA user_version').raw().get() as Row)[0])
      const next = migrations[version]
      if (next === undefined) {
        database.exec('ROLLBACK')
        return chosen
      }
      chosen.push(...next.up(database, now))
      database.exec(`PRAGMA user_version = ${version + 1}; COMMIT`)
    }
  } catch (cause) {
    throw new Error(`migration ${version + 1}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  } finally {
    // SQLite rolls back an open transaction when the connection closes.
    database.close()
  }
}

/**
 * Version 2: a plan belongs to an account instead of a key, and an account has one row with a counter for each period, the
 * current one and the one before it. No count gets lower: answers that were counted by day alone are added to the month.
 */
function movePlansToAccounts(database: Direct.Database, now: number): readonly PlanChosen[] {
  const chosen = accountsWithSeveralPlans(database, now)
  database.exec(`
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_plan ON accounts (plan);
INSERT INTO accounts SELECT account, min(plan) FROM keys GROUP BY account;
ALTER TABLE keys DROP COLUMN plan;
ALTER TABLE quota RENAME TO former;
CREATE TABLE quota (
  account TEXT PRIMARY KEY,
  month_start INTEGER NOT NULL,
  month_used INTEGER NOT NULL,
  month_past_start INTEGER,
  month_past_used INTEGER,
  day_start INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  day_past_start INTEGER,
  day_past_used INTEGER
) STRICT, WITHOUT ROWID;${joinCounters}
DROP TABLE former;`)
  const update = database.prepare('UPDATE accounts SET plan = ? WHERE id = ?')
  for (const { account, plan } of chosen) update.run(plan, account)
  return chosen
}

function accountsWithSeveralPlans(database: Direct.Database, now: number): PlanChosen[] {
  const rows = database
    .prepare(
      `SELECT CAST(account AS BLOB), CAST(id AS BLOB), CAST(plan AS BLOB), created, expires, revoked FROM keys
WHERE account IN (SELECT account FROM keys GROUP BY account HAVING count(DISTINCT plan) > 1) ORDER BY account`,
    )
    .raw()
    .all() as Row[]
  const byAccount = new Map<string, Pick<Key, 'id' | 'plan' | 'created' | 'expires' | 'revoked'>[]>()
  for (const [account, id, plan, created, expires, revoked] of rows) {
    const keys = byAccount.get(String(account)) ?? []
    byAccount.set(String(account), keys)
    const [end, revocation] = [expires, revoked].map(time => (time === null ? null : storedTime(time)))
    keys.push({
      ...{ id: String(id), plan: String(plan), created: storedTime(created) },
      ...{ expires: end ?? null, revoked: revocation ?? null },
    })
  }
  return [...byAccount].map(([account, keys]) => planChosen(account, keys, now))
}

/** A damaged count becomes -1, which reading it refuses later: the damage then stays with its account. */
const isCount = (used: string) => `${used} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`
const monthOf = (start: string) =>
  `1000 * CAST(strftime('%s', ${start} / 1000, 'unixepoch', 'start of month') AS INTEGER)`

const joinCounters = `
INSERT INTO quota (account, month_start, month_used, day_start, day_used)
SELECT account,
  ifnull(CASE WHEN day_month > ifnull(month_start, -1) THEN day_month ELSE month_start END, -1),
  CASE WHEN NOT ${isCount('ifnull(month_used, 0)')} OR NOT ${isCount('ifnull(day_used, 0)')} THEN -1
    WHEN day_month > ifnull(month_start, -1) THEN day_used
    WHEN day_month = month_start THEN month_used + day_used
    ELSE ifnull(month_used, -1) END,
  ifnull(day_start, month_start),
  ifnull(day_used, 0)
FROM (
  SELECT names.account, m.start AS month_start, m.used AS month_used, d.start AS day_start, d.used AS day_used,
    ${monthOf('d.start')} AS day_month
  FROM (SELECT DISTINCT account FROM former) AS names
  LEFT JOIN former AS m ON m.account = names.account AND m.period = 'month'
  LEFT JOIN former AS d ON d.account = names.account AND d.period = 'day'
);`

/**
 * Version 3: the counters of an account are one JSON object, with a list of starts and counts for each kind of period, so that
 * a new kind needs no column. Damaged counts stay damaged.
 */
function joinBalances(database: Direct.Database): readonly PlanChosen[] {
  database.exec(`
ALTER TABLE quota RENAME TO quota_by_column;
CREATE TABLE quota (
  account TEXT PRIMARY KEY,
  counts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO quota SELECT account, json_object('month', ${balance('month')}, 'day', ${balance('day')}) FROM quota_by_column;
DROP TABLE quota_by_column;`)
  return []
}

function balance(kind: string): string {
  const [present, past] = [`${kind}_start, ${kind}_used`, `${kind}_past_start, ${kind}_past_used`]
  return `CASE WHEN ${kind}_past_start IS NULL AND ${kind}_past_used IS NULL THEN json_array(${present})
  ELSE json_array(${present}, ${past}) END`
}

/** Version 4: days that have left the counter of an account, for its usage by day. The index finds days that are too old. */
function addUsageDays(database: Direct.Database): readonly PlanChosen[] {
  database.exec(`
CREATE TABLE usage_days (
  account TEXT NOT NULL,
  day INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_day ON usage_days (day);`)
  return []
}
