// What the store of jobs does, over both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  isJobId,
  type Job,
  type JobLimits,
  type JobRecord,
  KEPT_JOBS,
  newJobId,
  nothingDone,
} from '../../src/store/jobs.ts'
import type { Change, Database } from '../../src/store/sql/database.ts'
import { createJobs, recordLine } from '../../src/store/sql/jobs.ts'
import { places } from './databases.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-15T00:00:00Z')
const ROOM: JobLimits = { life_ms: 7 * DAY_MS, octets: 1_000_000 }
const TARGETS = Buffer.from([0, 255, 10, 13, 128])

const jobOf = (given: Partial<Job> = {}): Job => ({
  id: newJobId(),
  account: 'acc_a',
  key: 'key_a',
  created: 0,
  visit: true,
  total: 1,
  duplicates: 0,
  status: 'queued',
  reason: null,
  next_at: 0,
  ended: null,
  stalls: 0,
  counts: nothingDone,
  ...given,
})
const record = (line: number, kind: JobRecord['kind'] = 'safe'): JobRecord => ({
  line,
  kind,
  body: Buffer.from([line, 0, 255, 10, 32]),
})
const linesOf = (bodies: readonly Uint8Array[]) => bodies.map(([line]) => line)
const ended = (at: number) => ({ status: 'completed', reason: null, next_at: null, ended: at, stalls: 0 }) as const
const idsOf = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id)

it('makes IDs that it recognises', () => {
  assert.deepEqual([isJobId(newJobId()), isJobId('job_x')], [true, false])
})

for (const { name, create } of places) {
  describe(`jobs in ${name}`, () => {
    let open: () => Promise<Database>
    let database: Database
    before(async () => {
      open = await create()
      database = await open()
    })
    after(() => database.close())

    /** An empty store. */
    async function jobs(limits: Partial<JobLimits> = {}, damaged = () => {}) {
      await database.transaction(change => change.deleteFrom('jobs').execute())
      return createJobs(database, { now: () => NOW, ...ROOM, ...limits, onDamage: damaged })
    }
    async function second(t: TestContext) {
      const other = await open()
      t.after(() => other.close())
      return other
    }

    it('are listed for their account alone, latest first, and are what was added', async () => {
      const store = await jobs()
      const [one, two] = [jobOf({ created: 1 }), jobOf({ created: 2, visit: false, render: true, duplicates: 3 })]
      for (const job of [one, two, jobOf({ account: 'acc_b' })]) await store.add(job, TARGETS, 9)
      assert.deepEqual(await store.list('acc_a'), [two, one])
      assert.deepEqual(await store.get(two.id), two)
      assert.deepEqual(Buffer.from((await store.targets(one.id)) ?? []), TARGETS)
      assert.deepEqual([await store.get(newJobId()), await store.targets(newJobId())], [null, null])
    })

    it('that cannot be read are ended when their turn comes, and do not count as unfinished', async () => {
      let damaged = 0
      const store = await jobs({}, () => damaged++)
      const bad = jobOf({ account: 'acc_b', key: null as never })
      await store.add(bad, TARGETS, 9)
      assert.equal(await store.get(bad.id), null)
      for (const _ of [1, 2]) await store.endDamaged(bad.id)
      await store.endDamaged(newJobId())
      assert.deepEqual([await store.due(NOW, 9), await store.unfinished(), damaged], [[], 0, 1])
      assert.equal(await store.add(jobOf({ account: 'acc_b' }), TARGETS, 1), 'added')
    })

    it('are limited while they are unfinished', async () => {
      const store = await jobs()
      const first = jobOf()
      const added = [await store.add(first, TARGETS, 2), await store.add(jobOf(), TARGETS, 2)]
      assert.deepEqual([...added, await store.add(jobOf(), TARGETS, 2)], ['added', 'added', 'many'])
      await store.mark(first, ended(NOW))
      assert.equal(await store.add(jobOf(), TARGETS, 2), 'added')
      assert.equal(await store.add(jobOf({ account: 'acc_b' }), TARGETS, 2), 'added')
    })

    it('are limited exactly when two processes add at once', async t => {
      const here = await jobs()
      const there = createJobs(await second(t), { now: () => NOW, ...ROOM })
      const added = await Promise.all(
        Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? here : there).add(jobOf(), TARGETS, 5)),
      )
      assert.deepEqual(
        [added.filter(one => one === 'added').length, added.filter(one => one === 'many').length],
        [5, 7],
      )
    })

    it('show records in the order of writing, and count them by kind', async () => {
      const store = await jobs()
      const job = jobOf({ total: 3 })
      await store.add(job, TARGETS, 9)
      assert.equal(await store.record(job.id, record(2, 'malicious')), true)
      assert.equal(await store.record(job.id, record(1)), true)
      assert.equal(await store.record(job.id, record(1, 'error')), false)
      assert.deepEqual(linesOf(await store.records(job.id, 0, 9)), [2, 1])
      assert.deepEqual(linesOf(await store.records(job.id, 1, 9)), [1])
      assert.deepEqual(linesOf(await store.records(job.id, 0, 1)), [2])
      assert.equal(await store.record(job.id, record(3)), true)
      assert.deepEqual(linesOf(await store.records(job.id, 2, 9)), [3], 'a line that was refused leaves no gap')
      assert.deepEqual(Buffer.from((await store.records(job.id, 1, 1))[0] ?? []), Buffer.from(record(1).body))
      assert.deepEqual((await store.get(job.id))?.counts, { safe: 2, suspicious: 0, malicious: 1, error: 0 })
      assert.deepEqual([...(await store.recorded(job.id))].sort(), [1, 2, 3])
    })

    it('keep no record of a transaction that fails', async () => {
      const store = await jobs()
      const { id } = jobOf()
      await store.add(jobOf({ id }), TARGETS, 9)
      const failing = database.transaction(async change => {
        assert.equal(await recordLine(change, id, record(1)), true)
        throw new Error('not counted')
      })
      await assert.rejects(failing, /not counted/)
      assert.deepEqual([(await store.recorded(id)).size, await store.record(id, record(1))], [0, true])
    })

    it('record and count each line once when two processes check all of them at once', async t => {
      const store = await jobs()
      const databases = [database, await second(t)]
      const lines = Array.from({ length: 40 }, (_, at) => at + 1)
      const { id } = jobOf()
      await store.add(jobOf({ id, total: lines.length }), TARGETS, 9)
      const count = async (change: Change, line: number) => {
        if (!(await recordLine(change, id, record(line)))) return
        await change
          .insertInto('usage_days')
          .values({ account: id, day: 0, answers: 1 })
          .onConflict(oc =>
            oc.columns(['account', 'day']).doUpdateSet(eb => ({ answers: eb('usage_days.answers', '+', 1) })),
          )
          .execute()
      }
      await Promise.all(databases.flatMap(each => lines.map(line => each.transaction(change => count(change, line)))))
      const counted = await database.read
        .selectFrom('usage_days')
        .select('answers')
        .where('account', '=', id)
        .executeTakeFirst()
      assert.deepEqual([counted?.answers, (await store.get(id))?.counts.safe], [40, 40])
      assert.deepEqual(
        linesOf(await store.records(id, 0, 99)).toSorted((a = 0, b = 0) => a - b),
        lines,
      )
    })

    it('take no record when they ended or are gone', async () => {
      const store = await jobs()
      const [over, gone] = [jobOf(), jobOf()]
      for (const job of [over, gone]) await store.add(job, TARGETS, 9)
      assert.equal(await store.mark(over, ended(NOW)), true)
      assert.equal(await store.mark(over, ended(NOW + 1)), false)
      assert.equal(await store.remove('acc_b', gone.id), false)
      assert.equal(await store.remove('acc_a', gone.id), true)
      assert.equal(await store.remove('acc_a', gone.id), false)
      for (const { id } of [over, gone]) assert.equal(await store.record(id, record(1)), false)
      assert.deepEqual([await store.get(gone.id), await store.targets(gone.id)], [null, null])
      assert.equal((await store.get(over.id))?.ended, NOW)
    })

    it('are due one of an account at a time, the one that waits longest first', async () => {
      const store = await jobs()
      const [a1, a2] = [jobOf({ next_at: 10 }), jobOf({ next_at: 20 })]
      const b = jobOf({ account: 'acc_b', next_at: 15 })
      const later = jobOf({ account: 'acc_c', next_at: NOW + 1 })
      for (const job of [a2, a1, later, b]) await store.add(job, TARGETS, 9)
      assert.deepEqual(await store.due(NOW, 9), [
        { id: a1.id, at: 10 },
        { id: b.id, at: 15 },
      ])
      assert.deepEqual(idsOf(await store.due(NOW, 1)), [a1.id])
      assert.equal(await store.unfinished(), 4)
      const paused = { status: 'paused', reason: 'x', next_at: NOW + 5, ended: null, stalls: 2 } as const
      assert.equal(await store.mark(a1, paused), true)
      assert.equal(await store.mark(a1, { ...paused, stalls: 3 }), false, 'another process has paused it already')
      assert.deepEqual(idsOf(await store.due(NOW, 9)), [b.id, a2.id])
      const { status, reason, next_at, stalls } = (await store.get(a1.id)) ?? {}
      assert.deepEqual([status, reason, next_at, stalls], ['paused', 'x', NOW + 5, 2])
    })

    it('are removed some days after their end', async () => {
      const store = await jobs()
      const [old, recent, open_] = [jobOf(), jobOf(), jobOf({ next_at: NOW })]
      for (const job of [old, recent, open_]) await store.add(job, TARGETS, 9)
      await store.mark(old, ended(NOW - ROOM.life_ms))
      await store.mark(recent, ended(NOW - DAY_MS))
      await store.sweep()
      assert.deepEqual(idsOf(await store.list('acc_a')).sort(), [recent.id, open_.id].sort())
    })

    it('make room by forgetting those that ended first, and take no more when none has ended', async () => {
      const store = await jobs({ octets: 1_000 })
      const big = Buffer.alloc(400)
      const [one, two] = [jobOf(), jobOf()]
      for (const job of [one, two]) assert.equal(await store.add(job, big, 9), 'added')
      assert.equal(await store.add(jobOf(), big, 9), 'full')
      await store.mark(two, ended(NOW - 1))
      await store.mark(one, ended(NOW))
      const three = jobOf()
      assert.equal(await store.add(three, big, 9), 'added')
      assert.deepEqual(idsOf(await store.list('acc_a')).sort(), [one.id, three.id].sort())
      for (const _ of [1, 2]) await store.record(three.id, { ...record(1), body: Buffer.alloc(300) })
      await store.sweep()
      assert.deepEqual(idsOf(await store.list('acc_a')), [three.id])
      assert.equal(await store.add(jobOf(), Buffer.alloc(301), 9), 'full')
      assert.equal(await store.add(jobOf(), Buffer.alloc(300), 9), 'added', 'the record is counted once')
    })

    it(`keep ${KEPT_JOBS} ended jobs of an account`, async () => {
      const store = await jobs()
      const all = Array.from({ length: KEPT_JOBS + 2 }, () => jobOf())
      for (const [at, job] of all.entries()) {
        await store.add(job, TARGETS, 9)
        await store.mark(job, ended(NOW + at))
      }
      await store.add(jobOf(), TARGETS, 9)
      const kept = idsOf(await store.list('acc_a'))
      assert.equal(kept.length, KEPT_JOBS + 1)
      assert.deepEqual([kept.includes(all[1]?.id ?? ''), kept.includes(all[2]?.id ?? '')], [false, true])
    })
  })
}
