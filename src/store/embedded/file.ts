// The files of the embedded store: created whole or not at all, readable by their owner only, refused when damaged.
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Direct from 'libsql'
import { makeDirectory } from '../../files.ts'
import { StoreError } from '../store.ts'
import { holdLock, isBusy, isDamage, isLocked, openReader, type Reader } from './connection.ts'
import { type DatabaseFile, draftOf, filesOf, tooNew } from './database_file.ts'
import { migrateFile, probesOf, schema_version } from './migrations.ts'
import { isBrokenWithin } from './write_ahead_log.ts'

const owner_only = { directory: 0o700, file: 0o600 }

export const keysDatabase: DatabaseFile = {
  name: 'assay.db',
  holds: 'keys, accounts and counts',
  version: schema_version,
}

/** Creates missing files and checks existing ones; returns the path of the database. Throws a StoreError. */
export function prepareFile(directory: string): string {
  const path = join(directory, keysDatabase.name)
  try {
    makeDirectory(directory, owner_only.directory)
    if (!existsSync(path)) createDatabase(directory, path)
    for (const file of filesOf(path)) if (existsSync(file)) chmodSync(file, owner_only.file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw unavailable(directory, error)
  }
  if (statSync(path).size === 0) throw damaged(path, 'it is empty')
  return path
}

/** Milliseconds after which a log that another process writes to has changed. */
const still_ms = 50

/** Rejects with a StoreError when the log is damaged before its end: SQLite would drop everything after that and go on. */
export async function refuseBrokenLog(path: string): Promise<void> {
  const read = () => readFile(`${path}-wal`).catch(absentLog)
  const log = await read()
  if (!isBrokenWithin(log)) return
  await pause(still_ms)
  if (log.equals(await read())) throw damaged(path, 'its write-ahead log is damaged before the end')
}

function absentLog(fault: NodeJS.ErrnoException): Buffer {
  if (fault.code === 'ENOENT') return Buffer.alloc(0)
  throw new StoreError('store_unavailable', `cannot read the write-ahead log: ${fault.code}`, fault)
}

/** Opens the file for reading after checking its version and structure; `migrate` runs if its version is earlier. Throws a StoreError. */
export function openSound(path: string, migrate: () => void): Reader {
  const { reader, version } = openChecked(path)
  if (version === schema_version) return reader
  reader.close()
  try {
    migrate()
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(
      'store_unavailable',
      `cannot migrate ${path}: ${whyUnusable(error)}. It was rolled back.`,
      error,
    )
  }
  return openChecked(path).reader
}

function openChecked(path: string): { readonly reader: Reader; readonly version: number } {
  let reader: Reader | undefined
  try {
    reader = openReader(path)
    const version = Number(reader.prepare('PRAGMA user_version').get()?.[0])
    if (version > schema_version) throw tooNew(path, version, schema_version)
    const probes = probesOf(version)
    if (probes === undefined) throw damaged(path, `schema version ${version} does not exist`)
    // Read as bytes: a finding may quote text that is not valid UTF-8.
    const finding = String(reader.prepare('SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check(1)').get()?.[0])
    if (finding !== 'ok') throw damaged(path, finding)
    for (const probe of probes) reader.prepare(probe)
    return { reader, version }
  } catch (error) {
    reader?.close()
    if (error instanceof StoreError) throw error
    throw isDamage(error) ? damaged(path, String(error), error) : unavailable(path, error)
  }
}

/** Whether a service runs on the directory. Changes nothing. */
export function isServed(directory: string): boolean {
  const path = join(directory, LOCK)
  try {
    return existsSync(path) && isLocked(path)
  } catch {
    return false
  }
}

const LOCK = 'assay.lock'

/** Takes the right to serve from this directory, until released or the process ends. Throws a StoreError when it is taken. */
export function lockDirectory(directory: string): { release(): void } {
  const path = join(directory, LOCK)
  try {
    // Opening and closing an existing file would drop the locks that this process holds on it (POSIX).
    if (!existsSync(path)) createEmpty(path)
    return holdLock(path)
  } catch (error) {
    if (isDamage(error)) throw invalidLock(path, error)
    if (!isBusy(error)) throw unavailable(path, error)
    throw new StoreError('store_in_use', `another process serves from ${directory}`, error)
  }
}

/**
 * Builds the database under another name and links it to its place when it is complete, so that an empty or partial file
 * is always damage and never a fresh start. If another process was faster, its file stays.
 */
function createDatabase(directory: string, path: string): void {
  // Checked again: another process may have created both just now.
  if (existsSync(`${path}-wal`) && !existsSync(path)) {
    throw damaged(path, 'it is missing although its write-ahead log exists')
  }
  const draft = draftOf(path, randomUUID())
  try {
    createEmpty(draft)
    fillDatabase(draft)
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    // On a full disk the remains of one attempt would be in the way of the next.
    for (const file of filesOf(draft)) rmSync(file, { force: true })
  }
  syncDirectory(directory)
}

function fillDatabase(path: string): void {
  migrateFile(path, 0)
  const database = new Direct(path)
  try {
    // Migrations leave free pages, and SQLite does not notice when a free page at the end of a file is missing.
    database.exec('VACUUM; PRAGMA journal_mode = WAL')
  } finally {
    database.close()
  }
}

export function createEmpty(path: string): void {
  closeSync(openSync(path, 'wx', owner_only.file))
}

/** A new name is durable once its directory is. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function unavailable(path: string, cause: unknown): StoreError {
  return new StoreError('store_unavailable', `cannot use ${path} for data: ${whyUnusable(cause)}`, cause)
}

const whyByCode: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it cannot be created',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
}

/** A description with the system's error code and the path it concerns. */
export function whyUnusable(cause: unknown): string {
  const { code, path, message } = cause as NodeJS.ErrnoException
  const why = Object.hasOwn(whyByCode, code ?? '') ? whyByCode[code ?? ''] : undefined
  if (why === undefined) return message
  return `${why} (${code}${path === undefined ? '' : `: ${path}`})`
}

/** A damaged lock file is not a damaged store: the store beside it must not be thrown away. */
function invalidLock(path: string, cause: unknown): StoreError {
  const advice = 'It holds no data: remove it while no process serves from this directory.'
  return new StoreError('store_unavailable', `${path} is not a lock file. ${advice}`, cause)
}

export function damaged(path: string, finding: string, cause?: unknown): StoreError {
  const advice = `Restore a backup, or move all of ${basename(path)}* away to start without: what it held is then lost.`
  return new StoreError('store_damaged', `${path} is damaged: ${finding}. ${advice}`, cause)
}
