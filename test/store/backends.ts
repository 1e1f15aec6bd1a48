// All stores, opened alike, so that one table of tests holds for all.

import { duplexPair } from 'node:stream'
import type { TestContext } from 'node:test'
import { createKeyLimits } from '../../src/api/limits.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Backend } from '../../src/store/backend.ts'
import { openBackend, openLocalBackend, openLocalCache } from '../../src/store/open_backend.ts'
import type { RedisPlace } from '../../src/store/redis_place.ts'
import { createLink, type Link } from '../../src/workers/link.ts'
import { openLinkedBackend } from '../../src/workers/linked_backend.ts'
import { createStoreHost, type StoreHost } from '../../src/workers/store_host.ts'
import { createLinkedUpstreams } from '../../src/workers/upstreams.ts'
import { freshDirectory } from './fresh_directory.ts'

export interface Settings {
  readonly store: string | null
  readonly data: string
  /** What a command to Redis may take: long where that it is short is not what is tested, for machines that are busy. */
  readonly command_ms?: number
  /** How Redis is reached otherwise. */
  readonly redis?: Omit<RedisPlace, 'url'>
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
  readonly cache?: Partial<Parameters<typeof openBackend>[0]['cache']>
  readonly history?: Parameters<typeof openBackend>[0]['history']
  readonly events?: Record<string, unknown>[]
  /** The store of a worker, whose owner has the embedded one. */
  readonly linked?: boolean
}

export const cacheDefaults = {
  complete_seconds: 3_600,
  incomplete_seconds: 60,
  not_found_seconds: 300,
  withheld_seconds: 600,
  max_bytes: 2 ** 26,
  shared_max_bytes: 2 ** 26,
  store: null,
}

/** Milliseconds that no command takes, also while a machine has more to do than it can. */
export const PATIENT_MS = 10_000

export async function openWith(settings: Settings): Promise<Backend> {
  const { store, data, command_ms, redis, now = Date.now, cache, history, events = [], linked = false } = settings
  const keys = { prefix: 'assay', rotation_hours: 24 }
  const clock = { now, monotonic: () => performance.now() }
  const config = {
    store,
    data,
    redis: { ...redis, ...(command_ms && { command_ms }) },
    keys,
    cache: { ...cacheDefaults, ...cache },
    ...(history && { history }),
  }
  const event = (level: string, event: object) => events.push({ level, ...event })
  if (!linked) return openBackend(config, clock, event)
  const owned = await openLocalBackend(config, clock, event)
  const worker = openWorker(createStoreHost(owned, limits(clock.monotonic), clock), config, clock)
  return {
    ...worker.backend,
    async close() {
      await worker.backend.close()
      worker.link.close()
      await worker.link.closed
      await owned.close()
    },
  }
}

export const limits = (monotonic: () => number) => createKeyLimits(readSettings({}, '/', {}).config, monotonic)

/** The store of one worker, in this process. */
export function openWorker(
  host: StoreHost,
  config: Parameters<typeof openLocalCache>[0],
  clock = { now: Date.now, monotonic: () => performance.now() },
): { backend: Backend; link: Link } {
  const [near, far] = duplexPair()
  const upstreams = createLinkedUpstreams(clock, () => link)
  const opened = host.open(() => owner)
  const owner = createLink(far, opened.services)
  const link = createLink(near, upstreams.methods)
  void owner.closed.then(opened.drop)
  const greeting = host.greeting()
  if (greeting === null) throw new Error('the host has no store')
  upstreams.adopt(greeting.upstreams)
  const local = openLocalCache(config)
  const event = () => {}
  return { backend: openLinkedBackend({ link, greeting, upstreams: upstreams.state, local, clock, event }), link }
}

/** A store that the test's end closes. */
export async function openFor(t: TestContext, settings: Omit<Settings, 'data'> & { data?: string }): Promise<Backend> {
  const backend = await openWith({ data: freshDirectory(t), ...settings })
  t.after(() => backend.close())
  return backend
}
