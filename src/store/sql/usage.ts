// The counts of accounts in the database: one row an account with its counts by period, and the days that have left them.
import { CompiledQuery } from 'kysely'
import { printable } from '../../base/printable.ts'
import { type Counts, calendarKinds, type PeriodKind, periodKinds, readBalance } from '../../config/quota_rule.ts'
import { StoreError } from '../store.ts'
import { storedObject } from '../stored_object.ts'
import { type DayCount, type DaySpan, daysWithin, oldestKept, type StoredDay } from '../usage_days.ts'
import type { Change, Database, Dialect } from './database.ts'
import { createLockedRows, EMPTY } from './locked_rows.ts'

export const createUsageRows = (database: Database) =>
  createLockedRows(database, { table: 'usage', name: 'account', text: 'counts' })

/** Characters of a damaged counter in a message. */
const TEXT_LENGTH = 200

/** Null when nothing is counted yet. Throws a StoreError for a damaged counter: it must not mean "unlimited". */
export function toCounts(text: string): Counts | null {
  if (text === EMPTY) return null
  const values = storedObject(text)
  if (values === null) throw damageError('the counters are damaged', text)
  const counts: { [kind in PeriodKind]?: readonly number[] } = {}
  for (const kind of periodKinds) {
    if (values[kind] === undefined && !isAlwaysCounted(kind)) continue
    const balance = readBalance(kind, values[kind])
    if (balance === null) throw damageError(`the ${kind} counter is damaged`, text)
    counts[kind] = balance
  }
  return counts as Counts
}

const isAlwaysCounted = (kind: PeriodKind): boolean => calendarKinds.some(one => one === kind)

const damageError = (what: string, text: string): StoreError =>
  new StoreError('quota_store_error', `${what}: the store holds ${printable(text, TEXT_LENGTH)}`)

/** The value that `read` returns; null when it throws. */
export function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Days that have left the counts of one account. */
export interface Leaving {
  readonly account: string
  readonly days: readonly StoredDay[]
  /** The first day that its counts hold. */
  readonly current: number
}

/** Old days that one added day removes: more than one, so that days of idle accounts are removed too, and few, so that writes stay short. */
const REMOVALS_PER_DAY = 50

const dayStatements: Readonly<
  Record<Dialect, { readonly add: string; readonly remove: string; readonly read: string }>
> = {
  sqlite: {
    add: `INSERT INTO usage_days (account, day, answers)
SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true
ON CONFLICT (account, day) DO UPDATE SET answers = answers + excluded.answers`,
    remove: `DELETE FROM usage_days WHERE (account, day) IN
(SELECT account, day FROM usage_days WHERE day < ?1 ORDER BY day LIMIT ?2)`,
    read: `WITH wanted AS (SELECT value AS account FROM json_each(?1))
SELECT account, counts, NULL AS day, NULL AS answers FROM usage WHERE account IN (SELECT account FROM wanted)
UNION ALL SELECT account, NULL, day, answers FROM usage_days
WHERE account IN (SELECT account FROM wanted) AND day BETWEEN ?2 AND ?3`,
  },
  postgres: {
    add: `INSERT INTO usage_days (account, day, answers)
SELECT value ->> 0, (value ->> 1)::bigint, (value ->> 2)::bigint FROM json_array_elements($1::json)
ON CONFLICT (account, day) DO UPDATE SET answers = usage_days.answers + excluded.answers`,
    // What another process removes at the same moment needs no second one.
    remove: `DELETE FROM usage_days WHERE (account, day) IN
(SELECT account, day FROM usage_days WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    read: `SELECT account, counts, NULL::bigint AS day, NULL::bigint AS answers FROM usage WHERE account = ANY ($1::text[])
UNION ALL SELECT account, NULL, day, answers FROM usage_days WHERE account = ANY ($1::text[]) AND day BETWEEN $2 AND $3`,
  },
}

/** Adds the days to those that are kept, and removes some that are too old. */
export async function archiveDays({ dialect }: Database, change: Change, leaving: readonly Leaving[]): Promise<void> {
  const rows = leaving.flatMap(({ account, days }) => days.map(([day, answers]) => [account, day, answers]))
  if (rows.length === 0) return
  const { add, remove } = dayStatements[dialect]
  const oldest = Math.min(...leaving.flatMap(({ days, current }) => days.map(([day]) => oldestKept(day, current))))
  await change.executeQuery(CompiledQuery.raw(add, [JSON.stringify(rows)]))
  await change.executeQuery(CompiledQuery.raw(remove, [oldest, REMOVALS_PER_DAY * rows.length]))
}

interface DayRow {
  readonly account: string
  readonly counts: string | null
  readonly day: number
  readonly answers: number
}

/** The answers of each account by day; null for a damaged counter. One statement, so that no day is between the two tables. */
export async function usageByDay(
  { dialect, read }: Database,
  accounts: readonly string[],
  span: DaySpan,
  now: number,
): Promise<ReadonlyMap<string, readonly DayCount[] | null>> {
  const list = dialect === 'sqlite' ? JSON.stringify(accounts) : accounts
  const { rows } = await read.executeQuery<DayRow>(
    CompiledQuery.raw(dayStatements[dialect].read, [list, span.from, span.to]),
  )
  const byAccount = new Map<string, DayRow[]>()
  for (const row of rows) byAccount.set(row.account, [...(byAccount.get(row.account) ?? []), row])
  return new Map(
    accounts.map(account => {
      const all = byAccount.get(account) ?? []
      const archivedDays = all.flatMap(({ counts, day, answers }) => (counts === null ? [[day, answers] as const] : []))
      const text = all.find(({ counts }) => counts !== null)?.counts ?? EMPTY
      return [account, unlessDamaged(() => daysWithin(span, toCounts(text)?.day ?? [], archivedDays, now))]
    }),
  )
}
