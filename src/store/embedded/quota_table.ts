// The ledger of the quota in the embedded file.
import { balance, type Entry, type Ledger } from '../ledger.ts'
import { StoreError } from '../store.ts'
import type { Reader, WriteConnection, WriteStatement } from './connection.ts'
import type { Writer } from './writer.ts'

/** Changes nothing when the stored row is not the one expected: 0 changes tell. */
const upsert = `
INSERT INTO quota (account, period, start, used) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET start = excluded.start, used = excluded.used WHERE quota.start = ? AND quota.used = ?`

const select = 'SELECT start, used FROM quota WHERE account = ? AND period = ?'

export async function openLedger(reader: Reader, connection: WriteConnection, writer: Writer): Promise<Ledger> {
  const read = reader.prepare(select)
  const write = await connection.prepare(upsert)
  return {
    read(account, period) {
      const row = guarded(() => read.get(account, period))
      return row === undefined ? null : balance(row[0], row[1], period)
    },
    record: entries =>
      writer.transaction(() => entries.map(entry => change(write, entry))).catch((cause: unknown) => fail(cause)),
  }
}

function change(statement: WriteStatement, { account, period, before, after }: Entry): boolean {
  const expected = [before?.start ?? null, before?.used ?? null]
  return statement.run(account, period, after.start, after.used, ...expected).changes === 1
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    return fail(cause)
  }
}

function fail(cause: unknown): never {
  throw new StoreError('quota_store_error', `the quota cannot be reached: ${String(cause)}`, cause)
}
