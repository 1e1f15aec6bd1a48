// One transaction after the other on one connection.
import { setTimeout as sleep } from 'node:timers/promises'
import type { WriteConnection } from './connection.ts'

export interface Writer {
  /** Runs `work` in a transaction; resolves with its value when that is durable, rejects when nothing of it is. */
  transaction<T>(work: () => T): Promise<T>
  close(): Promise<void>
}

/**
 * Milliseconds to wait for another process's transaction. A server must answer, and what it waits for is short;
 * a command has time, and may meet a server that commits without pause.
 */
export const patience_ms = { server: 2_000, command: 30_000 }

/** Milliseconds between two looks whether the other is done: a transaction takes one or two. */
const look_ms = 1

/** `patience` is one of `patience_ms`. */
export function createWriter(connection: WriteConnection, patience: number): Writer {
  let last: Promise<unknown> = Promise.resolve()

  function transaction<T>(work: () => T): Promise<T> {
    const result = last.then(() => transact(work))
    last = result.catch(() => {})
    return result
  }

  async function transact<T>(work: () => T): Promise<T> {
    await begin()
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

  async function begin(): Promise<void> {
    const end = performance.now() + patience
    while (!connection.begin()) {
      if (performance.now() >= end) throw new Error('another process does not end its transaction')
      await sleep(look_ms)
    }
  }

  return {
    transaction,
    async close() {
      await last
      connection.close()
    },
  }
}
