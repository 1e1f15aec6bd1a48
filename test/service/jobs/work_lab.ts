// Jobs over a real store and its queues, with answers that take 20 ms, find every target safe and are counted by day.
import { setTimeout as pause } from 'node:timers/promises'
import { packTargets } from '../../../src/service/jobs/packed.ts'
import type { AskForJob } from '../../../src/service/jobs/turn.ts'
import { startJobWork } from '../../../src/service/jobs/work.ts'
import { type Job, newJobId, nothingDone } from '../../../src/store/jobs.ts'
import type { Database } from '../../../src/store/sql/database.ts'
import { createJobs, type Jobs } from '../../../src/store/sql/jobs.ts'
import type { QueueLimits } from '../../../src/store/sql/queues.ts'
import { unvetted } from '../../../src/targets/target.ts'
import { openAt } from '../../store/queue_places.ts'

export const LIMITS: QueueLimits = { lease_ms: 2_000, look_ms: 300, failure_ms: 100, end_ms: 2_000 }
export const clock = { now: Date.now, monotonic: () => performance.now() }
const ROOM = { now: Date.now, life_ms: 86_400_000, octets: 10_000_000 }

export const jobOf = (given: Partial<Job> = {}): Job => ({
  id: newJobId(),
  account: 'acc_a',
  key: 'key_a',
  created: Date.now(),
  visit: true,
  total: 1,
  duplicates: 0,
  status: 'queued',
  reason: null,
  next_at: Date.now(),
  ended: null,
  stalls: 0,
  counts: nothingDone,
  ...given,
})

export const lines = (count: number) => Array.from({ length: count }, (_, at) => ({ line: at + 1, text: `n${at}.com` }))

/** Adds a job of so many targets. */
export async function addJob(store: Jobs, count: number, given: Partial<Job> = {}): Promise<Job> {
  const job = jobOf({ total: count, ...given })
  await store.add(job, await packTargets(lines(count)), 99)
  return job
}

/** Counts an answer together with its record, as the quota does. */
export const countingAsk =
  (database: Database): AskForJob =>
  async ({ account }, { domain }, record) => {
    await pause(20)
    const write = await record({ domain, verdict: 'safe', signal_details: [] })
    try {
      const isCounted = await database.transaction(async change => {
        if (!(await write(change))) return false
        await change
          .insertInto('usage_days')
          .values({ account, day: 0, answers: 1 })
          .onConflict(oc =>
            oc.columns(['account', 'day']).doUpdateSet(eb => ({ answers: eb('usage_days.answers', '+', 1) })),
          )
          .execute()
        return true
      })
      return { end: isCounted ? 'answered' : 'known' }
    } catch {
      return { end: 'paused', reason: 'store-unavailable', until: Date.now() + 200 }
    }
  }

export async function countedOf({ read }: Database, account = 'acc_a'): Promise<number> {
  const row = await read.selectFrom('usage_days').select('answers').where('account', '=', account).executeTakeFirst()
  return row?.answers ?? 0
}

export interface Started {
  readonly database: Database
  readonly store: Jobs
  readonly failures: readonly unknown[]
  readonly work: ReturnType<typeof startJobWork>
  close(): Promise<void>
}

/** One process that works on jobs at a place. `ask` takes the place of `countingAsk`, and `now` that of the clock. */
export async function startJobs(
  place: string,
  { now = Date.now, ...more }: { ask?: AskForJob; took?: (job: Job) => void; now?: () => number } = {},
): Promise<Started> {
  const failures: unknown[] = []
  const { database, queues } = await openAt(place, {
    now,
    limits: LIMITS,
    onFailure: error => failures.push(error),
  })
  const store = createJobs(database, { ...ROOM, now })
  const work = startJobWork({
    store,
    queues,
    vetting: unvetted,
    politeness: { at_once: 2, pause_ms: 0 },
    clock: { ...clock, now },
    ask: countingAsk(database),
    ...more,
  })
  return { database, store, failures, work, close: queues.close }
}
