// The quota rule exists twice, in TypeScript and in Lua. Both count the same for any plans and any clock.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { createQuota, type Entry, type Ledger } from '../../src/store/embedded/quota.ts'
import {
  type Allowance,
  type Balance,
  type Counts,
  type PeriodKind,
  periodKinds,
  usedIn,
} from '../../src/store/quota_rule.ts'
import { createLink } from '../../src/store/redis/link.ts'
import { readCounts, readDays, settle } from '../../src/store/redis/quota_script.ts'
import type { QuotaStore } from '../../src/store/store.ts'
import { daysLeaving, daysWithin, type StoredDay, totalOf } from '../../src/store/usage_days.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { openFor, PATIENT_MS } from './backends.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const november = Date.parse('2026-11-15T12:00:00Z')

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

async function openLink(t: TestContext) {
  const link = createLink({ url: redis.confined, command_ms: PATIENT_MS })
  t.after(() => link.close())
  await link.start()
  return link
}

function memoryLedger() {
  const rows = new Map<string, Counts>()
  const archived: StoredDay[] = []
  const ledger: Ledger = {
    read: account => rows.get(account) ?? null,
    async record(entries: readonly Entry[]) {
      for (const { account, before, after } of entries) {
        archived.push(...daysLeaving(before, after))
        rows.set(account, after)
      }
      return entries.map(() => true)
    },
  }
  const days = (account: string, now: number) => daysWithin(ALWAYS, rows.get(account)?.day ?? [], archived, now)
  return { ledger, days }
}

const ALWAYS = { from: 0, to: Date.parse('2040-01-01') }

/** Asks for as many answers and gives them; the usage afterwards. */
async function give(quota: QuotaStore, account: string, allowance: Allowance, answers: number) {
  let given = 0
  for (let n = 0; n < answers; n++) {
    const grant = await quota.reserve(account, allowance)
    if (!grant.allowed) continue
    await grant.commit()
    given += 1
  }
  return { given, usage: await quota.usage(account, allowance) }
}

const step = fc.record({
  /** Minutes that pass, or that the clock is set back. */
  minutes: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 90 }) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 * 24 * 60 }) },
    fc.integer({ min: -120, max: 0 }),
    fc.integer({ min: -40 * 24 * 60, max: 0 }),
  ),
  period: fc.constantFrom(...periodKinds),
  answers: fc.integer({ min: 0, max: 3 }),
})

test('the script of Redis counts as the embedded store does', { skip: withoutRedis }, async t => {
  let now = november
  const store = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS, now: () => now })
  let accounts = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
      const account = `acc_agree_${++accounts}`
      const { ledger, days } = memoryLedger()
      const embedded = createQuota(ledger, () => now)
      now = november
      let given = 0
      for (const { minutes, period, answers } of steps) {
        now = Math.max(DAY_MS, now + minutes * 60_000)
        const allowance = { quota: 6, period }
        const [here, there] = [
          await give(embedded, account, allowance, answers),
          await give(store.quota, account, allowance, answers),
        ]
        assert.deepEqual(there, here)
        given += here.given
      }
      // A clock that is set back before all known days repeats their answers, and after a year days are no longer kept.
      if (steps.some(({ minutes }) => minutes < 0) || now > november + YEAR_MS) return
      const byDay = await store.keys.usageByDay([account], ALWAYS)
      assert.deepEqual(byDay.get(account), days(account, now))
      assert.equal(totalOf(days(account, now)), given)
    }),
    { numRuns: 300 },
  )
})

describe('answers that Redis counted although they were refused', { skip: withoutRedis }, () => {
  interface Late {
    readonly period: PeriodKind
    readonly counted: string
    /** When Redis learns that they were refused. */
    readonly reported: string
    /** When another instance gives an answer in between. */
    readonly others?: readonly string[]
  }
  const late: Readonly<Record<string, Late>> = {
    'within the hour': { period: 'rolling_24h', counted: '11-20T12:10', reported: '11-20T12:50' },
    'in the next hour': { period: 'rolling_24h', counted: '11-20T12:59', reported: '11-20T13:01' },
    'in the next hour, which has answers': {
      ...{ period: 'rolling_24h', counted: '11-20T12:59', reported: '11-20T13:02', others: ['11-20T13:01'] },
    },
    'on the next day of a window': { period: 'rolling_30d', counted: '11-20T23:59', reported: '11-21T00:01' },
    'on the next day of a month, which has answers': {
      ...{ period: 'month', counted: '11-20T23:59', reported: '11-21T00:02', others: ['11-21T00:01'] },
    },
    'after midnight': { period: 'day', counted: '11-20T23:59', reported: '11-21T00:01' },
    'after midnight, on a day that has answers': {
      ...{ period: 'day', counted: '11-20T23:59', reported: '11-21T00:02', others: ['11-21T00:01'] },
    },
    'when their day is archived': {
      ...{ period: 'day', counted: '11-20T23:59', reported: '11-22T00:02', others: ['11-21T12:00', '11-22T00:01'] },
    },
    'in the next month': { period: 'month', counted: '11-30T23:59', reported: '12-01T00:01' },
  }
  for (const [when, { period, counted, reported, others = [] }] of Object.entries(late)) {
    it(`count nowhere once Redis learns it ${when}`, async t => {
      const { run } = await openLink(t)
      const account = `acc_late ${when}`
      const batch = {
        account,
        period,
        quota: 100,
        epoch: 'of the tests',
        marks: {},
        acknowledged: 0,
        held: 0,
        want: 0,
        count: 0,
      }
      const at = (moment: string) => Date.parse(`2026-${moment}:00Z`)
      const refused = { ...batch, instance: 'refuses', sequence: 1 }

      await settle(run, { ...refused, charge: 5, given_at: null, now: at(counted) })
      for (const [n, moment] of others.entries()) {
        const given = { instance: 'gives', sequence: n + 1, count: 1, charge: 0, given_at: null, now: at(moment) }
        await settle(run, { ...batch, ...given })
      }
      for (let reports = 0; reports < 2; reports++)
        await settle(run, { ...refused, charge: 0, given_at: at(counted), now: at(reported) })

      const answers = (balance: Balance) => balance.reduce((sum, value, n) => (n % 2 === 1 ? sum + value : sum), 0)
      for (const [kind, balance] of Object.entries((await readCounts(run, account)) ?? {}))
        assert.equal(answers(balance), others.length, kind)
      const { balance, archived } = (await readDays(run, account)) ?? assert.fail('the days are damaged')
      const days = daysWithin(ALWAYS, balance, archived, at(reported)).map(({ day, answers }) => [day, answers])
      assert.deepEqual(
        days,
        others.map(moment => [`2026-${moment.slice(0, 5)}`, 1]),
      )
    })
  }
})

describe('counts that an instance knows', { skip: withoutRedis }, () => {
  const cases: Readonly<Record<string, { readonly lost: number; readonly used: number }>> = {
    'are not counted again in a Redis that has them': { lost: 0, used: 3 },
    'are counted in a Redis that lost them': { lost: 1, used: 8 },
    'are counted in a Redis that lost all of the account': { lost: 2, used: 8 },
  }
  for (const [what, { lost, used }] of Object.entries(cases)) {
    it(what, async t => {
      const { run } = await openLink(t)
      const account = `acc_marks ${what}`
      const common = {
        account,
        period: 'month',
        quota: 100,
        epoch: 'of the tests',
        held: 0,
        want: 0,
        now: november,
      } as const
      const seen = { ...common, instance: 'sees', count: 0, charge: 0, given_at: null }
      const refused = { ...common, instance: 'refuses', sequence: 1, count: 0, marks: {}, acknowledged: 0 }
      const keys = ['month', 'day'].map(kind => run.key(`quota-${kind}`, account))
      const dumped = () => Promise.all(keys.map(key => run(client => client.hGetAll(key))))

      await settle(run, { ...seen, sequence: 1, charge: 3, marks: {}, acknowledged: 0 })
      const before = await dumped()
      await settle(run, { ...refused, charge: 5, given_at: null })
      const { balances } = await settle(run, { ...seen, sequence: 2, marks: {}, acknowledged: 1 })
      await settle(run, { ...refused, charge: 0, given_at: november })
      for (const [n, key] of lost > 0 ? keys.entries() : []) {
        await run(client => client.del(key))
        if (lost === 1) await run(client => client.hSet(key, before[n] ?? {}))
      }

      const last = await settle(run, { ...seen, sequence: 3, marks: balances, acknowledged: 2 })
      assert.deepEqual(
        [usedIn('month', last.balances.month ?? []), usedIn('day', last.balances.day ?? [])],
        [used, used],
      )
    })
  }
})

describe('reports of answers given while Redis was down', { skip: withoutRedis }, () => {
  interface Report {
    readonly sequence: number
    readonly remembered?: number
  }
  const cases: Readonly<Record<string, readonly Report[]>> = {
    'of this release': [
      { sequence: 2, remembered: 3 },
      { sequence: 4, remembered: 5 },
    ],
    'of earlier releases, whose numbers follow each other': [{ sequence: 1 }, { sequence: 2 }],
  }
  for (const [whose, reports] of Object.entries(cases)) {
    it(`are counted once although they are repeated: ${whose}`, async t => {
      const { run } = await openLink(t)
      const common = {
        ...{ account: `acc_reports ${whose}`, instance: 'gave', epoch: 'of the tests', marks: {}, acknowledged: 0 },
        ...{ quota: 0, count: 3, charge: 0, held: 0, want: 0, given_at: november, now: november },
        period: 'month',
      } as const
      for (const [n, report] of reports.entries()) {
        for (let times = 0; times < 2; times++) {
          const { balance } = await settle(run, { ...common, ...report })
          assert.equal(usedIn('month', balance), 3 * (n + 1))
        }
      }
      // As an earlier release repeats it.
      for (const { sequence } of reports) await settle(run, { ...common, sequence })
      const { balance } = await settle(run, { ...common, sequence: 6, count: 0, given_at: null })
      assert.equal(usedIn('month', balance), 6)
    })
  }

  it('are noticed when Redis has their batch without them', async t => {
    const { run } = await openLink(t)
    const common = {
      ...{ account: 'acc_report lost', instance: 'gave', epoch: 'of the tests', marks: {}, acknowledged: 0 },
      ...{ quota: 100, charge: 0, held: 0, want: 0, now: november },
      period: 'month',
    } as const
    const keys = ['month', 'day'].map(kind => run.key(`quota-${kind}`, common.account))
    await settle(run, { ...common, sequence: 2, count: 1, given_at: null })
    const before = await Promise.all(keys.map(key => run(client => client.hGetAll(key))))
    const report = { ...common, sequence: 2, remembered: 3, count: 4, given_at: november }
    const { balances } = await settle(run, report)
    const next = { ...common, sequence: 4, count: 0, given_at: null, marks: balances, acknowledged: 3 }
    for (const [n, key] of keys.entries()) await run(client => client.hSet(key, before[n] ?? {}))
    const { balance } = await settle(run, next)
    assert.equal(usedIn('month', balance), 4)
  })
})
