// Every database of a data directory: what a backup copies and what is inspected. A store that adds a file declares it here.
import type { DatabaseFile } from './database_file.ts'
import { keysDatabase } from './file.ts'
import { historyDatabase } from './history.ts'
import { jobsDatabase } from './jobs.ts'
import { watchesDatabase } from './watches.ts'

/** The first one always exists; the others exist when their store is enabled. */
export const databases: readonly [DatabaseFile, ...DatabaseFile[]] = [
  keysDatabase,
  historyDatabase,
  watchesDatabase,
  jobsDatabase,
]
