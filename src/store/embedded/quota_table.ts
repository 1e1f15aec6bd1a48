// The quota ledger in the SQLite file, and a limit on how long its writes may take.
import { withTimeout } from '../../timeout.ts'
import { type Counts, type PeriodKind, periodKinds, perPeriod, readBalance } from '../quota_rule.ts'
import { StoreError } from '../store.ts'
import type { Reader, Row, Value, WriteConnection, Writer, WriteStatement } from './connection.ts'
import type { Entry, Ledger } from './quota.ts'

const columnsOf = (kind: PeriodKind) => ['start', 'used', 'past_start', 'past_used'].map(name => `${kind}_${name}`)
const columns = periodKinds.flatMap(columnsOf)
/** Never null: they identify the row that a write expects. */
const identifying = periodKinds.flatMap(kind => columnsOf(kind).slice(0, 2))

/** Changes no row when the stored counts are not the expected ones. */
const upsert = `
INSERT INTO quota (account, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
ON CONFLICT DO UPDATE SET ${columns.map(name => `${name} = excluded.${name}`).join(', ')}
WHERE ${identifying.map(name => `quota.${name} = ?`).join(' AND ')}`

export const select_counts = `SELECT ${columns.join(', ')} FROM quota WHERE account = ?`

export async function openLedger(reader: Reader, connection: WriteConnection, writer: Writer): Promise<Ledger> {
  const read = reader.prepare(select_counts)
  const write = await connection.prepare(upsert)
  return {
    read(account) {
      const row = guarded(() => read.get(account))
      return row === undefined ? null : toCounts(row)
    },
    record: entries =>
      writer.transaction(() => entries.map(entry => change(write, entry))).catch((cause: unknown) => fail(cause)),
  }
}

function change(statement: WriteStatement, { account, before, after }: Entry): boolean {
  const expected = periodKinds.flatMap(kind => [before?.[kind].start ?? null, before?.[kind].used ?? null])
  return statement.run(account, ...toValues(after), ...expected).changes === 1
}

/** Takes the values in the order of the columns. Throws a StoreError for a damaged counter: it must not mean "unlimited". */
export const toCounts = (row: Row): Counts =>
  perPeriod(kind => {
    const at = columns.indexOf(columnsOf(kind)[0] ?? '')
    const balance = readBalance(kind, row.slice(at, at + 2), row.slice(at + 2, at + 4))
    if (balance !== null) return balance
    const values = row
      .slice(at, at + 4)
      .map(String)
      .join(', ')
    throw new StoreError('quota_store_error', `the ${kind} counter is damaged: it holds (${values})`)
  })

const toValues = (counts: Counts): Value[] =>
  periodKinds.flatMap(kind => {
    const { start, used, past } = counts[kind]
    return [start, used, past?.start ?? null, past?.used ?? null]
  })

/** Milliseconds that a write may take. A slow disk delays answers; a disk that hangs must not keep clients waiting. */
export const write_ms = 2_000

/**
 * Ends each write within `most_ms`. A late write goes on and may still count its answers; until it ends, everything fails
 * at once, so that requests are refused before work is done for them. Afterwards counts are read again, and each write is
 * made only upon what was read, so nothing is counted twice or forgotten.
 */
export function boundLedger(ledger: Ledger, most_ms: number): Ledger {
  let overdue = 0

  function refuseOverdue(): void {
    if (overdue > 0) throw late()
  }

  return {
    read(account) {
      refuseOverdue()
      return ledger.read(account)
    },
    async record(entries) {
      refuseOverdue()
      const write = ledger.record(entries)
      return withTimeout(write, most_ms, () => {
        overdue += 1
        const end = () => {
          overdue -= 1
        }
        write.then(end, end)
        throw late()
      })
    },
  }
}

const late = () => new StoreError('quota_store_error', 'the disk takes too long to write')

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    return fail(cause)
  }
}

function fail(cause: unknown): never {
  throw new StoreError('quota_store_error', `the quota counters cannot be accessed: ${String(cause)}`, cause)
}
