// The migrations of the store, one list for SQLite and PostgreSQL. To change a table, append one: it must leave the tables usable
// for the version before it, which may still run beside this one.
import type { Migration, MigrationProvider } from 'kysely'
import { type Kysely, sql } from 'kysely'
import { claimStatements } from './postgres/claim_functions.ts'

/** What the two dialects call things. */
interface Words {
  /** The type of ASCII text. SQLite checks it whenever a file is opened, PostgreSQL orders it by octets as SQLite does. */
  readonly text: (column: string) => string
  readonly blob: string
  readonly whole: string
  readonly serial: string
  /** Follows the columns of a table; `keyed` when rows are stored by their primary key. */
  readonly table: string
  readonly keyed: string
  /** Claims: SQLite has them in another file. */
  readonly claims: readonly string[]
  /** Results as SQL shows them, with times, truth values and JSON as the dialect has them. */
  readonly views: readonly string[]
}

const resultsView = (checkedAt: string, complete: string, signals: string, join = '') => `CREATE VIEW results AS
SELECT id AS result_id, target, domain, ip, ${checkedAt} AS checked_at, risk_score, verdict, recommendation,
  ${complete} AS complete, ${signals} AS signals
FROM stored_results ${join} WHERE id IS NOT NULL`

const signalsView = (value: (part: string, type?: string) => string, each: string) => `CREATE VIEW result_signals AS
SELECT result_id, target, checked_at, risk_score, verdict, ${value('id')} AS signal, ${value('group')} AS signal_group,
  ${value('points', 'float8')} AS points
FROM results CROSS JOIN ${each}`

const words: Readonly<Record<'sqlite' | 'postgres', Words>> = {
  sqlite: {
    text: column => `${column} TEXT CHECK (${column} NOT GLOB '*[^ -~]*')`,
    blob: 'BLOB',
    whole: 'INTEGER',
    serial: 'INTEGER PRIMARY KEY',
    table: 'STRICT',
    keyed: 'STRICT, WITHOUT ROWID',
    claims: [],
    views: [
      resultsView("strftime('%Y-%m-%dT%H:%M:%SZ', checked_at / 1000, 'unixepoch')", 'complete', 'signals'),
      signalsView(part => `json_extract(one.value, '$.${part}')`, 'json_each(signals) AS one'),
    ],
  },
  postgres: {
    text: column => `${column} TEXT COLLATE "C"`,
    blob: 'BYTEA',
    whole: 'BIGINT',
    serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    table: '',
    keyed: '',
    claims: claimStatements,
    views: [
      // A view of one table could be written to.
      resultsView(
        ...(['to_timestamp(checked_at / 1000.0)', 'complete = 1', 'signals::jsonb'] as const),
        'CROSS JOIN (VALUES (1)) AS read_only',
      ),
      signalsView(
        (part, type = 'text') => `(one.value ->> '${part}')::${type}`,
        'LATERAL jsonb_array_elements(signals) AS one (value)',
      ),
    ],
  },
}

const first = ({ text, blob, whole, serial, table, keyed, views, claims }: Words): readonly string[] => [
  `CREATE TABLE settings (${text('name')} PRIMARY KEY, ${text('value')} NOT NULL) ${keyed}`,
  `CREATE TABLE accounts (${text('id')} PRIMARY KEY, ${text('plan')} NOT NULL) ${keyed}`,
  'CREATE INDEX accounts_plan ON accounts (plan)',
  `CREATE TABLE keys (
  ${text('id')} PRIMARY KEY, ${text('account')} NOT NULL, ${text('hash')} NOT NULL UNIQUE, ${text('display')} NOT NULL,
  ${text('label')} NOT NULL, created ${whole} NOT NULL, last_used ${whole}, expires ${whole}, revoked ${whole}
) ${keyed}`,
  'CREATE INDEX keys_account ON keys (account)',
  `CREATE TABLE usage (${text('account')} PRIMARY KEY, ${text('counts')} NOT NULL) ${keyed}`,
  `CREATE TABLE usage_days (
  ${text('account')} NOT NULL, day ${whole} NOT NULL, answers ${whole} NOT NULL, PRIMARY KEY (account, day)
) ${keyed}`,
  'CREATE INDEX usage_days_day ON usage_days (day)',
  `CREATE TABLE stored_results (
  place ${serial}, ${text('id')} UNIQUE, ${text('cache_key')} NOT NULL, ${text('class')} NOT NULL,
  checked_at ${whole} NOT NULL, expires_at ${whole} NOT NULL, useful_until ${whole} NOT NULL,
  ${text('target')}, ${text('domain')}, ${text('ip')}, risk_score ${whole}, ${text('verdict')}, ${text('recommendation')},
  complete ${whole}, ${text('signals')}, ${text('facets')}, octets ${whole} NOT NULL, body ${blob}
) ${table}`,
  `CREATE TABLE pictures (
  ${text('result_id')} NOT NULL REFERENCES stored_results (id) ON DELETE CASCADE, ${text('kind')} NOT NULL,
  ${text('media_type')} NOT NULL, body ${blob} NOT NULL, PRIMARY KEY (result_id, kind)
) ${keyed}`,
  'CREATE INDEX stored_results_cache ON stored_results (cache_key, useful_until)',
  'CREATE INDEX stored_results_age ON stored_results (checked_at) WHERE id IS NOT NULL',
  'CREATE INDEX stored_results_kept ON stored_results (checked_at) WHERE id IS NOT NULL AND body IS NOT NULL',
  'CREATE INDEX stored_results_unnamed ON stored_results (useful_until) WHERE id IS NULL',
  `CREATE TABLE totals (${text('name')} NOT NULL, slot ${whole} NOT NULL, value ${whole} NOT NULL, PRIMARY KEY (name, slot)) ${keyed}`,
  // For people and their tools: docs/history.md describes both views.
  ...views,
  `CREATE TABLE sightings (
  ${text('account')} NOT NULL, ${text('target')} NOT NULL, checked_at ${whole} NOT NULL,
  ${text('id')} NOT NULL REFERENCES stored_results (id) ON DELETE CASCADE, PRIMARY KEY (account, target, checked_at, id)
) ${keyed}`,
  'CREATE INDEX sightings_latest ON sightings (account, checked_at, id)',
  'CREATE INDEX sightings_result ON sightings (id, account)',
  `CREATE TABLE facets (
  ${text('account')} NOT NULL, ${text('target')} NOT NULL, ${text('kind')} NOT NULL, ${text('value')} NOT NULL,
  checked_at ${whole} NOT NULL, ${text('id')} NOT NULL, PRIMARY KEY (account, target, kind, value),
  FOREIGN KEY (account, target, checked_at, id) REFERENCES sightings ON DELETE CASCADE
) ${keyed}`,
  'CREATE INDEX facets_search ON facets (account, kind, value, checked_at, target)',
  `CREATE TABLE targets (${text('target')} PRIMARY KEY, first ${whole} NOT NULL, last ${whole} NOT NULL) ${keyed}`,
  'CREATE INDEX targets_age ON targets (last)',
  `CREATE TABLE shares (
  ${text('id')} PRIMARY KEY, ${text('token_hash')} NOT NULL UNIQUE, ${text('account')} NOT NULL,
  ${text('result_id')} NOT NULL REFERENCES stored_results (id) ON DELETE CASCADE, created ${whole} NOT NULL
) ${keyed}`,
  'CREATE INDEX shares_result ON shares (result_id)',
  'CREATE INDEX shares_account ON shares (account)',
  `CREATE TABLE watches (
  ${text('id')} PRIMARY KEY, ${text('account')} NOT NULL, created ${whole} NOT NULL, ${text('terms')} NOT NULL,
  ${text('state')} NOT NULL, next_at ${whole}
) ${keyed}`,
  'CREATE INDEX watches_account ON watches (account, created)',
  'CREATE INDEX watches_due ON watches (next_at) WHERE next_at IS NOT NULL',
  `CREATE TABLE deliveries (
  ${text('id')} PRIMARY KEY, ${text('watch')} NOT NULL REFERENCES watches (id) ON DELETE CASCADE, ${text('account')} NOT NULL,
  ${text('type')} NOT NULL, ${text('event')} NOT NULL, created ${whole} NOT NULL, ${text('state')} NOT NULL,
  attempt ${whole} NOT NULL, failed ${whole} NOT NULL, next_at ${whole}, ${text('last')}
) ${keyed}`,
  'CREATE INDEX deliveries_watch ON deliveries (watch, created)',
  'CREATE INDEX deliveries_due ON deliveries (next_at) WHERE next_at IS NOT NULL',
  `CREATE TABLE jobs (
  ${text('id')} PRIMARY KEY, ${text('account')} NOT NULL, created ${whole} NOT NULL, ${text('terms')} NOT NULL,
  ${text('status')} NOT NULL, ${text('reason')}, next_at ${whole}, ended ${whole}, stalls ${whole} NOT NULL,
  safe ${whole} NOT NULL DEFAULT 0, suspicious ${whole} NOT NULL DEFAULT 0, malicious ${whole} NOT NULL DEFAULT 0,
  error ${whole} NOT NULL DEFAULT 0, octets ${whole} NOT NULL, targets ${blob} NOT NULL
) ${keyed}`,
  'CREATE INDEX jobs_account ON jobs (account, created)',
  'CREATE INDEX jobs_due ON jobs (next_at) WHERE next_at IS NOT NULL',
  'CREATE INDEX jobs_ended ON jobs (ended) WHERE ended IS NOT NULL',
  `CREATE TABLE job_records (
  ${text('job')} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, line ${whole} NOT NULL, ordinal ${whole} NOT NULL,
  ${text('kind')} NOT NULL, body ${blob} NOT NULL, PRIMARY KEY (job, line)
) ${keyed}`,
  'CREATE UNIQUE INDEX job_records_order ON job_records (job, ordinal)',
  `CREATE TABLE bulk_targets (
  ${text('queue')} NOT NULL, ${text('id')} NOT NULL, ${text('target')} NOT NULL, asked ${whole} NOT NULL, next_at ${whole},
  attempt ${whole} NOT NULL, ended ${whole}, expires ${whole} NOT NULL, ${text('policy')}, answer ${blob}, PRIMARY KEY (queue, id)
) ${keyed}`,
  'CREATE INDEX bulk_targets_due ON bulk_targets (queue, next_at) WHERE next_at IS NOT NULL',
  'CREATE INDEX bulk_targets_asked ON bulk_targets (asked)',
  `CREATE TABLE leases (${text('name')} PRIMARY KEY, ${text('holder')} NOT NULL, until ${whole} NOT NULL) ${keyed}`,
  `CREATE TABLE allowances (${text('upstream')} PRIMARY KEY, ${text('state')} NOT NULL) ${keyed}`,
  `CREATE TABLE wrong_keys (${text('client')} PRIMARY KEY, ${text('guesses')} NOT NULL, at ${whole} NOT NULL) ${keyed}`,
  'CREATE INDEX wrong_keys_age ON wrong_keys (at)',
  ...claims,
]

const migrations: Readonly<Record<string, (words: Words) => readonly string[]>> = {
  '0001': first,
}

/** The version that this release writes. */
export const NEWEST = Object.keys(migrations).at(-1) ?? ''

/** For Kysely's `Migrator`, which runs those that the store has not seen in the order of their names. */
export const migrationsFor = (dialect: keyof typeof words): MigrationProvider => ({
  async getMigrations() {
    const all = Object.entries(migrations).map(([name, statements]): [string, Migration] => [
      name,
      { up: db => runAll(db, statements(words[dialect])) },
    ])
    return Object.fromEntries(all)
  },
})

async function runAll(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
