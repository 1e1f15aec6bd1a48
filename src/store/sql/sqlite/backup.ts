// Backup and restore of the embedded store. A backup is one file: a copy of the database at one moment, also while a service
// writes (VACUUM INTO reads in one transaction and blocks no writer).
import { randomUUID } from 'node:crypto'
import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Kysely } from 'kysely'
import Direct from 'libsql'
import Threaded from 'libsql/promise'
import { makeDirectory } from '../../../base/files.ts'
import { StoreError } from '../../store.ts'
import { migrate } from '../database.ts'
import type { Schema } from '../schema.ts'
import { writingDialect } from './dialect.ts'
import {
  checkContent,
  createEmpty,
  damageOf,
  filesOf,
  lockDirectory,
  prepareFile,
  STORE_FILE,
  syncDirectory,
  whyUnusable,
} from './file.ts'

const OWNER_ONLY = 0o600
/** Milliseconds that the copy waits while another process recovers the log after a crash. */
const RECOVERY_MS = 2_000

export interface BackedUp {
  readonly path: string
  readonly bytes: number
}

/**
 * Creates the file `target` whole or not at all. Rejects with a StoreError when there is no store, it is damaged, or the target
 * exists or cannot be written.
 */
export async function backUp(directory: string, target: string): Promise<BackedUp> {
  if (!existsSync(join(directory, STORE_FILE)))
    throw new StoreError('store_unavailable', `${directory} has no store: there is no ${STORE_FILE}`)
  if (existsSync(target)) throw unwritable(target, 'it exists already')
  const { path: source } = await prepareFile(directory)
  const draft = `${target}.${randomUUID()}`
  try {
    makeDirectory(dirname(target))
    createEmpty(draft)
    const from = new Threaded(source, { timeout: RECOVERY_MS })
    try {
      await from.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`)
    } finally {
      from.close()
    }
    checkContent(draft, true)
    writeAhead(draft)
    await sync(draft)
    // Fails when another process has created it meanwhile.
    linkSync(draft, target)
    syncDirectory(dirname(target))
    return { path: target, bytes: statSync(target).size }
  } catch (error) {
    throw error instanceof StoreError ? error : unwritable(target, whyUnusable(error), error)
  } finally {
    removeDraft(draft)
  }
}

/**
 * Puts a backup into a data directory that has no store. Rejects with a StoreError when the backup is damaged or of a later
 * release, a service runs on the directory (`store_in_use`), or the directory has a store already.
 */
export async function restore(source: string, directory: string): Promise<BackedUp> {
  if (!existsSync(source)) throw new StoreError('store_damaged', `${source} is not a backup: there is no such file`)
  const lock = lockDirectory(directory)
  const path = join(directory, STORE_FILE)
  const draft = `${path}.${randomUUID()}`
  try {
    const occupiedFile = filesOf(path).find(file => existsSync(file))
    if (occupiedFile !== undefined)
      throw new StoreError(
        'store_unavailable',
        `${occupiedFile} exists: restore to an empty directory, or move its store away first`,
      )
    copyFileSync(source, draft, constants.COPYFILE_EXCL)
    chmodSync(draft, OWNER_ONLY)
    checkBackup(draft, source)
    const db = new Kysely<Schema>({ dialect: await writingDialect(draft, 0) })
    try {
      await migrate('sqlite', { read: db, write: db })
    } finally {
      await db.destroy()
    }
    await sync(draft)
    renameSync(draft, path)
    syncDirectory(directory)
    return { path, bytes: statSync(path).size }
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('store_unavailable', `cannot restore to ${directory}: ${whyUnusable(error)}`, error)
  } finally {
    removeDraft(draft)
    lock.release()
  }
}

/** Throws a StoreError when the copy of `source` is damaged or holds no store: SQLite takes an empty file for a new database. */
function checkBackup(draft: string, source: string): void {
  const damage = damageOf(draft, true)
  if (damage !== null) throw new StoreError('store_damaged', `${source} is damaged: ${damage.finding}`, damage.cause)
  const database = new Direct(draft)
  try {
    const row = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'").get()
    if (row === undefined) throw new StoreError('store_damaged', `${source} is not a backup: it holds no store`)
  } finally {
    database.close()
  }
}

/** Its directory may be missing, or be a file. */
function removeDraft(draft: string): void {
  for (const file of filesOf(draft)) if (existsSync(file)) rmSync(file)
}

/** A copy has the rollback journal; the service expects the write-ahead log, which the file's header selects. */
function writeAhead(path: string): void {
  const database = new Direct(path)
  try {
    database.exec('PRAGMA journal_mode = WAL')
  } finally {
    database.close()
  }
}

/** Resolves when the file is on the disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

const unwritable = (target: string, why: string, cause?: unknown) =>
  new StoreError('store_unavailable', `cannot write a backup to ${target}: ${why}`, cause)
