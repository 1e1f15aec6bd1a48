// The queues of both databases, so that one table of tests holds for both.
import type { Database } from '../../src/store/sql/database.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { openPostgresQueues } from '../../src/store/sql/postgres/queues.ts'
import type { Queues, QueuesOptions } from '../../src/store/sql/queues.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { openSqliteQueues } from '../../src/store/sql/sqlite/queues.ts'
import { sharedPostgres } from '../postgres_server.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

export interface Opened {
  readonly database: Database
  /** Closes the database as well. */
  readonly queues: Queues
}

/** Opens a place as one process does: a directory, or a URL. */
export async function openAt(place: string, options: QueuesOptions): Promise<Opened> {
  const isUrl = place.startsWith('postgres:')
  const database = isUrl
    ? await openPostgres({ place: { url: place }, onLoss: () => {} })
    : await openSqlite({ directory: place, patience_ms: PATIENCE_MS.command })
  const queues = isUrl
    ? await openPostgresQueues({ ...options, place: { url: place } })
    : openSqliteQueues(database, options)
  const close = async () => {
    await queues.close()
    await database.close()
  }
  return { database, queues: { ...queues, close } }
}

/** A new and empty place of each kind. */
export const queuePlaces: Readonly<Record<'SQLite' | 'PostgreSQL', () => Promise<string>>> = {
  SQLite: async () => temporaryDirectory(),
  PostgreSQL: async () => (await sharedPostgres()).createDatabase(),
}
