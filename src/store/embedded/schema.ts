// The tables. Times are milliseconds since the Unix epoch; `quota.start` is the first of the period that `used` counts.
export const schema_version = 1

export const schema = `
BEGIN;
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
) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${schema_version};
COMMIT;
`

/** Fail where a table or a column of these is not there. */
export const probes = [
  'SELECT id, account, hash, display, plan, label, created, last_used, expires, revoked FROM keys',
  'SELECT account, period, start, used FROM quota',
]
