// One transaction after the other on one connection.
import type { WriteConnection } from './connection.ts'

export interface Writer {
  /** Runs `work` in a transaction; resolves with its value when that is durable, rejects when nothing of it is. */
  transaction<T>(work: () => T): Promise<T>
  close(): Promise<void>
}

export function createWriter(connection: WriteConnection): Writer {
  let last: Promise<unknown> = Promise.resolve()

  function transaction<T>(work: () => T): Promise<T> {
    const result = last.then(() => transact(connection, work))
    last = result.catch(() => {})
    return result
  }

  return {
    transaction,
    async close() {
      await last
      connection.close()
    },
  }
}

async function transact<T>(connection: WriteConnection, work: () => T): Promise<T> {
  await connection.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    await connection.exec('COMMIT')
    return value
  } catch (error) {
    // A full disk may have rolled back already.
    if (connection.inTransaction()) await connection.exec('ROLLBACK')
    throw error
  }
}
