// The store in one SQLite file: all that a single instance needs.
import { createKeys, type KeyOptions, type Keys } from '../keys.ts'
import { createQuota } from '../quota.ts'
import type { KeyStore, Store } from '../store.ts'
import { boundLedger, write_ms } from './bounded_ledger.ts'
import { openWriteConnection, type Reader, type WriteConnection } from './connection.ts'
import { lockDirectory, openSound, prepareFile, refuseBrokenLog } from './file.ts'
import { openKeyRows } from './key_table.ts'
import { openLedger } from './quota_table.ts'
import { createWriter, patience_ms, type Writer } from './writer.ts'

export interface EmbeddedOptions extends Partial<KeyOptions> {
  /** Holds `assay.db`; created when missing. */
  readonly directory: string
}

/** Keys alone, for the command line: works beside a server on the same directory. */
export interface KeyFile {
  readonly keys: KeyStore
  close(): Promise<void>
}

const defaults: KeyOptions = { prefix: 'assay', grace_ms: 24 * 60 * 60 * 1000, now: Date.now }

/** The store of the one server of this directory. Rejects with a StoreError, `store_in_use` when there is another. */
export async function openStore(options: EmbeddedOptions): Promise<Store> {
  const path = prepareFile(options.directory)
  const lock = lockDirectory(options.directory)
  try {
    const { reader, connection, writer, keys, close } = await openFile(path, options, patience_ms.server)
    const ledger = boundLedger(await openLedger(reader, connection, writer), write_ms)
    const quota = createQuota(ledger, options.now ?? defaults.now)
    return {
      keys,
      quota,
      async close() {
        await quota.drain()
        await close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The keys of a directory, whether or not a server is running on it. Rejects with a StoreError. */
export async function openKeyFile(options: EmbeddedOptions): Promise<KeyFile> {
  const { keys, close } = await openFile(prepareFile(options.directory), options, patience_ms.command)
  return { keys, close }
}

interface OpenFile {
  readonly reader: Reader
  readonly connection: WriteConnection
  readonly writer: Writer
  readonly keys: Keys
  close(): Promise<void>
}

async function openFile(path: string, options: EmbeddedOptions, patience: number): Promise<OpenFile> {
  await refuseBrokenLog(path)
  const reader = openSound(path)
  const connection = await openWriteConnection(path)
  const writer = createWriter(connection, patience)
  const keys = createKeys(await openKeyRows(reader, connection, writer), { ...defaults, ...options })
  async function close(): Promise<void> {
    await keys.close()
    // So that a copy of the one file is a backup. When it cannot be done now, the next start reads the log.
    await connection.exec('PRAGMA wal_checkpoint(PASSIVE)').catch(() => {})
    await writer.close()
    reader.close()
  }
  return { reader, connection, writer, keys, close }
}
