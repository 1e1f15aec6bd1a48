// The data directory and its databases.

import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspectDatabase } from '../store/embedded/database_file.ts'
import { databases } from '../store/embedded/databases.ts'
import { refuseBrokenLog, whyUnusable } from '../store/embedded/file.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const MEBIBYTE = 1024 * 1024
/** Datasets, logs of databases and what an upgrade needs. */
const SPACE_SPARE = 512 * MEBIBYTE
/** Below that, the next write may fail. */
const SPACE_LEAST = 64 * MEBIBYTE

export interface ExaminedDirectory {
  readonly directory: string
  /** Bytes that the history may take. */
  readonly history_bytes: number
  /** Bytes that are free on its disk. */
  readonly free?: (path: string) => number
}

export function examineDirectory({
  directory,
  history_bytes,
  free = freeBytes,
}: ExaminedDirectory): readonly Finding[] {
  const there = nearest(directory)
  const fault = writeFault(there)
  if (fault !== null)
    return [
      failed(
        'data',
        `${directory} is not writable: ${fault}`,
        `Make it writable for the user of the service, or set \`data\``,
      ),
    ]
  const exists = there === directory
  const mode = statSync(there).mode & 0o777
  const left = free(there)
  const missing = Math.max(0, history_bytes - sizeOf(join(directory, 'history.db')))
  const space = `${Math.floor(left / MEBIBYTE)} MiB are free on the disk of ${there}`
  return [
    ok('data', exists ? `${directory} is writable` : `${directory} will be created at the first start`),
    ...(exists && (mode & 0o077) !== 0
      ? [warning('data', `others may enter ${directory} (mode ${mode.toString(8)})`, `Run \`chmod 700 ${directory}\``)]
      : []),
    left < SPACE_LEAST
      ? failed('disk', space, 'Free space: counts that cannot be written are answered with 503')
      : left < missing + SPACE_SPARE
        ? warning(
            'disk',
            `${space}; kept results and datasets may take ${Math.ceil((missing + SPACE_SPARE) / MEBIBYTE)} MiB more`,
            'Free space, or lower `history.max_bytes`',
          )
        : ok('disk', space),
  ]
}

/** The directory, or the nearest parent that exists. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path))
}

/** Writes, because permissions alone do not tell about a read-only file system. */
function writeFault(directory: string): string | null {
  const file = join(directory, `.doctor-${randomUUID()}`)
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
    rmSync(file)
    return null
  } catch (error) {
    return whyUnusable(error)
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Reads each database as it is, also beside a running service. Never rejects. */
export async function examineDatabases(directory: string): Promise<readonly Finding[]> {
  const present = databases.filter(({ name }) => existsSync(join(directory, name)))
  if (present.length === 0) return [ok('store', 'no databases yet: the first start creates them')]
  return Promise.all(
    present.map(async database => {
      const path = join(directory, database.name)
      const check = `store ${database.name}`
      try {
        await refuseBrokenLog(path)
        const { version, damage } = inspectDatabase(path, database)
        if (damage !== null) return failed(check, `damaged: ${damage}`, 'Restore a backup: docs/stores.md, Backup')
        const migrates = version < database.version ? `; the next start migrates it to ${database.version}` : ''
        return ok(check, `intact, schema version ${version}${migrates}`)
      } catch (error) {
        return failed(
          check,
          error instanceof Error ? error.message : String(error),
          'See docs/stores.md, The embedded store',
        )
      }
    }),
  )
}
