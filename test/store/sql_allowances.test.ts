// What the allowances and pauses of upstreams, and the limit of wrong keys, promise over both databases with two processes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Allowances, openAllowances } from '../../src/store/sql/allowances.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createWrongKeys, guessOnce, type WrongKeys } from '../../src/store/sql/wrong_keys.ts'
import { startPostgres } from '../postgres_server.ts'
import { tier } from '../tiers.ts'
import { places } from './databases.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The wall clock stands still; the monotonic one goes on. */
const clockAt = (now: number) => ({ at: now, now: () => clock.at, monotonic: () => performance.now() })
const clock = clockAt(NOON)

/** Takes until none of them gets anything more; resolves with how many each got. */
async function takeAll(all: readonly Allowances[], source: string, daily: number): Promise<number[]> {
  const taken = all.map(() => 0)
  for (let idle = 0; idle < 50; idle++) {
    for (const [at, one] of all.entries()) {
      while (one.take(source, daily)) {
        taken[at] = (taken[at] ?? 0) + 1
        idle = 0
      }
    }
    await pause(10)
  }
  return taken
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

for (const { name, create } of places) {
  describe(`the allowances of upstreams in ${name}`, () => {
    let open: () => Promise<Database>
    const databases: Database[] = []
    const opened: Allowances[] = []
    before(async () => {
      open = await create()
    })
    after(async () => {
      await Promise.all(opened.map(one => one.close()))
      await Promise.all(databases.map(one => one.close()))
    })
    const start = async () => {
      const database = await open()
      const allowances = await openAllowances(database, clock)
      databases.push(database)
      opened.push(allowances)
      return allowances
    }

    it('give two processes all queries of a day together, and not one more', async () => {
      const both = [await start(), await start()]
      const taken = await takeAll(both, 'list a', 200)
      assert.equal(sum(taken), 200)
      assert.ok(
        taken.every(count => count > 10),
        `${taken}`,
      )
      assert.deepEqual(
        both.map(one => one.take('list a', 200)),
        [false, false],
      )
      const third = await start()
      assert.equal(third.take('list a', 200), false)
    })

    it('give a whole burst at once while the end of the day is far', async () => {
      const one = await start()
      const burst = Array.from({ length: 100 }, () => one.take('list burst', 100_000))
      assert.deepEqual([...new Set(burst)], [true])
    })

    it('begin again on the next day', async () => {
      const one = await start()
      assert.deepEqual(await takeAll([one], 'list day', 3), [3])
      clock.at = NOON + DAY_MS
      assert.deepEqual(await takeAll([one], 'list day', 3), [3])
      clock.at = NOON
    })

    it('have no end without a limit, and none without an allowance', async () => {
      const one = await start()
      assert.equal(one.take('list free', Number.POSITIVE_INFINITY), true)
      assert.equal(one.take('list none', 0), false)
    })

    it('go on after a process that ended, without what it did not use', async () => {
      const first = await start()
      assert.equal(first.take('list end', 40), true)
      await first.close()
      const second = await start()
      assert.deepEqual(await takeAll([second], 'list end', 40), [39])
    })

    it('are lost with a process that dies, at most a block', async () => {
      const dead = await start()
      assert.equal(dead.take('list dead', 80), true)
      // Its block arrives, and it takes no more.
      const row = () =>
        databases[0]?.read
          .selectFrom('allowances')
          .select('state')
          .where('upstream', '=', 'list dead')
          .executeTakeFirst()
      while ((await row()) === undefined) await pause(5)
      const [taken = 0] = await takeAll([await start()], 'list dead', 80)
      assert.ok(taken >= 60 && taken < 80, `${taken}`)
    })

    it('and pauses of one process are seen by the others, the longest of them', async () => {
      const [one, other] = [await start(), await start()]
      one.pause('registry x', 60_000)
      one.pause('registry x', 1_000)
      assert.equal(one.isPaused('registry x'), true)
      assert.equal(one.isPaused('registry y'), false)
      while (!other.isPaused('registry x')) await pause(50)
      const third = await start()
      assert.equal(third.isPaused('registry x'), true)
    })
  })

  describe(`the limit of wrong keys in ${name}`, () => {
    let databases: readonly Database[]
    let limits: readonly WrongKeys[]
    const time = { now: NOON }
    before(async () => {
      const open = await create()
      databases = [await open(), await open()]
      limits = databases.map(database => createWrongKeys(database, 5, () => time.now))
    })
    after(async () => {
      await Promise.all(limits.map(one => one.close()))
      await Promise.all(databases.map(one => one.close()))
    })

    it('holds for one address block over two processes, and for others alone', async () => {
      const client = '192.0.2.7'
      const waits = await Promise.all(Array.from({ length: 20 }, async (_, at) => limits[at % 2]?.take(client)))
      assert.equal(waits.filter(wait => wait === 0).length, 5)
      assert.deepEqual([...new Set(waits)].sort(), [0, 60])
      assert.equal(await limits[0]?.take('2001:db8::/64'), 0)
    })

    it('ends a minute after the guesses', async () => {
      const client = '192.0.2.8'
      for (let n = 0; n < 5; n++) assert.equal(await limits[0]?.take(client), 0)
      assert.equal(await limits[1]?.take(client), 60)
      time.now += 30_000
      assert.equal(await limits[1]?.take(client), 30)
      time.now += 30_000
      assert.equal(await limits[1]?.take(client), 0)
      time.now = NOON
    })
  })
}

describe('guesses within a minute', () => {
  for (const { what, before, now, wait } of [
    { what: 'are allowed when there were none', before: [], now: NOON, wait: 0 },
    { what: 'are refused when there were as many', before: [NOON, 2, NOON + 1_000, 1], now: NOON + 1_000, wait: 59 },
    {
      what: 'are allowed when the oldest are a minute old',
      before: [NOON, 2, NOON + 1_000, 1],
      now: NOON + MINUTE_MS,
      wait: 0,
    },
    {
      what: 'are allowed when others are of a clock that is far ahead',
      before: [NOON + DAY_MS, 3],
      now: NOON,
      wait: 0,
    },
  ]) {
    it(what, () => assert.equal(guessOnce(before, 3, now).wait, wait))
  }
})

// It crashes in `npm test` under the counts of answers and under the queues.
if (tier === 'all') {
  describe('while PostgreSQL is away', () => {
    it('what was taken stays usable and no more is taken, pauses are written later, and wrong keys are counted here', async t => {
      const server = await startPostgres()
      const url = await server.createDatabase()
      const database = await openPostgres({ place: { url }, onLoss: () => {} })
      const allowances = await openAllowances(database, clock)
      const wrong = createWrongKeys(database, 3, () => NOON)
      t.after(async () => {
        await allowances.close()
        await wrong.close()
        await database.close()
        await server.stop()
      })
      assert.equal(allowances.take('list a', 400), true)
      const row = () => database.read.selectFrom('allowances').select('state').executeTakeFirst()
      while ((await row()) === undefined) await pause(5)
      await server.crash()
      allowances.pause('registry z', MINUTE_MS)
      const [taken = 0] = await takeAll([allowances], 'list a', 400)
      assert.ok(taken > 0 && taken < 40, `${taken}`)
      const waits = []
      for (let n = 0; n < 5; n++) waits.push(await wrong.take('192.0.2.9'))
      assert.deepEqual(waits, [0, 0, 0, 60, 60])
      await server.restart()
      while (!allowances.take('list a', 400)) await pause(20)
      const again = await openPostgres({ place: { url }, onLoss: () => {} })
      for (;;) {
        const other = await openAllowances(again, clock)
        const isPaused = other.isPaused('registry z')
        await other.close()
        if (isPaused) break
        await pause(100)
      }
      await again.close()
    })
  })
}
