// The store's files: made whole or not at all, readable by their owner alone, refused when damaged.
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Direct from 'libsql'
import { StoreError } from '../store.ts'
import { holdLock, isBusy, isDamage, openReader, type Reader } from './connection.ts'
import { isBrokenWithin } from './log.ts'
import { probes, schema, schema_version } from './schema.ts'

const owner_only = { directory: 0o700, file: 0o600 }

/** The database, and what SQLite keeps beside it while it is open. */
const filesOf = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-shm`]

/** Creates what is missing, checks what is there; the path of the database. Throws a StoreError. */
export function prepareFile(directory: string): string {
  const path = join(directory, 'assay.db')
  try {
    mkdirSync(directory, { recursive: true, mode: owner_only.directory })
    if (!existsSync(path)) createDatabase(directory, path)
    for (const file of filesOf(path)) if (existsSync(file)) chmodSync(file, owner_only.file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw unavailable(directory, error)
  }
  if (statSync(path).size === 0) throw damaged(path, 'it is empty')
  return path
}

/** Milliseconds after which a log that another process is writing to is not the same any more. */
const still_ms = 50

/** Rejects with a StoreError when the log is damaged before its end: SQLite would drop what follows and go on. */
export async function refuseBrokenLog(path: string): Promise<void> {
  const read = () => readFile(`${path}-wal`).catch(absentLog)
  const log = await read()
  if (!isBrokenWithin(log)) return
  await pause(still_ms)
  if (log.equals(await read())) throw damaged(path, 'its write-ahead log is broken before its end')
}

function absentLog(fault: NodeJS.ErrnoException): Buffer {
  if (fault.code === 'ENOENT') return Buffer.alloc(0)
  throw new StoreError('store_unavailable', `cannot read the write-ahead log: ${fault.code}`, fault)
}

/** Opens for reading once version and structure are found sound. Throws a StoreError. */
export function openSound(path: string): Reader {
  let reader: Reader | undefined
  try {
    reader = openReader(path)
    const version = reader.prepare('PRAGMA user_version').get()?.[0]
    if (typeof version === 'number' && version > schema_version) throw tooNew(path, version)
    if (version !== schema_version) throw damaged(path, `its version is ${String(version)}`)
    // As octets: a finding may quote what is no text.
    const finding = String(reader.prepare('SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check(1)').get()?.[0])
    if (finding !== 'ok') throw damaged(path, finding)
    for (const probe of probes) reader.prepare(probe)
    return reader
  } catch (error) {
    reader?.close()
    if (error instanceof StoreError) throw error
    throw isDamage(error) ? damaged(path, String(error), error) : unavailable(path, error)
  }
}

/** The right to serve from this directory, until released or the process ends. Throws a StoreError when another has it. */
export function lockDirectory(directory: string): { release(): void } {
  const path = join(directory, 'assay.lock')
  try {
    // An open and close of an existing file would drop the locks this process holds on it (POSIX).
    if (!existsSync(path)) createEmpty(path)
    return holdLock(path)
  } catch (error) {
    if (isDamage(error)) throw noLock(path, error)
    if (!isBusy(error)) throw unavailable(path, error)
    throw new StoreError('store_in_use', `another process serves from ${directory}`, error)
  }
}

/**
 * Builds the database beside its place and links it there complete, so that an empty or partial file is always
 * damage and never a fresh start. When another process was faster, its file stays.
 */
function createDatabase(directory: string, path: string): void {
  // Looked for once more: another process may have made both just now.
  if (existsSync(`${path}-wal`) && !existsSync(path)) throw damaged(path, 'its write-ahead log is there without it')
  const draft = `${path}.${randomUUID()}`
  try {
    createEmpty(draft)
    fillDatabase(draft)
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    // On a full disk what is left of one attempt would be in the way of the next.
    for (const file of filesOf(draft)) rmSync(file, { force: true })
  }
  syncDirectory(directory)
}

function fillDatabase(path: string): void {
  const database = new Direct(path)
  try {
    database.exec(`PRAGMA journal_mode = WAL; ${schema}`)
  } finally {
    database.close()
  }
}

function createEmpty(path: string): void {
  closeSync(openSync(path, 'wx', owner_only.file))
}

/** A new name is durable once its directory is. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function unavailable(path: string, cause: unknown): StoreError {
  return new StoreError('store_unavailable', `cannot use ${path} for data: ${String(cause)}`, cause)
}

/** Told apart from damage of the store, which is sound beside it and must not be thrown away for it. */
function noLock(path: string, cause: unknown): StoreError {
  const advice = 'The store is not in it: remove it while no process serves from this directory.'
  return new StoreError('store_unavailable', `${path} is no lock. ${advice}`, cause)
}

function damaged(path: string, finding: string, cause?: unknown): StoreError {
  const advice =
    'Restore it from a backup, or move all of assay.db* away to start afresh: keys and counts are then lost.'
  return new StoreError('store_damaged', `${path} is damaged: ${finding}. ${advice}`, cause)
}

function tooNew(path: string, version: number): StoreError {
  return new StoreError(
    'store_too_new',
    `${path} was written by a later release (version ${version}, known ${schema_version})`,
  )
}
