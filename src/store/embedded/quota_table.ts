// The quota ledger in the SQLite file, and a limit on how long its writes may take.
import { printable } from '../../printable.ts'
import { withTimeout } from '../../timeout.ts'
import { type Counts, calendarKinds, type PeriodKind, periodKinds, readBalance } from '../quota_rule.ts'
import { StoreError } from '../store.ts'
import { asBytes, type Reader, type Row, type WriteConnection, type Writer, type WriteStatement } from './connection.ts'
import type { Entry, Ledger } from './quota.ts'
import { openUsageArchive, type UsageArchive } from './usage_table.ts'

/** Changes no row when the stored counts are not the expected ones. A damaged row fails alone, not with its transaction. */
const upsert = `
INSERT INTO quota (account, counts) VALUES (?, ?)
ON CONFLICT DO UPDATE SET counts = excluded.counts WHERE CASE WHEN json_valid(quota.counts) THEN json(quota.counts) = ? END`

export const select_counts = `SELECT ${asBytes('counts')} FROM quota WHERE account = ?`

export async function openLedger(reader: Reader, connection: WriteConnection, writer: Writer): Promise<Ledger> {
  const read = reader.prepare(select_counts)
  const write = await connection.prepare(upsert)
  const archive = await openUsageArchive(connection)
  // As it is; the page with it is written all the same.
  const [version] = reader.prepare('PRAGMA user_version').get() ?? []
  const touch = await connection.prepare(`PRAGMA user_version = ${Number(version)}`)
  return {
    read(account) {
      const row = guarded(() => read.get(account))
      return row === undefined ? null : toCounts(row)
    },
    record: entries =>
      writer
        .transaction(() => {
          if (entries.length === 0) touch.run()
          return entries.map(entry => change(write, archive, entry))
        })
        .catch((cause: unknown) => fail(cause)),
  }
}

function change(statement: WriteStatement, archive: UsageArchive, entry: Entry): boolean {
  const { account, before, after } = entry
  const isMade = statement.run(account, toText(after), before && toText(before)).changes === 1
  if (isMade) archive.add(entry)
  return isMade
}

/** A balance for each kind of period, always in the same order, so that equal counts are equal texts. */
const toText = (counts: Counts): string =>
  JSON.stringify(Object.fromEntries(periodKinds.map(kind => [kind, counts[kind]])))

/** Throws a StoreError for a damaged counter: it must not mean "unlimited". */
export function toCounts([stored]: Row): Counts {
  const text = String(stored)
  const values = parse(text)
  const balances = periodKinds.flatMap(kind => {
    if (values[kind] === undefined && !isAlwaysCounted(kind)) return []
    const balance = readBalance(kind, values[kind])
    if (balance === null) throw damaged(`the ${kind} counter is damaged`, text)
    return [[kind, balance] as const]
  })
  return Object.fromEntries(balances) as Counts
}

const isAlwaysCounted = (kind: PeriodKind): boolean => calendarKinds.some(one => one === kind)

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw damaged('the counters are damaged', text)
  }
}

/** Characters of a damaged counter in a message. */
const shown_max = 200

const damaged = (what: string, text: string): StoreError =>
  new StoreError('quota_store_error', `${what}: the store holds ${printable(text, shown_max)}`)

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
