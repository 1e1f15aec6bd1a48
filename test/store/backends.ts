// Both stores, opened alike, so that one table of tests holds for both.
import type { TestContext } from 'node:test'
import type { Backend } from '../../src/store/backend.ts'
import { openBackend } from '../../src/store/open_backend.ts'
import { freshDirectory } from './fresh_directory.ts'

export interface Settings {
  readonly store: string | null
  readonly data: string
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
  readonly cache?: Partial<Parameters<typeof openBackend>[0]['cache']>
  readonly events?: Record<string, unknown>[]
}

const cacheDefaults = {
  complete_seconds: 3_600,
  incomplete_seconds: 60,
  not_found_seconds: 300,
  max_bytes: 2 ** 26,
  shared_max_bytes: 2 ** 26,
}

export function openWith({ store, data, now = Date.now, cache, events = [] }: Settings): Promise<Backend> {
  const keys = { prefix: 'assay', rotation_hours: 24 }
  const clock = { now, monotonic: () => performance.now() }
  return openBackend({ store, data, keys, cache: { ...cacheDefaults, ...cache } }, clock, (level, event) =>
    events.push({ level, ...event }),
  )
}

/** A store that the test's end closes. */
export async function openFor(t: TestContext, settings: Omit<Settings, 'data'> & { data?: string }): Promise<Backend> {
  const backend = await openWith({ data: freshDirectory(t), ...settings })
  t.after(() => backend.close())
  return backend
}
