// A backup of the embedded store: a directory with a copy of each database and a manifest with their checksums. A copy is
// one moment of its database, also while a service writes (VACUUM INTO reads in one transaction and blocks no writer).
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Direct from 'libsql'
import Threaded from 'libsql/promise'
import { makeDirectory } from '../../files.ts'
import { StoreError } from '../store.ts'
import { type DatabaseFile, draftOf, inspectDatabase } from './database_file.ts'
import { databases } from './databases.ts'
import { createEmpty, damaged, refuseBrokenLog, syncDirectory, whyUnusable } from './file.ts'

export const MANIFEST = 'manifest.json'
/** Changes when an earlier release could not restore what this one writes. */
export const FORMAT = 1

const OWNER_ONLY = { directory: 0o700, file: 0o600 }

/** Milliseconds that the copy waits while another process recovers the log after a crash. */
const RECOVERY_MS = 2_000

export interface BackedUp {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  readonly schema_version: number
}

export interface Manifest {
  readonly format: number
  /** The release that made the backup. */
  readonly assay: string
  /** ISO 8601 in UTC: when it began. Nothing written later is in it. */
  readonly created_at: string
  readonly files: readonly BackedUp[]
}

export interface BackupOptions {
  /** The data directory. */
  readonly directory: string
  /** The directory to create. */
  readonly target: string
  readonly release: string
  /** Wall clock, in milliseconds. */
  readonly now: number
}

/**
 * Creates the target whole or not at all. Rejects with a StoreError when there is no store, a database is damaged, or the
 * target exists or cannot be written.
 */
export async function backUp({ directory, target, release, now }: BackupOptions): Promise<Manifest> {
  const [keys] = databases
  if (!existsSync(join(directory, keys.name)))
    throw new StoreError('store_unavailable', `${directory} has no store: there is no ${keys.name}`)
  if (existsSync(target)) throw unwritable(target, 'it exists already')
  const draft = draftOf(target, `partial-${randomUUID()}`)
  try {
    makeDirectory(dirname(target))
    makeDirectory(draft, OWNER_ONLY.directory)
    const files: BackedUp[] = []
    for (const database of databases) {
      const source = join(directory, database.name)
      if (existsSync(source)) files.push(await copied(source, join(draft, database.name), database))
    }
    const manifest = {
      format: FORMAT,
      assay: release,
      created_at: `${new Date(now).toISOString().slice(0, 19)}Z`,
      files,
    }
    const path = join(draft, MANIFEST)
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: OWNER_ONLY.file, flag: 'wx' })
    await sync(path)
    syncDirectory(draft)
    // Fails when another process has created the target meanwhile and put something into it.
    renameSync(draft, target)
    syncDirectory(dirname(target))
    return manifest
  } catch (error) {
    if (existsSync(draft)) rmSync(draft, { recursive: true })
    throw error instanceof StoreError ? error : unwritable(target, whyUnusable(error), error)
  }
}

async function copied(source: string, copy: string, database: DatabaseFile): Promise<BackedUp> {
  await refuseBrokenLog(source)
  const found = inspectDatabase(source, database)
  if (found.damage !== null) throw damaged(source, found.damage)
  createEmpty(copy)
  const from = new Threaded(source, { timeout: RECOVERY_MS })
  try {
    await from.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
  } catch (error) {
    throw new StoreError('store_unavailable', `cannot copy ${source}: ${String(error)}`, error)
  } finally {
    from.close()
  }
  const { version, damage } = inspectDatabase(copy, database, { thoroughly: true })
  if (damage !== null) throw damaged(source, damage)
  writeAhead(copy)
  await sync(copy)
  return { name: database.name, bytes: statSync(copy).size, sha256: await sha256Of(copy), schema_version: version }
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

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Resolves when the file is on the disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

const unwritable = (target: string, why: string, cause?: unknown) =>
  new StoreError('store_unavailable', `cannot write a backup to ${target}: ${why}`, cause)
