// Jobs that several processes work on, over both databases: every target is recorded once and counted once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { unpackRecord } from '../../../src/service/jobs/packed.ts'
import type { AskForJob, JobAsked } from '../../../src/service/jobs/turn.ts'
import type { Job } from '../../../src/store/jobs.ts'
import type { Jobs } from '../../../src/store/sql/jobs.ts'
import { testProgram } from '../../assay.ts'
import { startPostgres } from '../../postgres_server.ts'
import { sampled } from '../../sample.ts'
import { queuePlaces } from '../../store/queue_places.ts'
import { tier } from '../../tiers.ts'
import { addJob, countedOf, countingAsk, lines, type Started, startJobs } from './work_lab.ts'

const PROGRAM = join(import.meta.dirname, 'work_process.ts')
const TOTAL = 40
const LOOK_MS = 100
const MOST_MS = 90_000

async function start(t: TestContext, ...given: Parameters<typeof startJobs>): Promise<Started> {
  const started = await startJobs(...given)
  t.after(started.close)
  return started
}

async function until(store: Jobs, id: string, holds: (job: Job) => boolean): Promise<Job> {
  const end = performance.now() + MOST_MS
  for (;;) {
    const job = await store.get(id).catch(() => null)
    if (job !== null && holds(job)) return job
    if (performance.now() > end) throw new Error(`the job is ${JSON.stringify(job)}`)
    await pause(LOOK_MS)
  }
}

const completed = ({ status }: Job) => status === 'completed'

async function linesRecorded(store: Jobs, id: string): Promise<readonly number[]> {
  const bodies = await store.records(id, 0, 1_000)
  const found = await Promise.all(bodies.map(async body => JSON.parse(await unpackRecord(body)).line as number))
  return found.toSorted((a, b) => a - b)
}

async function assertWhole(started: Pick<Started, 'store' | 'database'>, id: string, total: number): Promise<void> {
  const { store, database } = started
  assert.deepEqual(
    await linesRecorded(store, id),
    lines(total).map(({ line }) => line),
  )
  assert.deepEqual((await store.get(id))?.counts, { safe: total, suspicious: 0, malicious: 0, error: 0 })
  assert.equal(await countedOf(database), total)
}

/** Runs the program until it has taken a turn, and resolves with what kills it. */
async function startChild(t: TestContext, place: string): Promise<() => Promise<void>> {
  const [command = '', ...args] = [process.execPath, ...testProgram(PROGRAM)]
  const child = spawn(command, [...args, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? [])
    if (String(chunk).includes('turn')) break
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

for (const [name, create] of sampled(Object.entries(queuePlaces), 1)) {
  describe(`jobs worked on in ${name}`, () => {
    it('are completed by two processes, each target once', async t => {
      const place = await create()
      const took = { one: 0, other: 0 }
      const [one, other] = [
        await start(t, place, { took: () => took.one++ }),
        await start(t, place, { took: () => took.other++ }),
      ]
      const { id } = await addJob(one.store, TOTAL)
      one.work.wake()
      await until(other.store, id, completed)
      await assertWhole(one, id, TOTAL)
      if (name === 'PostgreSQL') assert.ok(took.one > 0 && took.other > 0, `both took turns: ${JSON.stringify(took)}`)
    })

    it('go on when the process that works on them is killed: nothing is lost, and nothing is counted twice', async t => {
      const place = await create()
      const looking = await startJobs(place, { ask: async () => ({ end: 'refused', by: 'account', retry_ms: 1_000 }) })
      const { id } = await addJob(looking.store, 2 * TOTAL)
      await looking.close()
      const kill = await startChild(t, place)
      await kill()
      const here = await start(t, place)
      const before = (await linesRecorded(here.store, id)).length
      await until(here.store, id, completed)
      assert.ok(before > 0, 'it was killed after it began')
      await assertWhole(here, id, 2 * TOTAL)
    })

    it('of one account run one after the other, beside those of others', async t => {
      const running = new Set<string>()
      let both = false
      const place = await create()
      const { database, ...first } = await startJobs(place, {
        ask: async () => ({ end: 'refused', by: 'account', retry_ms: 1_000 }),
      })
      const jobs = [
        await addJob(first.store, 20),
        await addJob(first.store, 20, { created: Date.now() + 1, next_at: Date.now() + 1 }),
        await addJob(first.store, 20, { account: 'acc_b' }),
      ]
      await first.close()
      const open = await start(t, place, {
        async ask(job, ...rest) {
          running.add(job.id)
          both ||= jobs.slice(0, 2).every(({ id }) => running.has(id))
          const asked = await countingAsk(open.database)(job, ...rest)
          running.delete(job.id)
          return asked
        },
      })
      for (const { id } of jobs) await until(open.store, id, completed)
      assert.equal(both, false)
      assert.deepEqual([await countedOf(open.database), await countedOf(open.database, 'acc_b')], [40, 20])
    })

    /** Answers so the first times, then counts. */
    const first = (times: number, asked: () => JobAsked, started: () => Started): AskForJob => {
      let left = times
      return async (...all) => (left-- > 0 ? asked() : countingAsk(started().database)(...all))
    }

    it('pause for a quota, and go on when it has room', async t => {
      const hour = 3_600_000
      let later = 0
      const until_ = Date.now() + hour
      const ask = first(
        1,
        () => ({ end: 'paused', reason: 'quota-exceeded', until: until_ }),
        () => open,
      )
      const open: Started = await start(t, await create(), { ask, now: () => Date.now() + later })
      const { id } = await addJob(open.store, 5)
      open.work.wake()
      const paused = await until(open.store, id, ({ status }) => status === 'paused')
      assert.deepEqual([paused.reason, paused.next_at], ['quota-exceeded', until_])
      later = hour
      await until(open.store, id, completed)
      await assertWhole(open, id, 5)
    })

    it('wait for room, record what fails and what is no target, and end', async t => {
      let refused = 0
      const open: Started = await start(t, await create(), {
        async ask(job, target, ...rest) {
          if (target.domain === 'n1.com') return { end: 'error', error: { code: 'internal-error', detail: 'x' } }
          if (target.domain === 'n2.com' && refused++ < 1) return { end: 'refused', by: 'target', retry_ms: 0 }
          return countingAsk(open.database)(job, target, ...rest)
        },
      })
      const { id } = await addJob(open.store, 5)
      open.work.wake()
      const job = await until(open.store, id, completed)
      assert.deepEqual([job.counts.safe, job.counts.error, await countedOf(open.database)], [4, 1, 4])
      assert.deepEqual(await linesRecorded(open.store, id), [1, 2, 3, 4, 5])
    })

    it('leave the account to its other checks for a second when it has no room, whatever a client would have to wait', async t => {
      const hour = { end: 'refused', by: 'account', retry_ms: 3_600_000 } as const
      const ask = first(
        40,
        () => hour,
        () => open,
      )
      const open: Started = await start(t, await create(), { ask })
      const { id } = await addJob(open.store, TOTAL)
      open.work.wake()
      await until(open.store, id, completed)
      await assertWhole(open, id, TOTAL)
    })

    it('pause while nothing can be looked up, and end when their key has', async t => {
      const open: Started = await start(t, await create(), {
        ask: async ({ account }) =>
          account === 'acc_b' ? { end: 'failed', reason: 'key-revoked' } : { end: 'unseen', detail: 'no resolver' },
      })
      const [unseen, failed] = [await addJob(open.store, 40), await addJob(open.store, 40, { account: 'acc_b' })]
      open.work.wake()
      const paused = await until(open.store, unseen.id, ({ status }) => status === 'paused')
      assert.deepEqual([paused.reason, paused.stalls], ['analysis-unavailable', 1])
      const over = await until(open.store, failed.id, ({ ended }) => ended !== null)
      assert.deepEqual([over.status, over.reason, await countedOf(open.database)], ['failed', 'key-revoked', 0])
    })
  })
}

// Long, as it waits for leases to end.
if (tier === 'all') {
  describe('jobs in a PostgreSQL that crashes', () => {
    it('go on by themselves when it is back, each target once', async t => {
      const server = await startPostgres()
      t.after(() => server.stop())
      const place = await server.createDatabase()
      const [one, other] = [await start(t, place), await start(t, place)]
      const { id } = await addJob(one.store, 2 * TOTAL)
      one.work.wake()
      await until(one.store, id, ({ counts }) => counts.safe > TOTAL)
      await server.crash()
      await pause(500)
      await server.restart()
      const job = await until(other.store, id, completed)
      assert.ok(job.counts.safe === 2 * TOTAL)
      await assertWhole(one, id, 2 * TOTAL)
    })
  })
}
