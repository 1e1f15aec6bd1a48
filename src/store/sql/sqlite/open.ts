// The store in one SQLite file: everything that a machine alone needs. Several processes of it may open the file at once.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { StoreError } from '../../store.ts'
import { type Database, migrate, noteWrites } from '../database.ts'
import type { Schema } from '../schema.ts'
import { readingDialect, writingDialect } from './dialect.ts'
import { noteBoot, prepareFile, STORE_FILE, unavailable } from './file.ts'

/**
 * Milliseconds to wait for another process's transaction. A server must respond, and waits only for short transactions; a
 * command has time, and may compete with a server that commits without pause.
 */
export const PATIENCE_MS = { server: 2_000, command: 30_000 } as const

export interface SqliteOptions {
  /** Holds `assay.db`; created if missing. */
  readonly directory: string
  readonly patience_ms: number
  /** Rejects instead of making a store that is missing. */
  readonly must_exist?: boolean
}

/** Rejects with a StoreError when the file is damaged, cannot be used, or a later release wrote it. */
export async function openSqlite({ directory, patience_ms, must_exist = false }: SqliteOptions): Promise<Database> {
  if (must_exist && !existsSync(join(directory, STORE_FILE)))
    throw new StoreError('store_missing', `There is no store in ${directory}.`)
  const { path, is_new } = await prepareFile(directory)
  const read = new Kysely<Schema>({ dialect: readingDialect(path) })
  const write = new Kysely<Schema>({ dialect: await writingDialect(path, patience_ms) })
  const writes = noteWrites(() => performance.now())
  try {
    await migrate('sqlite', { read, write, must_exist })
    noteBoot(directory)
  } catch (error) {
    await Promise.all([read.destroy(), write.destroy()])
    throw error instanceof Error && error.name === 'StoreError' ? error : unavailable(path, error)
  }
  return {
    dialect: 'sqlite',
    read,
    is_new,
    transaction: work => writes.noted(write.transaction().execute(work)),
    sinceWrite: writes.since,
    async close() {
      await write.destroy()
      await read.destroy()
    },
  }
}
