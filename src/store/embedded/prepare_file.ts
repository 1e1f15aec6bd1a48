// The file of a store beside the keys: created if missing, and moved away when it is damaged, because the service must not stop
// for it, and nothing is overwritten or guessed.
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Direct from 'libsql'
import { makeDirectory } from '../../files.ts'
import { StoreError } from '../store.ts'
import { isDamage } from './connection.ts'
import type { DatabaseFile } from './database_file.ts'

const OWNER_ONLY = { directory: 0o700, file: 0o600 }

/** Milliseconds to wait for another process that creates the tables at the same time. */
const CREATE_MS = 5_000

export interface PreparedFile {
  /** Holds the file; created if missing. */
  readonly directory: string
  /** Wall clock, in milliseconds. */
  readonly now: () => number
  /** Called when a damaged file was moved away and an empty one was begun. */
  readonly damaged: (moved_to: string) => void
}

/** SQL that creates the tables, and the names of those that every read needs. */
export interface Tables {
  readonly sql: string
  readonly names: readonly string[]
}

/** Returns the path. Throws a StoreError when the file cannot be used. */
export function prepareFile(file: DatabaseFile, tables: Tables, { directory, now, damaged }: PreparedFile): string {
  const path = join(directory, file.name)
  try {
    makeDirectory(directory, OWNER_ONLY.directory)
    createTables(path, file, tables)
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (!isDamage(error)) throw new StoreError('store_unavailable', `cannot open ${path}: ${String(error)}`, error)
    const away = `${path}.damaged-${now()}`
    renameSync(path, away)
    for (const file of [`${path}-wal`, `${path}-shm`]) if (existsSync(file)) rmSync(file)
    damaged(away)
    createTables(path, file, tables)
  }
  return path
}

function createTables(path: string, { version: known }: DatabaseFile, { sql, names }: Tables): void {
  const database = new Direct(path, { timeout: CREATE_MS })
  try {
    chmodSync(path, OWNER_ONLY.file)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const version = () => (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
    if (version() > known)
      throw new StoreError('store_too_new', `${path} was written by a later release. Run that release.`)
    if (version() === 0) {
      database.exec('BEGIN IMMEDIATE')
      database.exec(version() === 0 ? `${sql}PRAGMA user_version = ${known};COMMIT` : 'COMMIT')
    }
    for (const name of names) database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get()
  } finally {
    database.close()
  }
}
