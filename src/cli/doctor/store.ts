// The data directory and its databases.

import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { placeText } from '../../config/postgres_place.ts'
import { inspectPostgres, LISTENERS, POOL, QUEUE_POOL } from '../../store/sql/postgres/open.ts'
import { prepareFile, STORE_FILE, whyUnusable } from '../../store/sql/sqlite/file.ts'
import { type DoctorFinding, failed, ok, warning } from './finding.ts'
import { examineClock } from './machine.ts'

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
}: ExaminedDirectory): readonly DoctorFinding[] {
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
  const freeOctets = free(there)
  const missing = Math.max(0, history_bytes - sizeOf(join(directory, STORE_FILE)))
  const space = `${Math.floor(freeOctets / MEBIBYTE)} MiB are free on the disk of ${there}`
  return [
    ok('data', exists ? `${directory} is writable` : `${directory} will be created at the first start`),
    ...(exists && (mode & 0o077) !== 0
      ? [warning('data', `others may enter ${directory} (mode ${mode.toString(8)})`, `Run \`chmod 700 ${directory}\``)]
      : []),
    freeOctets < SPACE_LEAST
      ? failed('disk', space, 'Free space: counts that cannot be written are answered with 503')
      : freeOctets < missing + SPACE_SPARE
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

/** Reads the embedded store as it is, also beside a running service. Never rejects. */
export async function examineFile(directory: string): Promise<readonly DoctorFinding[]> {
  if (!existsSync(join(directory, STORE_FILE))) return [ok('store', 'no store yet: the first start creates it')]
  try {
    await prepareFile(directory)
    return [ok('store', `${STORE_FILE} is intact`)]
  } catch (error) {
    return [failed('store', reasonOf(error), 'See docs/stores.md, The embedded store')]
  }
}

/** Connections that a process of the service takes, and that a server keeps for its administrators. */
const CONNECTIONS = POOL + QUEUE_POOL + LISTENERS
const OLDEST = 13

/** Connects to the PostgreSQL of the configuration and looks at what the service needs of it. Never rejects. */
export async function examinePostgres(url: string, clock: Pick<Clock, 'now'>): Promise<readonly DoctorFinding[]> {
  const place = { url }
  const advice = `Check ${placeText(place)}: host, port, database, user, password and TLS`
  try {
    const { version, time, connections, may_create } = await inspectPostgres(place)
    return [
      version >= OLDEST
        ? ok('store', `PostgreSQL ${version} answers at ${placeText(place)}`)
        : failed('store', `PostgreSQL ${version} is too old`, `Install PostgreSQL ${OLDEST} or later`),
      may_create
        ? ok('store rights', 'the user may create tables')
        : failed(
            'store rights',
            'the user may not create tables',
            'GRANT CREATE ON SCHEMA public TO the user, or make it the owner',
          ),
      connections < 2 * CONNECTIONS
        ? warning(
            'store connections',
            `the server allows ${connections} connections; a process takes ${CONNECTIONS}`,
            'Raise max_connections: docs/capacity.md',
          )
        : ok('store connections', `the server allows ${connections} connections; a process takes ${CONNECTIONS}`),
      examineClock(clock.now(), { name: 'PostgreSQL', time }),
    ]
  } catch (error) {
    return [failed('store', `not usable: ${reasonOf(error)}`, advice)]
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
