// An answer of a job that is stored is counted, also when Redis ends between the two.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { packTargets } from '../../src/jobs/packed.ts'
import { runJob } from '../../src/jobs/run_job.ts'
import type { Job, JobStore } from '../../src/store/jobs.ts'
import { unvetted } from '../../src/targets/target.ts'
import { startRedis, withoutRedis } from '../redis_server.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { jobOf } from '../store/job_stores.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { ALLOWANCE, askOver, clock } from './job_ask.ts'
import { openJobBackend } from './job_backend.ts'

const signal = new AbortController().signal

async function until(holds: () => boolean): Promise<void> {
  for (let left = 500; !holds(); left--) {
    if (left === 0) throw new Error(`not so: ${holds}`)
    await pause(20)
  }
}

/** A Redis that keeps all that it has acknowledged. */
const startDurable = (directory: string, port?: number) =>
  startRedis(port, ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', directory])

async function openBackend(t: TestContext, url: string) {
  const backend = await openJobBackend(url, freshDirectory(t))
  t.after(() => backend.close())
  const jobs = backend.jobs ?? assert.fail('the backend has no jobs')
  /** Adds a job of a new account, which has one target. */
  async function add(): Promise<Job> {
    const { key } = await backend.keys.create({ plan: 'startup', label: 'test' })
    const job = jobOf({ account: key.account, key: key.id, created: clock.now() })
    await jobs.add(job, await packTargets([{ line: 1, text: 'example.com' }]), 9)
    return job
  }
  const options = {
    ask: askOver(backend),
    vetting: unvetted,
    politeness: { at_once: 1, pause_ms: 0 },
    clock,
    checks: 1,
  }
  const run = (job: Job, store: JobStore = jobs) => runJob({ ...options, store }, job, { signal, ending: signal })
  return { ...backend, jobs, add, run }
}

for (const origin of ['a check', 'the cache'])
  it(`an answer from ${origin} is counted once when Redis ends after storing it`, { skip: withoutRedis }, async t => {
    const directory = temporaryDirectory()
    const redis = await startDurable(directory)
    t.after(() => redis.stop())
    const { jobs, add, run, quota, note, figures } = await openBackend(t, redis.url)
    if (origin === 'the cache') await run(await add())
    const job = await add()
    const ending: JobStore = {
      ...jobs,
      async hide(...record) {
        const isStored = await jobs.hide(...record)
        await redis.kill('SIGKILL')
        return isStored
      },
    }
    await assert.rejects(run(job, ending), { name: 'RedisDown' })
    const again = await startDurable(directory, redis.port)
    t.after(() => again.stop())
    await until(() => note() === null)
    await run((await jobs.get(job.id)) ?? assert.fail('the job is gone'))
    await until(() => figures().owed === 0)
    assert.equal((await jobs.get(job.id))?.status, 'completed')
    assert.equal((await quota.usage(job.account, ALLOWANCE)).used, 1)
  })
