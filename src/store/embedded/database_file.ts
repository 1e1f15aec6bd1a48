// What a store declares about its database file, and the checks that hold for each of them.
import { StoreError } from '../store.ts'
import { isDamage, openReader } from './connection.ts'

export interface DatabaseFile {
  /** In the data directory. */
  readonly name: string
  /** What it holds, as a phrase. */
  readonly holds: string
  /** The schema version (`user_version`) that this release writes. */
  readonly version: number
}

/** The name of a draft, which becomes the file when it is complete. */
export const draftOf = (path: string, id: string): string => `${path}.${id}`

/** The database, and the files that SQLite keeps beside it while it is open. */
export const filesOf = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-shm`]

export interface Inspected {
  readonly version: number
  /** What is damaged; null when nothing is. */
  readonly damage: string | null
}

/**
 * Reads the version of an existing file and checks its structure; `thoroughly` also compares the indexes with the tables.
 * Changes nothing and waits for no writer. Throws a StoreError when the file cannot be read or a later release wrote it.
 */
export function inspectDatabase(
  path: string,
  { version: known }: Pick<DatabaseFile, 'version'>,
  { thoroughly = false }: { readonly thoroughly?: boolean } = {},
): Inspected {
  const check = thoroughly ? 'integrity_check' : 'quick_check'
  try {
    const reader = openReader(path)
    try {
      const version = Number(reader.prepare('PRAGMA user_version').get()?.[0])
      if (version > known) throw tooNew(path, version, known)
      // Read as bytes: a finding may quote text that is not valid UTF-8.
      const finding = String(reader.prepare(`SELECT CAST(${check} AS BLOB) FROM pragma_${check}(1)`).get()?.[0])
      return { version, damage: finding === 'ok' ? null : finding }
    } finally {
      reader.close()
    }
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (isDamage(error)) return { version: 0, damage: String(error) }
    throw new StoreError('store_unavailable', `cannot read ${path}: ${String(error)}`, error)
  }
}

export function tooNew(path: string, version: number, known: number): StoreError {
  const versions = `schema version ${version}; this release knows versions up to ${known}`
  return new StoreError('store_too_new', `${path} was written by a later release (${versions}). Run that release.`)
}
