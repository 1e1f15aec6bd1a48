// Puts a backup into a data directory that has no store. The files are copied and verified beside their places first, and
// then linked there; a restore that was interrupted between two links can be repeated.
import { randomUUID } from 'node:crypto'
import { chmodSync, constants, copyFileSync, existsSync, linkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory, readTextFile } from '../../files.ts'
import { StoreError } from '../store.ts'
import { type BackedUp, FORMAT, MANIFEST, type Manifest, sha256Of, sync } from './backup.ts'
import { type DatabaseFile, draftOf, filesOf, inspectDatabase } from './database_file.ts'
import { databases } from './databases.ts'
import { lockDirectory, syncDirectory, whyUnusable } from './file.ts'

const OWNER_ONLY = { directory: 0o700, file: 0o600 }

export interface RestoreOptions {
  /** The directory of the backup. */
  readonly source: string
  /** The data directory; created if missing. */
  readonly directory: string
}

/**
 * Databases with an earlier schema are migrated by the next start. Rejects with a StoreError when the backup is incomplete or
 * changed, a service runs on the directory (`store_in_use`), or the directory has a store already.
 */
export async function restore({ source, directory }: RestoreOptions): Promise<Manifest> {
  const manifest = readManifest(source)
  const pairs = manifest.files.map(file => ({ file, database: declared(source, file) }))
  const drafts: string[] = []
  const lock = lockFor(directory)
  try {
    const id = randomUUID()
    const missing = await withoutRestored(pairs, directory)
    for (const { file, database } of missing) {
      const draft = draftOf(join(directory, file.name), id)
      drafts.push(...filesOf(draft))
      await verifiedCopy(join(source, file.name), draft, { file, database })
    }
    for (const { file } of missing) {
      const path = join(directory, file.name)
      linkSync(draftOf(path, id), path)
    }
    return manifest
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('store_unavailable', `cannot restore to ${directory}: ${whyUnusable(error)}`, error)
  } finally {
    for (const draft of drafts) rmSync(draft, { force: true })
    syncDirectory(directory)
    lock.release()
  }
}

function lockFor(directory: string): { release(): void } {
  try {
    makeDirectory(directory, OWNER_ONLY.directory)
  } catch (error) {
    throw new StoreError('store_unavailable', `cannot restore to ${directory}: ${whyUnusable(error)}`, error)
  }
  return lockDirectory(directory)
}

interface Pair {
  readonly file: BackedUp
  readonly database: DatabaseFile
}

/** Without those that an interrupted restore of the same backup has put in place. Throws a StoreError for any other file. */
async function withoutRestored(pairs: readonly Pair[], directory: string): Promise<readonly Pair[]> {
  const found: Pair[] = []
  for (const pair of pairs) {
    const path = join(directory, pair.file.name)
    if (!filesOf(path).some(file => existsSync(file))) found.push(pair)
    else if (hasLog(path) || !existsSync(path) || (await sha256Of(path)) !== pair.file.sha256) throw occupied(path)
  }
  const others = databases.filter(({ name }) => !pairs.some(({ file }) => file.name === name))
  for (const { name } of others) if (existsSync(join(directory, name))) throw occupied(join(directory, name))
  return found
}

/** Whether something was written to the database that is not in its file yet. */
const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

async function verifiedCopy(from: string, draft: string, { file, database }: Pair): Promise<void> {
  copyFileSync(from, draft, constants.COPYFILE_EXCL)
  chmodSync(draft, OWNER_ONLY.file)
  if ((await sha256Of(draft)) !== file.sha256) throw unsound(from, 'its SHA-256 differs from the manifest')
  const { damage } = inspectDatabase(draft, database)
  if (damage !== null) throw unsound(from, damage)
  await sync(draft)
}

function readManifest(source: string): Manifest {
  const path = join(source, MANIFEST)
  let manifest: Partial<Manifest>
  try {
    manifest = Object(JSON.parse(readTextFile(path)))
  } catch (error) {
    throw unsound(path, (error as Error).message)
  }
  if (manifest.format !== FORMAT)
    throw unsound(path, `its format is ${String(manifest.format)}; this release restores format ${FORMAT}`)
  if (!Array.isArray(manifest.files) || !manifest.files.every(isFile))
    throw unsound(path, 'its list of files is not valid')
  if (!manifest.files.some(({ name }) => name === databases[0].name))
    throw unsound(path, `${databases[0].name} is missing`)
  return manifest as Manifest
}

const isFile = (file: Partial<BackedUp> | null): boolean =>
  typeof file?.name === 'string' && typeof file.sha256 === 'string' && typeof file.bytes === 'number'

function declared(source: string, { name, schema_version }: BackedUp): DatabaseFile {
  const database = databases.find(one => one.name === name)
  if (database === undefined || schema_version > database.version)
    throw new StoreError('store_too_new', `a later release wrote ${join(source, name)}. Restore it with that release.`)
  if (!existsSync(join(source, name))) throw unsound(source, `${name} is missing`)
  return database
}

const unsound = (path: string, why: string) =>
  new StoreError('store_damaged', `${path} is not a complete backup: ${why}`)

const occupied = (path: string) =>
  new StoreError('store_unavailable', `${path} exists: restore to an empty directory, or move its databases away first`)
