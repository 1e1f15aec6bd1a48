// The file of the embedded store: created whole or not at all, readable by its owner only, refused when it is damaged.
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Kysely } from 'kysely'
import Direct from 'libsql'
import { makeDirectory } from '../../../base/files.ts'
import { StoreError } from '../../store.ts'
import { migrate } from '../database.ts'
import { isBusy, isDamage, writingDialect } from './dialect.ts'
import { isBrokenWithin, writtenFrames } from './write_ahead_log.ts'

export const STORE_FILE = 'assay.db'
const LOCK = 'assay.lock'
/** Names the run of the machine (its boot) in which the store was last open. */
const BOOT = 'assay.boot'
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

const OWNER_ONLY = { directory: 0o700, file: 0o600 }
/** Milliseconds after which a log that another process writes to has changed. */
const STILL_MS = 50

/** The database, and the files that SQLite keeps beside it while it is open. */
export const filesOf = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-shm`]

/** Creates a missing file and checks an existing one; resolves with its path. Rejects with a StoreError. */
export async function prepareFile(directory: string): Promise<{ readonly path: string; readonly is_new: boolean }> {
  const path = join(directory, STORE_FILE)
  let isNew: boolean
  try {
    makeDirectory(directory, OWNER_ONLY.directory)
    isNew = !existsSync(path)
    if (isNew) await createDatabase(directory, path)
    for (const file of filesOf(path)) if (existsSync(file)) chmodSync(file, OWNER_ONLY.file)
  } catch (error) {
    throw error instanceof StoreError ? error : unavailable(directory, error)
  }
  if (statSync(path).size === 0) throw damageError(path, 'it is empty')
  await refuseLostLog(directory, path)
  checkContent(path)
  return { path, is_new: isNew }
}

/**
 * Throws a StoreError when the structure of the file, or a text in it, is damaged; `thoroughly` also compares the indexes with the
 * tables. Changes nothing and waits for no writer.
 */
export function checkContent(path: string, thoroughly = false): void {
  const damage = damageOf(path, thoroughly)
  if (damage !== null) throw damageError(path, damage.finding, damage.cause)
}

/** What is damaged in the file, as in `checkContent`; null when nothing is. Throws a StoreError when it cannot be read. */
export function damageOf(
  path: string,
  thoroughly = false,
): { readonly finding: string; readonly cause?: unknown } | null {
  const check = thoroughly ? 'integrity_check' : 'quick_check'
  try {
    const database = new Direct(path, { timeout: STILL_MS })
    try {
      // Read as bytes: a finding may quote text that is not UTF-8, which ends the process.
      const [row] = database.prepare(`SELECT CAST(${check} AS BLOB) FROM pragma_${check}(1)`).raw().all() as unknown[][]
      const finding = Buffer.from(row?.[0] as ArrayBuffer).toString('latin1')
      return finding === 'ok' ? null : { finding }
    } finally {
      database.close()
    }
  } catch (error) {
    if (isDamage(error)) return { finding: String(error), cause: error }
    throw unavailable(path, error)
  }
}

/**
 * Rejects with a StoreError when acknowledged commits are missing from the log: when it is damaged before its end, after which
 * SQLite would drop the rest and go on, or when it is shorter than the shared memory beside it says. That memory outlives the
 * process but not the machine, so it proves nothing after a restart of the machine.
 */
async function refuseLostLog(directory: string, path: string): Promise<void> {
  const read = () => readFile(`${path}-wal`).catch(absentLog)
  const log = await read()
  const isLost = (octets: Buffer) => isBrokenWithin(octets) || isShorter(directory, path, octets)
  if (!isLost(log)) return
  await pause(STILL_MS)
  const again = await read()
  if (log.equals(again) && isLost(again)) throw damageError(path, 'its write-ahead log is damaged or cut off')
}

function isShorter(directory: string, path: string, log: Buffer): boolean {
  if (!existsSync(`${path}-shm`) || !isSameBoot(directory)) return false
  const indexedFrames = writtenFrames(readFileSync(`${path}-shm`))
  return indexedFrames !== null && log.length < indexedFrames.octets
}

function isSameBoot(directory: string): boolean {
  const boot = bootId()
  const path = join(directory, BOOT)
  return boot !== null && existsSync(path) && readFileSync(path, 'latin1') === boot
}

/** Null where the system has none: then a log that was cut off is not noticed. */
const bootId = (): string | null => (existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'latin1') : null)

/** Called when the store is open. */
export function noteBoot(directory: string): void {
  const boot = bootId()
  if (boot !== null) writeFileSync(join(directory, BOOT), boot, { mode: OWNER_ONLY.file })
}

function absentLog(fault: NodeJS.ErrnoException): Buffer {
  if (fault.code === 'ENOENT') return Buffer.alloc(0)
  throw new StoreError('store_unavailable', `cannot read the write-ahead log: ${fault.code}`, fault)
}

/** The locks of this process: a connection that is garbage-collected would release its lock. */
const locks = new Set<Direct.Database>()

/** Takes the right to serve from this directory, until released or the process ends. Throws a StoreError when it is taken. */
export function lockDirectory(directory: string): { release(): void } {
  const path = join(directory, LOCK)
  try {
    makeDirectory(directory, OWNER_ONLY.directory)
    // Opening and closing an existing file would drop the locks that this process holds on it (POSIX).
    if (!existsSync(path)) createEmpty(path)
    const lock = new Direct(path)
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    locks.add(lock)
    return {
      release() {
        locks.delete(lock)
        lock.close()
      },
    }
  } catch (error) {
    if (isDamage(error)) throw invalidLock(path, error)
    if (!isBusy(error)) throw unavailable(path, error)
    throw new StoreError('store_in_use', `another process serves from ${directory}`, error)
  }
}

/** Whether a service runs on the directory. Changes nothing. */
export function isServed(directory: string): boolean {
  const path = join(directory, LOCK)
  if (!existsSync(path)) return false
  try {
    const database = new Direct(path, { timeout: 0 })
    try {
      database.prepare('SELECT count(*) FROM sqlite_schema').get()
      return false
    } finally {
      database.close()
    }
  } catch (error) {
    return isBusy(error)
  }
}

/**
 * Builds the database under another name and links it to its place when it is complete, so that an empty or partial file
 * is always damage and never a fresh start. If another process was faster, its file stays.
 */
async function createDatabase(directory: string, path: string): Promise<void> {
  // Checked again: another process may have created both just now.
  if (existsSync(`${path}-wal`) && !existsSync(path))
    throw damageError(path, 'it is missing although its write-ahead log exists')
  const draft = `${path}.${randomUUID()}`
  try {
    createEmpty(draft)
    const db = new Kysely<never>({ dialect: await writingDialect(draft, 0) })
    await migrate('sqlite', { read: db, write: db })
      // What can fail here is the disk, and the operator needs to know which one.
      .catch(({ cause }: StoreError) => Promise.reject(unavailable(directory, cause)))
      .finally(() => db.destroy())
    const database = new Direct(draft)
    // Migrations leave free pages, and SQLite does not notice when a free page at the end of a file is missing.
    database.exec('VACUUM; PRAGMA journal_mode = WAL')
    database.close()
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    // On a full disk the remains of one attempt would be in the way of the next.
    for (const file of filesOf(draft)) rmSync(file, { force: true })
  }
  syncDirectory(directory)
}

export function createEmpty(path: string): void {
  closeSync(openSync(path, 'wx', OWNER_ONLY.file))
}

/** A new name is durable once its directory is. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

export function unavailable(path: string, cause: unknown): StoreError {
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

export function damageError(path: string, finding: string, cause?: unknown): StoreError {
  const advice = `Restore a backup, or move all of ${basename(path)}* away to start without: what it held is then lost.`
  return new StoreError('store_damaged', `${path} is damaged: ${finding}. ${advice}`, cause)
}
