// The store in one SQLite file: everything a single instance needs.
import type { PlanChosen } from '../key_rows.ts'
import { createKeys, type KeyOptions, type Keys } from '../keys.ts'
import { type KeyStore, type LocalQuota, type Store, StoreError } from '../store.ts'
import {
  createWriter,
  openWriteConnection,
  patience_ms,
  type Reader,
  type WriteConnection,
  type Writer,
} from './connection.ts'
import { lockDirectory, openSound, prepareFile, refuseBrokenLog } from './file.ts'
import { openKeyRows } from './key_table.ts'
import { migrateFile } from './migrations.ts'
import { createQuota } from './quota.ts'
import { boundLedger, openLedger, write_ms } from './quota_table.ts'
import { type WatchedLedger, watchWrites } from './write_watch.ts'

export interface EmbeddedOptions extends Partial<KeyOptions> {
  /** Refuses a file with an earlier schema instead of migrating it. */
  readonly as_it_is?: boolean
  /** Called with the plans that a migration chose. */
  readonly chosen?: ((plans: readonly PlanChosen[]) => void) | undefined
  /** Holds `assay.db`; created if missing. */
  readonly directory: string
}

/** The keys alone, for the command line, which may run beside a service on the same directory. */
export interface KeyFile {
  readonly keys: KeyStore
  close(): Promise<void>
}

const defaults: KeyOptions = { prefix: 'assay', grace_ms: 24 * 60 * 60 * 1000, now: Date.now }

/** Opens the store for the one service of this directory. Rejects with a StoreError: `store_in_use` if there is another. */
export async function openStore(
  options: EmbeddedOptions,
): Promise<Store & Pick<WatchedLedger, 'fault'> & { readonly quota: LocalQuota }> {
  const path = prepareFile(options.directory)
  const lock = lockDirectory(options.directory)
  try {
    const opened = await openFile(path, options, patience_ms.server, migrate => migrate())
    const { reader, connection, writer, keys, close } = opened
    const bound = boundLedger(await openLedger(reader, connection, writer), write_ms)
    const ledger = watchWrites(bound, () => performance.now())
    const quota = createQuota(ledger, options.now ?? defaults.now)
    return {
      keys,
      quota,
      fault: ledger.fault,
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

/** Opens the keys of a directory, whether or not a service runs on it. Rejects with a StoreError. */
export async function openKeyFile(options: EmbeddedOptions): Promise<KeyFile> {
  const path = prepareFile(options.directory)
  const { keys, close } = await openFile(path, options, patience_ms.command, migrate => {
    if (options.as_it_is) {
      throw new StoreError('store_unavailable', `${path} has the schema of an earlier release and was not migrated`)
    }
    const lock = lockForMigration(options.directory)
    try {
      migrate()
    } finally {
      lock.release()
    }
  })
  return { keys, close }
}

/** A running service of an earlier release could not read the migrated file. */
function lockForMigration(directory: string): { release(): void } {
  try {
    return lockDirectory(directory)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store_in_use') throw error
    const advice = 'Restart that service with this release, which migrates the store.'
    throw new StoreError('store_in_use', `A service of an earlier release is running on ${directory}. ${advice}`, error)
  }
}

interface OpenFile {
  readonly reader: Reader
  readonly connection: WriteConnection
  readonly writer: Writer
  readonly keys: Keys
  close(): Promise<void>
}

/** `exclusively` runs the migrations while no other process uses the file. */
async function openFile(
  path: string,
  options: EmbeddedOptions,
  patience: number,
  exclusively: (migrate: () => void) => void,
): Promise<OpenFile> {
  await refuseBrokenLog(path)
  const { now = defaults.now } = options
  const reader = openSound(path, () =>
    exclusively(() => {
      const chosen = migrateFile(path, now())
      if (chosen.length > 0) options.chosen?.(chosen)
    }),
  )
  const connection = await openWriteConnection(path)
  const writer = createWriter(connection, patience)
  const keys = createKeys(await openKeyRows(reader, connection, writer), { ...defaults, ...options })
  async function close(): Promise<void> {
    await keys.close()
    // A copy of the one file is then a backup. If the checkpoint fails, the next start reads the log.
    await connection.exec('PRAGMA wal_checkpoint(PASSIVE)').catch(() => {})
    await writer.close()
    reader.close()
  }
  return { reader, connection, writer, keys, close }
}
