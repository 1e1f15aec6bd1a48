// Accounts and their keys in the SQLite file.
import { type DaysOfAccount, type KeyRows, storedTime } from '../key_rows.ts'
import { type Key, StoreError } from '../store.ts'
import { asBytes, type Reader, type Row, type Value, type WriteConnection, type Writer } from './connection.ts'
import { select_counts, toCounts } from './quota_table.ts'

const columns = 'id, account, display, label, created, last_used, expires, revoked'
const rows = `SELECT ${asBytes('keys.id', 'account', 'display', 'plan', 'label')}, created, last_used, expires, revoked FROM keys LEFT JOIN accounts ON accounts.id = account`

/** One index step for each plan; `DISTINCT` would read the whole index, even with a million accounts. */
const distinct_plans = `
WITH RECURSIVE held (name) AS (
  SELECT min(plan) FROM accounts
  UNION ALL SELECT (SELECT min(plan) FROM accounts WHERE plan > name) FROM held WHERE name IS NOT NULL
)
SELECT ${asBytes('name')} FROM held WHERE name IS NOT NULL`

/** The counter of an account and its archived days of a span, in one statement, so that no day is between them. */
const select_days = `
SELECT ${asBytes('counts')}, NULL, NULL FROM quota WHERE account = ?
UNION ALL SELECT NULL, day, answers FROM usage_days WHERE account = ? AND day BETWEEN ? AND ?`

const plan_holders = `
SELECT ${asBytes('plan')}, count(DISTINCT account), count(*) FROM keys JOIN accounts ON accounts.id = account
WHERE plan NOT IN (SELECT value FROM json_each(?)) AND revoked IS NULL AND (expires IS NULL OR expires > ?) GROUP BY plan`

export async function openKeyRows(reader: Reader, connection: WriteConnection, writer: Writer): Promise<KeyRows> {
  const byHash = reader.prepare(`${rows} WHERE hash = ?`)
  const byId = reader.prepare(`${rows} WHERE keys.id = ?`)
  const all = reader.prepare(`${rows} ORDER BY created, keys.id`)
  const any = reader.prepare('SELECT 1 FROM keys LIMIT 1')
  const planOf = reader.prepare(`SELECT ${asBytes('plan')} FROM accounts WHERE id = ?`)
  const countersOf = reader.prepare(select_counts)
  const daysOf = reader.prepare(select_days)
  const plans = reader.prepare(distinct_plans)
  const holders = reader.prepare(plan_holders)
  const open = await connection.prepare('INSERT INTO accounts (id, plan) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const insert = await connection.prepare(`INSERT INTO keys (hash, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const setPlan = await connection.prepare('UPDATE accounts SET plan = ? WHERE id = ?')
  const expire = await connection.prepare('UPDATE keys SET expires = ? WHERE id = ?')
  const revoke = await connection.prepare('UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?')
  const touch = await connection.prepare('UPDATE keys SET last_used = max(?, coalesce(last_used, 0)) WHERE id = ?')
  const change = <T>(work: () => T): Promise<T> => writer.transaction(work).catch(fail)
  const add = (hash: string, key: Key): boolean => {
    open.run(key.account, key.plan)
    return insert.run(hash, ...toValues(key)).changes === 1
  }
  const plan = (account: string): string | null => textOrNull(planOf.get(account)?.[0])

  return {
    byHash: hash => guarded(() => toKey(byHash.get(hash))),
    byId: id => guarded(() => toKey(byId.get(id))),
    all: () => guarded(() => all.all().flatMap(row => toKey(row) ?? [])),
    any: () => guarded(() => any.get() !== undefined),
    planOf: account => guarded(() => plan(account)),
    counts: accounts =>
      guarded(() => {
        const rows = accounts.map(account => [account, countersOf.get(account)] as const)
        return new Map(
          rows.flatMap(([account, row]) => (row === undefined ? [] : [[account, unlessDamaged(() => toCounts(row))]])),
        )
      }),
    days: (accounts, span) =>
      guarded(() => {
        const rows = accounts.map(account => [account, daysOf.all(account, account, span.from, span.to)] as const)
        return new Map(rows.map(([account, found]) => [account, unlessDamaged(() => toDays(found))]))
      }),
    holders: (known, now) =>
      guarded(() => {
        const strange = plans.all().flatMap(([name]) => textOrNull(name) ?? [])
        if (strange.every(name => known.includes(name))) return []
        const found = holders.all(JSON.stringify(known), now)
        return found.map(([plan, accounts, keys]) => ({
          plan: String(plan),
          accounts: Number(accounts),
          keys: Number(keys),
        }))
      }),
    setPlan: (account, name) =>
      change(() => {
        const before = plan(account)
        if (before !== null) setPlan.run(name, account)
        return before
      }),
    insert: (hash, key) =>
      change(() => {
        add(hash, key)
      }),
    insertFirst: (hash, key) => {
      const first = () => any.get() === undefined && add(hash, key)
      return writer.transaction(first).catch(fail)
    },
    succeed: (id, expires, hash, key) =>
      change(() => {
        add(hash, key)
        expire.run(expires.getTime(), id)
      }),
    revoke: (id, at) =>
      change(() => {
        revoke.run(at.getTime(), id)
      }),
    touch: uses =>
      change(() => {
        for (const [id, at] of uses) touch.run(at, id)
      }),
  }
}

const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

/** Throws a StoreError for a damaged counter. */
function toDays(rows: readonly Row[]): DaysOfAccount {
  const counter = rows.find(([counts]) => counts !== null)
  const archived = rows.flatMap(([counts, day, answers]) =>
    counts === null ? [[Number(day), Number(answers)] as const] : [],
  )
  return { balance: counter === undefined ? [] : toCounts(counter).day, archived }
}

function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function toKey(row: Row | undefined): Key | null {
  if (row === undefined) return null
  if (row[3] === null) throw new Error(`key ${String(row[0])} has no account`)
  return keyOf(row)
}

/** Text columns are bytes. Order: id, account, display, plan, label, created, last_used, expires, revoked. */
function keyOf(row: Row): Key {
  const [id, account, display, plan, label, created, last_used, expires, revoked] = row
  return {
    id: String(id),
    account: String(account),
    display: String(display),
    plan: String(plan),
    label: String(label),
    created: storedTime(created),
    last_used: toDate(last_used),
    expires: toDate(expires),
    revoked: toDate(revoked),
  }
}

const toDate = (value: unknown): Date | null => (value === null ? null : storedTime(value))

function toValues(key: Key): Value[] {
  const times = [key.created, key.last_used, key.expires, key.revoked].map(date => date?.getTime() ?? null)
  return [key.id, key.account, key.display, key.label, ...times]
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    return fail(cause)
  }
}

function fail(cause: unknown): never {
  throw new StoreError('key_store_error', `the keys cannot be accessed: ${String(cause)}`, cause)
}
