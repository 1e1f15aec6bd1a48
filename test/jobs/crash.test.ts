// Really killed: a process that runs a job loses no target and counts none twice.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { packTargets, unpackRecord } from '../../src/jobs/packed.ts'
import { JOB_LIMITS } from '../../src/jobs/runner.ts'
import { doneOf } from '../../src/store/jobs.ts'
import { testProgram } from '../assay.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { jobOf } from '../store/job_stores.ts'
import { ALLOWANCE } from './job_ask.ts'
import { openJobBackend } from './job_backend.ts'

let redis: RedisServer
before(async () => {
  if (!withoutRedis) redis = await startRedis()
})
after(() => redis?.stop())

const PROGRAM = join(import.meta.dirname, 'runner_process.ts')
const TOTAL = 250
const KILLS = 3
const LEASE_MS = 200

function run(t: TestContext, store: string, data: string): ChildProcess {
  const [command = '', ...args] = [process.execPath, ...testProgram(PROGRAM)]
  const child = spawn(command, [...args, store, data, `${LEASE_MS}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

/** Resolves when the child has written the word. Rejects when it ends before. */
async function says(child: ChildProcess, word: string): Promise<void> {
  let text = ''
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk
    if (text.includes(word)) return
  }
  throw new Error(`the process ended before it said ${word}`)
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** The embedded store is opened by one process at a time. */
async function withBackend<T>(
  store: string,
  data: string,
  work: (backend: Awaited<ReturnType<typeof openJobBackend>>) => Promise<T>,
): Promise<T> {
  const backend = await openJobBackend(store, data)
  try {
    return await work(backend)
  } finally {
    await backend.close()
  }
}

for (const where of ['embedded', 'redis']) {
  describe(`kill -9 with the ${where} store`, { skip: where === 'redis' && withoutRedis }, () => {
    it('at any moment of a job loses no target, and counts none twice', async t => {
      const data = freshDirectory(t)
      const store = where === 'redis' ? redis.url : 'embedded'
      const lines = Array.from({ length: TOTAL }, (_, at) => ({ line: at + 1, text: `n${at}.com` }))
      const id = await withBackend(store, data, async ({ keys, jobs }) => {
        const { key } = await keys.create({ plan: 'startup', label: 'test' })
        const now = Date.now()
        const job = jobOf({ account: key.account, key: key.id, created: now, next_at: now, total: TOTAL })
        await jobs?.add(job, await packTargets(lines), 10)
        return job.id
      })
      const look = () => withBackend(store, data, async ({ jobs }) => jobs?.get(id) ?? null)
      const counts: number[] = []
      for (let killed = 0; killed < KILLS; killed++) {
        const child = run(t, store, data)
        await says(child, 'started')
        await pause(LEASE_MS + 100 + Math.random() * 300)
        await kill(child)
        counts.push(doneOf((await look()) ?? jobOf()))
      }
      // A fast machine may have finished it between two kills.
      if ((await look())?.status !== 'completed') {
        const child = run(t, store, data)
        await says(child, 'ran')
        await kill(child)
      }
      const job = await look()
      assert.equal(job?.status, 'completed')
      assert.ok(
        counts.some(done => done > 0 && done < TOTAL),
        `killed in the middle: ${counts}`,
      )
      await withBackend(store, data, async ({ jobs, quota }) => {
        const records = (await jobs?.records(id, 0, TOTAL + 1)) ?? []
        const found = await Promise.all(records.map(async body => JSON.parse(await unpackRecord(body)).line as number))
        assert.deepEqual(
          found.toSorted((a, b) => a - b),
          lines.map(({ line }) => line),
        )
        assert.deepEqual(job.counts, { safe: TOTAL, suspicious: 0, malicious: 0, error: 0 })
        const { used } = await quota.usage(job.account, ALLOWANCE)
        assert.ok(used <= TOTAL, `none was counted twice: ${used}`)
        const kills = KILLS + 1
        assert.ok(used >= TOTAL - kills * JOB_LIMITS.checks, `no more than those of the moment went uncounted: ${used}`)
      })
    })
  })
}
