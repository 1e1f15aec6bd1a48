// What the queues of both databases do: work that the rows say is due is done, in all processes or in one, and again after a failure.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLeases } from '../../src/store/sql/leases.ts'
import type { Due, QueuesOptions, Work } from '../../src/store/sql/queues.ts'
import { startPostgres } from '../postgres_server.ts'
import { eventually } from '../service/api/service.ts'
import { openAt, queuePlaces } from './queue_places.ts'

const LIMITS = { lease_ms: 2_000, look_ms: 200, failure_ms: 50, end_ms: 1_000 }

/** Rows that are due until they are worked off. */
function rowsOf(count: number) {
  const rows = new Map<string, number>()
  for (let at = 0; at < count; at++) rows.set(`row_${at}`, Date.now() - count + at)
  const due = async (until: number, limit: number): Promise<readonly Due[]> =>
    [...rows]
      .filter(([, at]) => at <= until)
      .map(([id, at]) => ({ id, at }))
      .slice(0, limit)
  return { rows, due }
}

async function start(t: TestContext, place: string, work: Work, more: Partial<QueuesOptions> = {}) {
  const failures: unknown[] = []
  const { queues, database } = await openAt(place, {
    now: Date.now,
    limits: LIMITS,
    onFailure: error => failures.push(error),
    ...more,
  })
  let isClosed = false
  const close = async () => {
    if (!isClosed) await queues.close()
    isClosed = true
  }
  t.after(close)
  return { queue: queues.open('rows', work), database, close, failures }
}

for (const [name, create] of Object.entries(queuePlaces)) {
  describe(`the queues in ${name}`, () => {
    it('do what is due once, and what is added when it is', async t => {
      const { rows, due } = rowsOf(20)
      const done: string[] = []
      const { queue, failures } = await start(t, await create(), {
        concurrency: 4,
        due,
        async handle({ id }) {
          // A look may have read it just before it was done.
          if (!rows.has(id)) return null
          done.push(id)
          await pause(5)
          rows.delete(id)
          return null
        },
      })
      await eventually(() => rows.size === 0)
      assert.deepEqual([new Set(done).size, done.length], [20, 20])
      const at = Date.now() + 100
      rows.set('later', at)
      await queue.wake({ id: 'later', at }, { id: 'later', at })
      assert.equal(done.length, 20)
      await eventually(() => rows.size === 0)
      assert.ok(Date.now() >= at, 'not before its time')
      await pause(2 * LIMITS.look_ms)
      assert.deepEqual([done.slice(20), failures], [['later'], []])
    })

    it('work no more at once than they may', async t => {
      const { rows, due } = rowsOf(9)
      let [now, most] = [0, 0]
      await start(t, await create(), {
        concurrency: 3,
        due,
        async handle({ id }) {
          most = Math.max(most, ++now)
          await pause(20)
          now -= 1
          rows.delete(id)
          return null
        },
      })
      await eventually(() => rows.size === 0)
      assert.equal(most, 3)
    })

    it('go on with the same work when it says so, and after a failure', async t => {
      const { rows, due } = rowsOf(1)
      const ends = [Date.now() + 300.3333, new Error('away'), Date.now() + 50, null]
      const work: Work = {
        concurrency: 1,
        due,
        async handle({ id }) {
          const end = ends.shift()
          if (end instanceof Error) throw end
          if (end === null) rows.delete(id)
          return end ?? null
        },
      }
      // No look at the rows finds the work again.
      const { failures } = await start(t, await create(), work, { limits: { ...LIMITS, look_ms: 600_000 } })
      await eventually(() => rows.size === 0)
      assert.deepEqual([ends, failures.map(String)], [[], ['Error: away']])
    })

    it('leave alone what has ended, although its row stays due', async t => {
      // PostgreSQL looks once a minute.
      const look_ms = name === 'SQLite' ? LIMITS.look_ms : 600_000
      const { due } = rowsOf(1)
      let runs = 0
      const work: Work = {
        concurrency: 1,
        due,
        async handle() {
          runs += 1
          return null
        },
      }
      await start(t, await create(), work, { limits: { ...LIMITS, look_ms } })
      await eventually(() => runs === 1)
      await pause(3 * LIMITS.look_ms)
      assert.equal(runs, 1)
    })

    it('look once for many that wake them at once, and once more for what came meanwhile', async t => {
      const { rows, due } = rowsOf(0)
      let looks = 0
      const looking = async (...asked: Parameters<typeof due>) => {
        looks += 1
        await pause(20)
        return due(...asked)
      }
      const limits = { ...LIMITS, look_ms: 600_000 }
      const work: Work = {
        concurrency: 1,
        due: looking,
        async handle({ id }) {
          rows.delete(id)
          return null
        },
      }
      const { queue, failures, close } = await start(t, await create(), work, { limits })
      await eventually(() => looks === 1)
      await pause(100)
      const woken = Array.from({ length: 30 }, () => queue.wake())
      rows.set('late', Date.now())
      await Promise.all([...woken, queue.wake()])
      await eventually(() => rows.size === 0)
      assert.ok(looks <= 4, `${looks} looks`)
      await Promise.all([close(), close()])
      assert.deepEqual(failures, [])
    })

    it('do each thing once when two processes are open, and the other goes on when one has closed', async t => {
      const { rows, due } = rowsOf(40)
      const done: string[][] = [[], []]
      const place = await create()
      const all: Awaited<ReturnType<typeof start>>[] = []
      for (const mine of done)
        all.push(
          await start(t, place, {
            concurrency: 2,
            due,
            async handle({ id }) {
              if (!rows.has(id)) return null
              mine.push(id)
              await pause(20)
              rows.delete(id)
              return null
            },
          }),
        )
      await eventually(() => rows.size === 0)
      assert.equal(done.flat().length, 40)
      assert.equal(new Set(done.flat()).size, 40)
      const [first, second] = done.map(({ length }) => length > 0)
      assert.deepEqual([first, second], name === 'SQLite' ? [true, false] : [true, true])
      await all[0]?.close()
      rows.set('more', Date.now())
      await eventually(() => rows.size === 0)
      assert.equal(done[1]?.includes('more'), true)
    })

    it('end with the process: what runs may finish, and what is left is not begun', async t => {
      const { rows, due } = rowsOf(3)
      const ended: string[] = []
      const { close } = await start(t, await create(), {
        concurrency: 1,
        due,
        async handle({ id }, { ending, signal }) {
          while (!ending.aborted) await pause(5)
          await pause(20)
          ended.push(`${id} ${signal.aborted}`)
          rows.delete(id)
          return null
        },
      })
      await pause(LIMITS.look_ms)
      await close()
      assert.deepEqual(ended, ['row_0 false'])
    })
  })
}

describe('the queues in SQLite', () => {
  it('begin when the lease of a process that died has expired', async t => {
    const { rows, due } = rowsOf(1)
    const place = await queuePlaces.SQLite()
    const { database, queues } = await openAt(place, { now: Date.now, onFailure: () => {} })
    t.after(() => queues.close())
    const leases = createLeases(database, Date.now)
    assert.equal(await leases.take('queues', 'dead', 600), true)
    const until = Date.now() + 600
    await start(t, place, {
      concurrency: 1,
      due,
      async handle({ id }) {
        rows.delete(id)
        return null
      },
    })
    await eventually(() => rows.size === 0)
    assert.ok(Date.now() >= until - 100, 'not before')
    assert.deepEqual(
      [await leases.take('queues', 'another', LIMITS.lease_ms), (await leases.holders('queue')).length],
      [false, 1],
    )
  })
})

describe('the queues in PostgreSQL', () => {
  it('go on by themselves when the database crashed and has been started again, and tell one failure', async t => {
    const server = await startPostgres()
    t.after(() => server.stop())
    const { rows, due } = rowsOf(60)
    const failed: unknown[] = []
    const recovered: number[] = []
    const handled: string[] = []
    await start(
      t,
      await server.createDatabase(),
      {
        concurrency: 4,
        due,
        async handle({ id }) {
          handled.push(id)
          await pause(20)
          rows.delete(id)
          return null
        },
      },
      { onFailure: error => failed.push(error), onRecovery: count => recovered.push(count) },
    )
    await eventually(() => rows.size < 50)
    await server.crash()
    await pause(1_000)
    const told = failed.length
    await server.restart()
    await eventually(() => rows.size === 0)
    await eventually(() => recovered.length > 0)
    assert.equal(told, 1)
    assert.ok((recovered[0] ?? 0) > 1, `${recovered[0]} failures were counted`)
    assert.equal(new Set(handled).size, 60)
  })
})
