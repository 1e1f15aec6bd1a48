// What the counts of answers promise over both databases, with two processes, one that is killed, and a database that is away.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { Allowance, Usage } from '../../src/config/quota_rule.ts'
import type { Change, Database } from '../../src/store/sql/database.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createQuota, type Quota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { usageByDay } from '../../src/store/sql/usage.ts'
import { type Refusal, StoreError } from '../../src/store/store.ts'
import { testProgram } from '../assay.ts'
import { type PostgresServer, sharedPostgres, startPostgres } from '../postgres_server.ts'
import { sampled } from '../sample.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { places } from './databases.ts'

const NOVEMBER = Date.parse('2026-11-01T00:00:00Z')
const DECEMBER = Date.parse('2026-12-01T00:00:00Z')
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const monthly = (quota: number) => ({ quota, period: 'month' }) as const

const isQuotaError = (error: unknown) => error instanceof StoreError && error.code === 'quota_store_error'

const usedOf = (answers: readonly (Usage | Refusal | null)[]): number[] =>
  answers.flatMap(answer => (answer === null || 'allowed' in answer ? [] : [answer.used])).sort((a, b) => a - b)

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const many = <T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

let names = 0
const fresh = () => `acc_${++names}`

for (const { name, create } of places) {
  describe(`the counts of answers in ${name}`, () => {
    const clock = { now: NOVEMBER }
    const now = () => clock.now
    let databases: readonly Database[]
    let quotas: readonly Quota[]
    let database: Database
    let quota: Quota
    let other: Quota
    before(async () => {
      const open = await create()
      databases = await Promise.all([open(), open()])
      quotas = databases.map(database => createQuota(database, now))
      ;[database, quota, other] = [databases[0], quotas[0], quotas[1]] as [Database, Quota, Quota]
    })
    after(async () => {
      await Promise.all(quotas.map(({ drain }) => drain()))
      await Promise.all(databases.map(database => database.close()))
    })
    beforeEach(() => {
      clock.now = NOVEMBER
    })
    const store = async (account: string, counts: string) => {
      await database.transaction(change => change.insertInto('usage').values({ account, counts }).execute())
    }
    const stored = async (account: string) => {
      const row = await database.read.selectFrom('usage').selectAll().where('account', '=', account).executeTakeFirst()
      return row === undefined ? null : JSON.parse(row.counts)
    }

    it('count an answer as several where it costs as much, and only if all of them fit', async () => {
      const account = fresh()
      const priced = await quota.charge(account, monthly(7), undefined, 5)
      assert.deepEqual(usedOf([priced]), [5])
      const refused = await other.charge(account, monthly(7), undefined, 3)
      assert.ok(refused !== null && 'allowed' in refused, 'three more do not fit')
      const last = await many(3, () => quota.charge(account, monthly(7)))
      assert.deepEqual(usedOf(last), [6, 7])
      assert.equal((await other.usage(account, monthly(7))).remaining, 0)
    })

    it('count an answer once, and report what is left until the month ends', async () => {
      const account = fresh()
      assert.deepEqual(await quota.usage(account, monthly(10)), {
        limit: 10,
        used: 0,
        remaining: 10,
        reset: DECEMBER / 1000,
      })
      const usage = { limit: 10, used: 1, remaining: 9, reset: DECEMBER / 1000 }
      assert.deepEqual(await quota.charge(account, monthly(10)), usage)
      assert.deepEqual(await other.usage(account, monthly(10)), usage)
    })

    it('grant exactly what is left to requests at once in two processes, each with its own remainder', async () => {
      const account = fresh()
      const answers = await many(300, at => (at % 2 === 0 ? quota : other).charge(account, monthly(37)))
      assert.deepEqual(usedOf(answers), upTo(37))
      const refused = answers.filter(answer => 'allowed' in answer)
      const refusal = { allowed: false, usage: { limit: 37, used: 37, remaining: 0, reset: DECEMBER / 1000 } }
      for (const one of refused) assert.deepEqual(one, refusal)
      assert.equal(refused.length, 263)
    })

    it('grant exactly what is left to many accounts at once in two processes', async () => {
      const accounts = Array.from({ length: 60 }, fresh)
      const answers = await many(1_200, async at => {
        const account = accounts[at % 60] ?? ''
        return { account, answer: await (at % 7 < 3 ? quota : other).charge(account, monthly(9)) }
      })
      for (const account of accounts) {
        const own = answers.flatMap(one => (one.account === account ? [one.answer] : []))
        assert.deepEqual(usedOf(own), upTo(9))
      }
    })

    it('grant what fits in the order of arrival', async () => {
      const account = fresh()
      const answers = await many(5, () => quota.charge(account, monthly(3)))
      assert.deepEqual(
        answers.map(answer => ('allowed' in answer ? null : answer.used)),
        [1, 2, 3, null, null],
      )
    })

    it('are exact at the edge of a rolling plan, over two processes', async () => {
      const account = fresh()
      const rolling = { quota: 40, period: 'rolling_30d' } as const
      for (let day = 0; day < 30; day++) {
        clock.now = NOVEMBER + day * DAY_MS
        await quota.charge(account, rolling)
      }
      const answers = await many(60, at => (at % 2 === 0 ? quota : other).charge(account, rolling))
      assert.deepEqual(
        usedOf(answers),
        Array.from({ length: 10 }, (_, at) => 31 + at),
      )
      clock.now = NOVEMBER + 31 * DAY_MS
      const later = await many(20, at => (at % 2 === 0 ? quota : other).charge(account, rolling))
      assert.deepEqual(usedOf(later), [40])
    })

    it('are durable before an answer is sent', async () => {
      const account = fresh()
      await many(50, async () => {
        const answer = await quota.charge(account, monthly(1_000))
        assert.ok((await stored(account)).month[1] >= (answer as Usage).used)
      })
    })

    it('of a day and its month hold for a plan of either', async () => {
      const account = fresh()
      await quota.charge(account, monthly(5))
      const daily = { quota: 5, period: 'day' } as const
      const usage = { limit: 5, used: 2, remaining: 3, reset: (NOVEMBER + DAY_MS) / 1000 }
      assert.deepEqual(await other.charge(account, daily), usage)
      assert.deepEqual(
        usedOf(
          await Promise.all([
            quota.charge(account, monthly(9)),
            quota.charge(account, { quota: 9, period: 'rolling_24h' }),
            quota.charge(account, daily),
          ]),
        ),
        [3, 4, 5],
      )
      clock.now = NOVEMBER + DAY_MS
      assert.equal(((await quota.charge(account, daily)) as Usage).used, 1)
      assert.equal((await quota.usage(account, monthly(9))).used, 6)
    })

    it('of plans with other periods are each their own at once', async () => {
      const account = fresh()
      await many(5, () => quota.charge(account, monthly(99)))
      clock.now = NOVEMBER + DAY_MS
      const daily = { quota: 2, period: 'day' } as const
      const plans = [monthly(99), daily, daily, monthly(99), daily]
      const answers = await many(plans.length, at => quota.charge(account, plans[at] as Allowance))
      assert.deepEqual(
        answers.map(answer => ('allowed' in answer ? null : answer.used)),
        [6, 2, null, 8, null],
      )
      assert.deepEqual(await stored(account), { month: [NOVEMBER, 8], day: [NOVEMBER + DAY_MS, 3, NOVEMBER, 5] })
    })

    it('are not written when nothing is granted', async () => {
      const account = fresh()
      assert.ok('allowed' in (await quota.charge(account, monthly(0))))
      assert.equal(await stored(account), null)
    })

    it('of each month are its own while the clock is wrong', async () => {
      const account = fresh()
      const used = async (at: number) => {
        clock.now = at
        return ((await quota.charge(account, monthly(5))) as Usage).used
      }
      const ahead = Date.parse('2038-01-19')
      const moments = [NOVEMBER, NOVEMBER, ahead, NOVEMBER + DAY_MS, ahead + DAY_MS, DECEMBER, DECEMBER - HOUR_MS]
      const counts: number[] = []
      for (const moment of moments) counts.push(await used(moment))
      assert.deepEqual(counts, [1, 2, 1, 3, 2, 1, 2])
    })

    it('keep days that have left them, each answer on one day', async () => {
      const account = fresh()
      const span = { from: NOVEMBER, to: DECEMBER }
      for (const [day, answers] of [2, 1, 0, 3].entries()) {
        clock.now = NOVEMBER + day * DAY_MS
        await many(answers, at => (at % 2 === 0 ? quota : other).charge(account, monthly(99)))
      }
      const byDay = await usageByDay(database, [account, 'acc_none'], span, clock.now)
      assert.deepEqual(
        byDay.get(account)?.map(({ day, answers }) => [day, answers]),
        [
          ['2026-11-01', 2],
          ['2026-11-02', 1],
          ['2026-11-04', 3],
        ],
      )
      assert.deepEqual(byDay.get('acc_none'), [])
      const days = await database.read.selectFrom('usage_days').select('day').where('account', '=', account).execute()
      assert.deepEqual(days, [{ day: NOVEMBER }])
      clock.now = NOVEMBER + 500 * DAY_MS
      await quota.charge(account, monthly(99))
      for (let day = 0; day < 2; day++) {
        clock.now += DAY_MS
        await quota.charge(account, monthly(99))
      }
      const later = await database.read.selectFrom('usage_days').select('day').where('account', '=', account).execute()
      assert.deepEqual(
        later.map(({ day }) => (day - NOVEMBER) / DAY_MS),
        [500],
      )
    })

    it('begin anew when the counter is gone, as after a failover to a replica that lacks it', async () => {
      const account = fresh()
      await quota.charge(account, monthly(10))
      await database.transaction(change => change.deleteFrom('usage').where('account', '=', account).execute())
      const removed = { code: 'quota_store_error', message: `the counter of ${account} was removed` }
      const next = quota.charge(account, monthly(10))
      if (name === 'PostgreSQL') await assert.rejects(next, removed)
      else await next
      const { used } = (await quota.charge(account, monthly(10))) as Usage
      assert.ok(used === 1 || used === 2, `${used} used`)
    })

    it('fail alone where they are damaged', async () => {
      const [damaged, other] = [fresh(), fresh()]
      for (const text of ['{"month":[', '{"month":[1,2],"day":[0,0]}', '{"month":[0,-1],"day":[0,0]}', '7']) {
        await database.transaction(change => change.deleteFrom('usage').where('account', '=', damaged).execute())
        await store(damaged, text)
        const [failed, counted] = await Promise.allSettled([
          quota.charge(damaged, monthly(9)),
          quota.charge(other, monthly(99)),
        ])
        assert.ok(failed.status === 'rejected' && isQuotaError(failed.reason), text)
        assert.equal(counted.status, 'fulfilled')
        await assert.rejects(quota.usage(damaged, monthly(9)), isQuotaError)
        assert.equal(quota.refusal(damaged, monthly(9)), null)
      }
    })

    describe('refuse early', () => {
      it('when nothing is left by the last known use', async () => {
        const account = fresh()
        assert.equal(quota.refusal(account, monthly(2)), null)
        await quota.charge(account, monthly(2))
        assert.equal(quota.refusal(account, monthly(2)), null)
        await quota.charge(account, monthly(2))
        const usage = { limit: 2, used: 2, remaining: 0, reset: DECEMBER / 1000 }
        assert.deepEqual(quota.refusal(account, monthly(2)), { allowed: false, usage })
        // The other process has not seen the account.
        assert.equal(other.refusal(account, monthly(2)), null)
        assert.deepEqual(await other.charge(account, monthly(2)), { allowed: false, usage })
        assert.deepEqual(other.refusal(account, monthly(2)), { allowed: false, usage })
      })

      it('never an account whose quota, plan or period has grown', async () => {
        const account = fresh()
        await many(2, () => quota.charge(account, monthly(2)))
        assert.equal(quota.refusal(account, monthly(3)), null)
        clock.now = NOVEMBER + DAY_MS
        assert.equal(quota.refusal(account, { quota: 2, period: 'day' }), null)
        assert.equal(quota.refusal(account, monthly(2))?.usage.used, 2)
        clock.now = DECEMBER
        assert.equal(quota.refusal(account, monthly(2)), null)
        assert.equal(((await quota.charge(account, monthly(2))) as Usage).used, 1)
      })
    })

    describe('with a record', () => {
      const write =
        (line: number, job = 'turns') =>
        async (change: Change) => {
          await change
            .insertInto('leases')
            .values({ name: `${job} ${line}`, holder: '', until: line })
            .execute()
          return true
        }
      const lines = async (job: string) => {
        const rows = await database.read
          .selectFrom('leases')
          .select('until')
          .where('name', 'like', `${job} %`)
          .execute()
        return rows.map(({ until }) => until).sort((a, b) => a - b)
      }

      it('are written with it, as far as the quota goes', async () => {
        const account = fresh()
        const answers = await many(8, at => quota.charge(account, monthly(5), write(at, account)))
        assert.deepEqual(usedOf(answers), upTo(5))
        assert.deepEqual(await lines(account), [0, 1, 2, 3, 4])
      })

      it('count nothing when it was there already', async () => {
        const account = fresh()
        const answers = await Promise.all([
          quota.charge(account, monthly(5), async () => false),
          quota.charge(account, monthly(5), write(1, account)),
          quota.charge(account, monthly(5)),
        ])
        assert.deepEqual([answers[0], ...usedOf(answers)], [null, 1, 2])
      })

      it('fail with it alone when it cannot be written, and what it wrote before is undone', async () => {
        const [account, job] = [fresh(), fresh()]
        await quota.charge(account, monthly(9), write(1, job))
        const half = async (change: Change) => {
          await write(2, job)(change)
          // The row is there.
          return write(1, job)(change)
        }
        const [before, failed, thrown, after] = await Promise.allSettled([
          quota.charge(account, monthly(9), write(3, job)),
          quota.charge(account, monthly(9), half),
          quota.charge(account, monthly(9), () => Promise.reject(new Error('no record'))),
          quota.charge(account, monthly(9), write(4, job)),
        ])
        assert.deepEqual(
          [before.status, failed.status, thrown.status, after.status],
          ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
        )
        assert.match(String(thrown.status === 'rejected' && thrown.reason), /no record/)
        assert.deepEqual(await lines(job), [1, 3, 4])
        assert.equal((await quota.usage(account, monthly(9))).used, 3)
      })
    })

    it('hold no more in any 24 hours than a rolling plan allows, and are available again within 25', async () => {
      const minutes = fc.array(fc.integer({ min: 0, max: 72 * 60 }), { maxLength: 30 })
      const rolling = { quota: 3, period: 'rolling_24h' } as const
      await fc.assert(
        fc.asyncProperty(minutes, async moments => {
          const account = fresh()
          const given: number[] = []
          for (const minute of moments.sort((a, b) => a - b)) {
            clock.now = NOVEMBER + minute * 60_000
            const since = (hours: number) => given.filter(at => at > clock.now - hours * HOUR_MS).length
            const answer = await (minute % 2 === 0 ? quota : other).charge(account, rolling)
            if ('allowed' in answer) {
              assert.ok(since(25) >= 3)
              assert.ok(answer.usage.reset * 1000 > clock.now && answer.usage.reset * 1000 <= clock.now + 25 * HOUR_MS)
            } else {
              assert.ok(since(24) < 3)
              given.push(clock.now)
            }
          }
        }),
        { numRuns: 15 },
      )
      clock.now = NOVEMBER
    })
  })
}

const SCRIPT = join(import.meta.dirname, 'counting_process.ts')
/** Requests that each process has in flight. */
const CLIENTS = 16
const PROCESSES = 4

/** Octets in the log: answers delivered. */
const delivered = (log: string): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0

const opened: Readonly<Record<string, () => Promise<{ readonly place: string; open(): Promise<Database> }>>> = {
  async SQLite() {
    const place = temporaryDirectory()
    return { place, open: () => openSqlite({ directory: place, patience_ms: PATIENCE_MS.command }) }
  },
  async PostgreSQL() {
    const place = await (await sharedPostgres()).createDatabase()
    return { place, open: () => openPostgres({ place: { url: place }, onLoss: () => {} }) }
  },
}

for (const [name, create] of sampled(Object.entries(opened), 1)) {
  describe(`four processes that count in ${name}, one of them killed`, () => {
    it('deliver no more than is left, and no answer that is not counted', async t => {
      const { place, open } = await create()
      const database = await open()
      t.after(() => database.close())
      const [quota, requests] = [400, 800]
      const log = join(temporaryDirectory(), 'log')
      const start = (): ChildProcess => {
        const program = [...testProgram(SCRIPT), place, log, `${quota}`, `${requests / PROCESSES}`, `${CLIENTS}`]
        return spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit'] })
      }
      const children = Array.from({ length: PROCESSES }, start)
      t.after(() => {
        for (const child of children) child.kill('SIGKILL')
      })
      const ends = children.map(child => once(child, 'exit'))
      while (delivered(log) < quota / 4) await pause(1)
      children[0]?.kill('SIGKILL')
      const exits = await Promise.all(ends)
      assert.deepEqual(
        exits.slice(1).map(([code]) => code),
        [0, 0, 0],
      )
      const { used } = await createQuota(database, Date.now).usage('acc_shared', monthly(1e9))
      const [answers, most] = [delivered(log), quota]
      assert.ok(answers <= used && used <= answers + CLIENTS, `${answers} answered, ${used} counted`)
      // What the killed one did not send of the rest, the others did.
      assert.equal(used, most)
    })
  })
}

describe('while PostgreSQL is away', () => {
  let server: PostgresServer
  let database: Database
  const clock = () => NOVEMBER
  const allowance: Allowance = monthly(1_000)
  before(async () => {
    server = await startPostgres()
    database = await openPostgres({ place: { url: await server.createDatabase() }, onLoss: () => {} })
  })
  after(async () => {
    await database.close()
    await server.stop()
  })

  it('nothing is counted or refused early, and counting goes on when it is back', async () => {
    const quota = createQuota(database, clock)
    await many(3, () => quota.charge('acc_a', monthly(3)))
    assert.notEqual(quota.refusal('acc_a', monthly(3)), null)
    await server.crash()
    const failed = await Promise.allSettled([quota.charge('acc_a', allowance), quota.charge('acc_b', allowance)])
    for (const one of failed) assert.ok(one.status === 'rejected' && isQuotaError(one.reason))
    assert.equal(quota.refusal('acc_a', monthly(3)), null)
    await assert.rejects(quota.usage('acc_a', allowance), isQuotaError)
    await server.restart()
    const answer = async () => {
      for (;;) {
        const one = await quota.charge('acc_a', allowance).catch(() => null)
        if (one !== null) return one
        await pause(50)
      }
    }
    assert.equal(((await answer()) as Usage).used, 4)
    assert.equal((await quota.usage('acc_b', allowance)).used, 0)
  })

  it('in the middle of the work, every delivered answer is counted and none twice', async () => {
    const quota = createQuota(database, clock)
    const account = 'acc_crash'
    let [answers, failures] = [0, 0]
    const count = () =>
      quota.charge(account, monthly(1e9)).then(
        () => {
          answers += 1
        },
        (fault: unknown) => {
          assert.ok(isQuotaError(fault))
          failures += 1
        },
      )
    for (let round = 0; round < 3; round++) {
      const before = answers
      let over = false
      const clients = many(20, async () => {
        while (!over) {
          await count()
          // What fails at once must not keep this process busy.
          if (failures > 0) await pause(1)
        }
      })
      while (answers < before + 100) await pause(1)
      await server.crash()
      await server.restart()
      while (answers < before + 300) await pause(1)
      over = true
      await clients
    }
    const { used } = await quota.usage(account, monthly(1e9))
    assert.ok(answers <= used && used <= answers + failures, `${answers} answered, ${failures} failed, ${used} counted`)
  })
})
