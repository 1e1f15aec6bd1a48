// Both databases of the store, each empty and new: what holds for the store is tested over both.

import type { Database } from '../../src/store/sql/database.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { sharedPostgres } from '../postgres_server.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

export interface Place {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** A new, empty database; each call of the returned function opens it once more, as another process would. */
  create(): Promise<() => Promise<Database>>
}

export const places: readonly Place[] = [
  {
    name: 'SQLite',
    async create() {
      const directory = temporaryDirectory()
      return () => openSqlite({ directory, patience_ms: PATIENCE_MS.command })
    },
  },
  {
    name: 'PostgreSQL',
    async create() {
      const url = await (await sharedPostgres()).createDatabase()
      return () => openPostgres({ place: { url }, onLoss: () => {} })
    },
  },
]
