// What every store of jobs does, run over the embedded one and over a real Redis.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openEmbeddedJobs } from '../../src/store/embedded/jobs.ts'
import { isJobId, type Job, type JobRecord, KEPT_JOBS, newJobId } from '../../src/store/jobs.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'
import { DAY_MS, jobOf, jobStores, ROOM } from './job_stores.ts'

const NOW = Date.parse('2026-11-15T00:00:00Z')
const now = () => NOW

let redis: RedisServer
before(async () => {
  if (!withoutRedis) redis = await startRedis()
})
after(() => redis?.stop())

const TARGETS = Buffer.from([0, 255, 10, 13, 128])
const record = (line: number, kind: JobRecord['kind'] = 'safe'): JobRecord => ({
  ...{ line, kind, body: Buffer.from([line, 0, 255, 10, 32]) },
})
const linesOf = (bodies: readonly Uint8Array[]) => bodies.map(([line]) => line)
const ended = (at: number) => ({ status: 'completed', reason: null, next_at: null, ended: at, stalls: 0 }) as const
const idsOf = (jobs: readonly Job[]) => jobs.map(({ id }) => id)

it('makes IDs that it recognises', () => {
  assert.deepEqual([isJobId(newJobId()), isJobId('job_x')], [true, false])
})

for (const [name, open] of Object.entries(jobStores(() => redis))) {
  describe(`the ${name} jobs`, { skip: name === 'redis' && withoutRedis }, () => {
    it('are listed for their account alone, latest first, and are what was added', async t => {
      const store = await open(t, now)
      const [one, two] = [jobOf({ created: 1 }), jobOf({ created: 2, visit: false, duplicates: 3 })]
      for (const job of [one, two, jobOf({ account: 'acc_b' })]) await store.add(job, TARGETS, 9)
      assert.deepEqual(await store.list('acc_a'), [two, one])
      assert.deepEqual(await store.get(two.id), two)
      assert.deepEqual(Buffer.from((await store.targets(one.id)) ?? []), TARGETS)
      assert.deepEqual([await store.get(newJobId()), await store.targets(newJobId())], [null, null])
    })

    it('run beside one that cannot be read, which is not due again and is removed with those that ended', async t => {
      const store = await open(t, now)
      const [bad, good] = [jobOf({ account: 'acc_b', key: null as never }), jobOf()]
      for (const job of [bad, good]) await store.add(job, TARGETS, 9)
      for (const _ of [1, 2]) assert.deepEqual(idsOf(await store.due(NOW, 9)), [good.id])
      assert.deepEqual([await store.get(bad.id), await store.list('acc_b'), await store.unfinished()], [null, [], 1])
      assert.equal(await store.add(jobOf({ account: 'acc_b' }), TARGETS, 1), 'added')
    })

    it('are limited while they are unfinished', async t => {
      const store = await open(t, now)
      const first = jobOf()
      const added = [await store.add(first, TARGETS, 2), await store.add(jobOf(), TARGETS, 2)]
      assert.deepEqual([...added, await store.add(jobOf(), TARGETS, 2)], ['added', 'added', 'many'])
      await store.mark(first.id, ended(NOW))
      assert.equal(await store.add(jobOf(), TARGETS, 2), 'added')
      assert.equal(await store.add(jobOf({ account: 'acc_b' }), TARGETS, 2), 'added')
    })

    it('show a record after it was hidden, once, in the order of showing', async t => {
      const store = await open(t, now)
      const { id } = jobOf()
      await store.add(jobOf({ id, total: 3 }), TARGETS, 9)
      assert.equal(await store.hide(id, record(1)), true)
      assert.equal(await store.hide(id, record(2, 'malicious')), true)
      assert.equal(await store.hide(id, record(1, 'error')), false)
      assert.deepEqual(await store.records(id, 0, 9), [])
      await store.show(id, 2)
      await store.show(id, 2)
      await store.show(id, 1)
      assert.deepEqual(linesOf(await store.records(id, 0, 9)), [2, 1])
      assert.deepEqual(linesOf(await store.records(id, 1, 9)), [1])
      assert.deepEqual(linesOf(await store.records(id, 0, 1)), [2])
      assert.deepEqual(Buffer.from((await store.records(id, 1, 1))[0] ?? []), Buffer.from(record(1).body))
      assert.deepEqual((await store.get(id))?.counts, { safe: 1, suspicious: 0, malicious: 1, error: 0 })
    })

    it('withdraw a record that is hidden, and none that is shown', async t => {
      const store = await open(t, now)
      const { id } = jobOf()
      await store.add(jobOf({ id }), TARGETS, 9)
      await store.hide(id, record(1))
      await store.hide(id, record(2))
      await store.show(id, 2)
      for (const line of [1, 2, 3]) await store.withdraw(id, line)
      assert.deepEqual(await store.recover(id), [2])
      assert.equal(await store.hide(id, record(1)), true)
    })

    it('show what a dead process left hidden', async t => {
      const store = await open(t, now)
      const { id } = jobOf()
      await store.add(jobOf({ id }), TARGETS, 9)
      await store.hide(id, record(1))
      await store.show(id, 1)
      await store.hide(id, record(2, 'suspicious'))
      assert.deepEqual([...(await store.recover(id))].sort(), [1, 2])
      assert.deepEqual(linesOf(await store.records(id, 0, 9)), [1, 2])
      assert.equal((await store.get(id))?.counts.suspicious, 1)
    })

    it('take no record when they ended or are gone', async t => {
      const store = await open(t, now)
      const [over, gone] = [jobOf(), jobOf()]
      for (const job of [over, gone]) await store.add(job, TARGETS, 9)
      assert.equal(await store.mark(over.id, ended(NOW)), true)
      assert.equal(await store.mark(over.id, ended(NOW + 1)), false)
      assert.equal(await store.remove('acc_b', gone.id), false)
      assert.equal(await store.remove('acc_a', gone.id), true)
      assert.equal(await store.remove('acc_a', gone.id), false)
      for (const { id } of [over, gone]) assert.equal(await store.hide(id, record(1)), false)
      assert.deepEqual([await store.get(gone.id), await store.targets(gone.id)], [null, null])
      assert.equal((await store.get(over.id))?.ended, NOW)
    })

    it('are due one of an account at a time, the one that waits longest first', async t => {
      const store = await open(t, now)
      const [a1, a2] = [jobOf({ next_at: 10 }), jobOf({ next_at: 20 })]
      const b = jobOf({ account: 'acc_b', next_at: 15 })
      const later = jobOf({ account: 'acc_c', next_at: NOW + 1 })
      for (const job of [a2, a1, later, b]) await store.add(job, TARGETS, 9)
      assert.deepEqual(idsOf(await store.due(NOW, 9)), [a1.id, b.id])
      assert.deepEqual(idsOf(await store.due(NOW, 1)), [a1.id])
      assert.deepEqual([await store.nextDue(), await store.unfinished()], [10, 4])
      await store.mark(a1.id, {
        ...ended(NOW),
        status: 'paused',
        next_at: NOW + 5,
        ended: null,
        reason: 'x',
        stalls: 2,
      })
      assert.deepEqual(idsOf(await store.due(NOW, 9)), [b.id, a2.id])
      const { status, reason, next_at, stalls } = (await store.get(a1.id)) ?? {}
      assert.deepEqual([status, reason, next_at, stalls], ['paused', 'x', NOW + 5, 2])
    })

    it('are removed some days after their end, and are due for that', async t => {
      const store = await open(t, now)
      const [old, recent, open_] = [jobOf(), jobOf(), jobOf({ next_at: NOW })]
      for (const job of [old, recent, open_]) await store.add(job, TARGETS, 9)
      await store.mark(old.id, ended(NOW - ROOM.life_ms))
      await store.mark(recent.id, ended(NOW - DAY_MS))
      assert.equal(await store.nextDue(), NOW)
      await store.mark(open_.id, { ...ended(0), status: 'paused', next_at: NOW + 30 * DAY_MS, ended: null })
      assert.equal(await store.nextDue(), NOW)
      await store.sweep()
      assert.deepEqual(idsOf(await store.list('acc_a')).sort(), [recent.id, open_.id].sort())
      assert.equal(await store.nextDue(), NOW + 6 * DAY_MS)
    })

    it('make room by forgetting those that ended first, and take no more when none has ended', async t => {
      const store = await open(t, now, { octets: 1_000 })
      const big = Buffer.alloc(400)
      const [one, two] = [jobOf(), jobOf()]
      for (const job of [one, two]) assert.equal(await store.add(job, big, 9), 'added')
      assert.equal(await store.add(jobOf(), big, 9), 'full')
      await store.mark(two.id, ended(NOW - 1))
      await store.mark(one.id, ended(NOW))
      const three = jobOf()
      assert.equal(await store.add(three, big, 9), 'added')
      assert.deepEqual(idsOf(await store.list('acc_a')).sort(), [one.id, three.id].sort())
      await store.hide(three.id, { ...record(1), body: Buffer.alloc(300) })
      await store.sweep()
      assert.deepEqual(idsOf(await store.list('acc_a')), [three.id])
      await store.withdraw(three.id, 1)
      assert.equal(await store.add(jobOf(), Buffer.alloc(600), 9), 'added')
    })

    it(`keep ${KEPT_JOBS} ended jobs of an account`, async t => {
      const store = await open(t, now)
      const jobs = Array.from({ length: KEPT_JOBS + 2 }, () => jobOf())
      for (const [at, { id }] of jobs.entries()) {
        await store.add(jobOf({ id }), TARGETS, 9)
        await store.mark(id, ended(NOW + at))
      }
      await store.add(jobOf(), TARGETS, 9)
      const kept = idsOf(await store.list('acc_a'))
      assert.equal(kept.length, KEPT_JOBS + 1)
      assert.deepEqual([kept.includes(jobs[1]?.id ?? ''), kept.includes(jobs[2]?.id ?? '')], [false, true])
    })

    it('have one runner at a time', async t => {
      const store = await open(t, now)
      assert.equal((await store.lease('a', 60_000)).held, true)
      assert.equal((await store.lease('b', 60_000)).held, false)
      await store.release('a')
      assert.equal((await store.lease('b', 60_000)).held, true)
    })
  })
}

describe('the file of jobs', () => {
  it('is moved away when it is damaged, and begun anew', async t => {
    const directory = freshDirectory(t)
    mkdirSync(directory)
    writeFileSync(join(directory, 'jobs.db'), 'no database at all '.repeat(300))
    const moved: string[] = []
    const options = { directory, now, patience: PATIENT_MS, ...ROOM, damaged: (to: string) => moved.push(to) }
    const store = await openEmbeddedJobs(options)
    t.after(() => store.close())
    assert.deepEqual(moved, [join(directory, `jobs.db.damaged-${NOW}`)])
    assert.deepEqual(await store.list('acc_a'), [])
  })
})
