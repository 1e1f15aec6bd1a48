// The stores of jobs, opened alike, so that one table of tests holds for all.
import type { TestContext } from 'node:test'
import { openEmbeddedJobs } from '../../src/store/embedded/jobs.ts'
import type { Job, JobLimits, JobStore } from '../../src/store/jobs.ts'
import { newJobId, nothingDone } from '../../src/store/jobs.ts'
import { createRedisJobs } from '../../src/store/redis/jobs.ts'
import { createLink } from '../../src/store/redis/link.ts'
import type { RedisServer } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

export const DAY_MS = 86_400_000
export const ROOM: JobLimits = { life_ms: 7 * DAY_MS, octets: 1_000_000 }

type Open = (t: TestContext, now: () => number, limits?: Partial<JobLimits>) => Promise<JobStore>

/** `redis` is a server of this test alone: each opening empties it. */
export const jobStores = (redis: () => RedisServer): Readonly<Record<'embedded' | 'redis', Open>> => ({
  async embedded(t, now, limits) {
    const options = { directory: freshDirectory(t), now, patience: PATIENT_MS, damaged: () => {} }
    const store = await openEmbeddedJobs({ ...options, ...ROOM, ...limits })
    t.after(() => store.close())
    return store
  },
  async redis(t, now, limits) {
    const link = createLink({ url: redis().confined, command_ms: PATIENT_MS })
    await link.start()
    await redis().empty()
    t.after(() => link.close())
    return createRedisJobs({ run: link.run, now, ...ROOM, ...limits })
  },
})

export const jobOf = (given: Partial<Job> = {}): Job => ({
  ...{ id: newJobId(), account: 'acc_a', key: 'key_a', created: 0, visit: true, total: 1, duplicates: 0 },
  ...{ status: 'queued', reason: null, next_at: 0, ended: null, stalls: 0, counts: nothingDone },
  ...given,
})
