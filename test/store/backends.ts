// Both stores, opened alike, so that one table of tests holds for both.
import type { TestContext } from 'node:test'
import type { Backend } from '../../src/store/backend.ts'
import { openBackend } from '../../src/store/open_backend.ts'
import { freshDirectory } from './fresh_directory.ts'

export interface Settings {
  readonly store: string | null
  readonly data: string
  /** What a command to Redis may take: long where that it is short is not what is tested, for machines that are busy. */
  readonly command_ms?: number
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
  readonly cache?: Partial<Parameters<typeof openBackend>[0]['cache']>
  readonly history?: Parameters<typeof openBackend>[0]['history']
  readonly events?: Record<string, unknown>[]
}

export const cacheDefaults = {
  complete_seconds: 3_600,
  incomplete_seconds: 60,
  not_found_seconds: 300,
  withheld_seconds: 600,
  max_bytes: 2 ** 26,
  shared_max_bytes: 2 ** 26,
}

/** Milliseconds that no command takes, also while a machine has more to do than it can. */
export const PATIENT_MS = 10_000

export function openWith({
  store,
  data,
  command_ms,
  now = Date.now,
  cache,
  history,
  events = [],
}: Settings): Promise<Backend> {
  const keys = { prefix: 'assay', rotation_hours: 24 }
  const clock = { now, monotonic: () => performance.now() }
  const settings = { store, data, command_ms, keys, cache: { ...cacheDefaults, ...cache }, ...(history && { history }) }
  return openBackend(settings, clock, (level, event) => events.push({ level, ...event }))
}

/** A store that the test's end closes. */
export async function openFor(t: TestContext, settings: Omit<Settings, 'data'> & { data?: string }): Promise<Backend> {
  const backend = await openWith({ data: freshDirectory(t), ...settings })
  t.after(() => backend.close())
  return backend
}
