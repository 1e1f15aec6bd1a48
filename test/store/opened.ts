// The store of a data directory, opened as the service and the commands open it.
import { systemClock } from '../../src/base/clock.ts'
import { readSettings } from '../../src/config/config.ts'
import { openBackend, openKeys } from '../../src/store/open_backend.ts'
import { sharedPostgres } from '../postgres_server.ts'

const configOf = (data: string) => readSettings({ data }, '/', {}).config

export const openKeysIn = (directory: string) => openKeys(configOf(directory), { create: true })

export const openStoreIn = (directory: string) => openBackend(configOf(directory), systemClock, () => {})

/** Both kinds of store, each new: the `store` of a configuration. */
export const stores: readonly { readonly name: string; readonly url: () => Promise<string | null> }[] = [
  { name: 'SQLite', url: async () => null },
  { name: 'PostgreSQL', url: async () => (await sharedPostgres()).createDatabase() },
]
