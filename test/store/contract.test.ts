// What every store does, run over the embedded one, over that of a worker, and over a real Redis.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ResultClass } from '../../src/engine/completeness.ts'
import { parseKey } from '../../src/store/api_key.ts'
import type { Backend } from '../../src/store/backend.ts'
import type { Allowance } from '../../src/store/quota_rule.ts'
import { type Grant, type Refusal, StoreError } from '../../src/store/store.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { openFor, openWith, PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const november = Date.parse('2026-11-15T00:00:00Z')
const december = Date.parse('2026-12-01T00:00:00Z')
const january = Date.parse('2027-01-01T00:00:00Z')
const monthly = (quota: number) => ({ quota, period: 'month' }) as const

const order = { plan: 'startup', label: 'a label' }
const hashOf = (text: string) => parseKey(text) ?? ''

function granted(answer: Grant | Refusal): Grant {
  assert.equal(answer.allowed, true)
  return answer as Grant
}

let redis: RedisServer
let names = 0
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

/** Accounts are the test's own: one Redis serves them all. */
const fresh = () => `acc_${++names}`

const stores: Readonly<Record<string, () => { readonly store: string | null; readonly linked?: boolean }>> = {
  embedded: () => ({ store: null }),
  linked: () => ({ store: null, linked: true }),
  redis: () => ({ store: redis.confined }),
}

for (const [name, store] of Object.entries(stores)) {
  const open = (t: TestContext, now?: () => number): Promise<Backend> =>
    openFor(t, { ...store(), command_ms: PATIENT_MS, ...(now && { now }) })

  describe(`keys in the ${name} store`, { skip: name === 'redis' && withoutRedis }, () => {
    it('are found by the hash of their text, with all their properties', async t => {
      const { keys } = await open(t)
      const expires = new Date(Date.now() + 60_000)
      const { key, text } = await keys.create({ ...order, expires })
      assert.deepEqual(await keys.find(hashOf(text)), key)
      assert.deepEqual(
        [key.plan, key.label, key.expires, key.last_used, key.revoked, text.startsWith(key.display)],
        ['startup', 'a label', expires, null, null, true],
      )
      assert.equal(await keys.find(hashOf(text.replace(/.$/, end => (end === 'a' ? 'b' : 'a')))), null)
    })

    it('are listed oldest first, including inactive ones', async t => {
      let now = november
      const { keys } = await open(t, () => now)
      const made: string[] = []
      for (let n = 0; n < 3; n++) {
        made.push((await keys.create({ ...order, label: `number ${n}` })).key.id)
        now += 1_000
      }
      await keys.revoke(made[1] ?? '')
      const listed = (await keys.list()).filter(({ id }) => made.includes(id))
      assert.deepEqual(
        listed.map(({ id, revoked }) => [id, revoked !== null]),
        made.map((id, n) => [id, n === 1]),
      )
    })

    it('end when they are revoked, and keep the first date when revoked twice', async t => {
      let now = november
      const { keys } = await open(t, () => now)
      const { key, text } = await keys.create(order)
      assert.notEqual(await keys.find(hashOf(text)), null)
      assert.deepEqual((await keys.revoke(key.id)).revoked, new Date(november))
      assert.equal(await keys.find(hashOf(text)), null)
      now += 5_000
      assert.deepEqual((await keys.revoke(key.id)).revoked, new Date(november))
    })

    it('stay valid for the grace period after rotation, and share the account with their successor', async t => {
      let now = november
      const { keys } = await open(t, () => now)
      const old = await keys.create(order)
      const young = await keys.rotate(old.key.id)
      assert.equal(young.key.account, old.key.account)
      now += 24 * 3_600_000 - 1
      assert.equal((await keys.find(hashOf(old.text)))?.id, old.key.id)
      now += 1
      assert.equal(await keys.find(hashOf(old.text)), null)
      assert.equal((await keys.find(hashOf(young.text)))?.id, young.key.id)
      await assert.rejects(keys.rotate(old.key.id), { name: 'StoreError', code: 'key_not_active' })
    })

    it('can be rotated once; then only their successor can', async t => {
      let now = november
      const { keys } = await open(t, () => now)
      const old = await keys.create(order)
      const young = await keys.rotate(old.key.id)
      now += 3_600_000
      const refusal = {
        name: 'StoreError',
        code: 'key_not_active',
        message: /was already rotated: rotate the newest key of acc_/,
      }
      await assert.rejects(keys.rotate(old.key.id), refusal)
      await keys.revoke(young.key.id)
      await assert.rejects(keys.rotate(old.key.id), refusal)
      const expires = new Date(now + 48 * 3_600_000)
      const dated = await keys.create({ ...order, account: old.key.account, label: 'dated', expires })
      const [second, other] = [
        await keys.rotate(dated.key.id),
        await keys.create({ ...order, account: old.key.account }),
      ]
      await assert.rejects(keys.rotate(dated.key.id), refusal)
      const third = await keys.rotate(second.key.id)
      assert.deepEqual([third.key.expires, other.key.expires], [expires, null])
    })

    it('can share only an existing account', async t => {
      const { keys } = await open(t)
      const first = await keys.create(order)
      const second = await keys.create({ ...order, account: first.key.account })
      assert.equal(second.key.account, first.key.account)
      await assert.rejects(keys.create({ ...order, account: 'acc_nobody' }), { code: 'account_not_found' })
      await assert.rejects(keys.revoke('key_nobody'), { code: 'key_not_found' })
    })

    it('have the plan of their account, whatever plan was requested', async t => {
      const { keys } = await open(t)
      const first = await keys.create(order)
      const { account } = first.key
      const second = await keys.create({ account, label: 'second' })
      assert.equal(second.key.plan, 'startup')
      await assert.rejects(keys.create({ account, plan: 'business', label: 'third' }), {
        code: 'plan_differs',
        message: `account ${account} has plan startup; all keys of an account share its plan`,
      })
      assert.deepEqual(await keys.changePlan(account, 'business'), { account, plan: 'business', before: 'startup' })
      assert.deepEqual(await keys.changePlan(account, 'business'), { account, plan: 'business', before: 'business' })
      await assert.rejects(keys.changePlan('acc_nobody', 'business'), { code: 'account_not_found' })
      const third = await keys.rotate(first.key.id)
      for (const { text } of [first, second, third]) assert.equal((await keys.find(hashOf(text)))?.plan, 'business')
      const listed = (await keys.list()).filter(key => key.account === account)
      assert.deepEqual(
        listed.map(({ plan }) => plan),
        ['business', 'business', 'business'],
      )
    })

    it('report the usage of their accounts', async t => {
      const { keys, quota } = await open(t, () => november)
      const [idle, busy] = [await keys.create(order), await keys.create(order)]
      const { account } = busy.key
      for (const allowance of [monthly(9), { quota: 9, period: 'day' } as const])
        await granted(await quota.reserve(account, allowance)).commit()
      for (const [period, reset] of [
        ['month', '2026-12-01'],
        ['day', '2026-11-16'],
        ['rolling_30d', '2026-12-16'],
      ] as const) {
        const allowance = { quota: 9, period }
        const usages = await keys.usages(new Map([idle.key.account, account].map(one => [one, allowance])))
        const seconds = Date.parse(reset) / 1000
        assert.deepEqual(usages.get(account), { limit: 9, used: 2, remaining: 7, reset: seconds })
        assert.deepEqual(usages.get(idle.key.account), { limit: 9, used: 0, remaining: 9, reset: seconds })
      }
    })

    it('report the answers of their accounts by day, with the days of a span alone', async t => {
      let now = november
      const settings = { ...store(), data: freshDirectory(t), command_ms: PATIENT_MS, now: () => now }
      const [account, idle] = [fresh(), fresh()]
      const byDay = async ({ keys }: Pick<Backend, 'keys'>, from = '2026-11-01', to = '2027-12-31') => {
        const days = await keys.usageByDay([account, idle], { from: Date.parse(from), to: Date.parse(to) })
        assert.deepEqual(days.get(idle), [])
        return days.get(account)?.map(({ day, answers }) => [day, answers])
      }
      const first = await openWith(settings)
      assert.deepEqual(await byDay(first), [])
      for (const [day, answers] of [
        ['2026-11-15', 3],
        ['2026-11-16', 1],
        ['2026-11-18', 2],
        ['2026-12-01', 4],
      ] as const) {
        now = Date.parse(day) + 86_399_999
        for (let n = 0; n < answers; n++) await granted(await first.quota.reserve(account, monthly(99))).commit()
      }
      const all = [
        ['2026-11-15', 3],
        ['2026-11-16', 1],
        ['2026-11-18', 2],
        ['2026-12-01', 4],
      ]
      assert.deepEqual(await byDay(first), all)
      await first.close()
      const second = await openFor(t, settings)
      assert.deepEqual(await byDay(second), all)
      assert.deepEqual(await byDay(second, '2026-11-16', '2026-11-18'), all.slice(1, 3))
      assert.deepEqual(await byDay(second, '2026-11-17', '2026-11-17'), [])
      assert.deepEqual((await second.quota.usage(account, monthly(99))).used, 4)
      now = Date.parse('2027-12-20T12:00:00Z')
      assert.deepEqual(await byDay(second), all.slice(1), 'days older than 400 days are not told')
      await granted(await second.quota.reserve(account, { quota: 9, period: 'rolling_24h' })).commit()
      assert.deepEqual(await byDay(second), [...all.slice(1), ['2027-12-20', 1]])
    })

    it('keep the days of accounts while the clock is set back and ahead', async t => {
      let now = november
      const { keys, quota } = await open(t, () => now)
      const account = fresh()
      for (const day of [
        '2026-11-15',
        '2026-11-16',
        '2038-01-19',
        '2026-11-16',
        '2026-11-17',
        '2026-11-18',
        '2026-11-19',
      ]) {
        now = Date.parse(day)
        await granted(await quota.reserve(account, monthly(99))).commit()
      }
      const days = await keys.usageByDay([account], { from: november, to: Date.parse('2039-01-01') })
      assert.deepEqual(
        days.get(account)?.map(({ day, answers }) => [day, answers]),
        [
          ['2026-11-15', 1],
          ['2026-11-16', 2],
          ['2026-11-17', 1],
          ['2026-11-18', 1],
          ['2026-11-19', 1],
          ['2038-01-19', 1],
        ],
      )
    })

    it('report plans in use that a configuration lacks', async t => {
      let now = november
      const { keys } = await open(t, () => now)
      const [gone, over, ended] = ['gone', 'over', 'ended'].map(name => `${name}_${fresh()}`)
      const known = [...new Set((await keys.list()).map(({ plan }) => plan)), 'startup']
      const first = await keys.create({ plan: gone ?? '', label: 'first' })
      await keys.create({ account: first.key.account, label: 'second' })
      await keys.create({ plan: gone ?? '', label: 'third' })
      await keys.create({ plan: over ?? '', label: 'expires', expires: new Date(november + 1_000) })
      await keys.revoke((await keys.create({ plan: ended ?? '', label: 'revoked' })).key.id)
      now += 1_000
      assert.deepEqual(await keys.unknownPlans(known), [{ plan: gone, accounts: 2, keys: 3 }])
      assert.deepEqual(await keys.unknownPlans([...known, gone ?? '', over ?? '']), [])
    })

    it('store when they were last used', async t => {
      const data = freshDirectory(t)
      const settings = { ...store(), data, command_ms: PATIENT_MS, now: () => november }
      const first = await openWith(settings)
      const { key } = await first.keys.create(order)
      first.keys.touch(key.id)
      await first.close()
      const { keys } = await openFor(t, settings)
      assert.deepEqual((await keys.list()).find(({ id }) => id === key.id)?.last_used, new Date(november))
    })
  })

  describe(`quotas in the ${name} store`, { skip: name === 'redis' && withoutRedis }, () => {
    it('grant exactly the remaining answers to concurrent requests, each with its own remainder', async t => {
      const { quota } = await open(t)
      const account = fresh()
      const answers = await Promise.all(Array.from({ length: 300 }, async () => quota.reserve(account, monthly(37))))
      const usages = await Promise.all(answers.map(answer => (answer.allowed ? answer.commit() : null)))
      const remaining = usages.flatMap(usage => usage?.remaining ?? []).sort((a, b) => a - b)
      assert.deepEqual(
        remaining,
        Array.from({ length: 37 }, (_, n) => n),
      )
      assert.equal((await quota.usage(account, monthly(37))).used, 37)
    })

    it('count answers that are there already, as many as are left beside those that are reserved', async t => {
      const { quota } = await open(t)
      const account = fresh()
      const grant = granted(await quota.reserve(account, monthly(9)))
      // A store of one process has nothing to save here.
      const { charge = async () => granted(await quota.reserve(account, monthly(9))).commit() } = quota
      const wanted = quota.charge === undefined ? 8 : 20
      const answers = await Promise.all(Array.from({ length: wanted }, () => charge(account, monthly(9))))
      assert.deepEqual(
        answers.flatMap(answer => ('allowed' in answer ? [] : [answer.used])),
        [1, 2, 3, 4, 5, 6, 7, 8],
      )
      assert.equal((await grant.commit()).used, 9)
      assert.deepEqual((await quota.reserve(account, monthly(9))).allowed, false)
    })

    it('release a reservation when a request fails, and count nothing for it', async t => {
      const { quota } = await open(t)
      const account = fresh()
      const grant = granted(await quota.reserve(account, monthly(1)))
      assert.equal((await quota.reserve(account, monthly(1))).allowed, false)
      await grant.release()
      await grant.release()
      const next = granted(await quota.reserve(account, monthly(1)))
      assert.equal((await quota.reserve(account, monthly(1))).allowed, false)
      await next.release()
      assert.equal((await quota.usage(account, monthly(1))).used, 0)
    })

    it('count an answer once and ignore the second commit', async t => {
      const { quota } = await open(t)
      const account = fresh()
      const grant = granted(await quota.reserve(account, monthly(5)))
      assert.deepEqual((await grant.commit()).used, 1)
      await assert.rejects(grant.commit(), { name: 'StoreError', code: 'quota_store_error' })
      await grant.release()
      assert.equal((await quota.usage(account, monthly(5))).used, 1)
    })

    it('start again each month, and never go back with the clock', async t => {
      let now = december - 1
      const { quota } = await open(t, () => now)
      const account = fresh()
      const commit = async () => granted(await quota.reserve(account, monthly(2))).commit()
      await commit()
      assert.deepEqual(await commit(), { limit: 2, used: 2, remaining: 0, reset: december / 1000 })
      const refused = await quota.reserve(account, monthly(2))
      assert.deepEqual(refused, { allowed: false, usage: { limit: 2, used: 2, remaining: 0, reset: december / 1000 } })
      now = december
      assert.deepEqual(await commit(), { limit: 2, used: 1, remaining: 1, reset: january / 1000 })
      now = december - 60_000
      assert.deepEqual(await commit(), { limit: 2, used: 2, remaining: 0, reset: january / 1000 })
      assert.equal((await quota.reserve(account, monthly(2))).allowed, false)
      now = november
      assert.deepEqual(await quota.reserve(account, monthly(2)), refused)
      now = december + 60_000
      assert.equal((await quota.reserve(account, monthly(2))).allowed, false)
    })

    it('keep each month’s count when the clock was years ahead', async t => {
      let now = november
      const { quota } = await open(t, () => now)
      const account = fresh()
      const commit = async () => granted(await quota.reserve(account, monthly(3))).commit()
      await commit()
      await commit()
      now = Date.parse('2038-01-19')
      assert.equal((await commit()).used, 1)
      now = november + 86_400_000
      assert.deepEqual(await commit(), { limit: 3, used: 3, remaining: 0, reset: december / 1000 })
      assert.equal((await quota.reserve(account, monthly(3))).allowed, false)
      now = december
      assert.deepEqual(await commit(), { limit: 3, used: 1, remaining: 2, reset: january / 1000 })
    })

    for (const period of ['month', 'day', 'rolling_30d', 'rolling_24h'] as const) {
      it(`do not bind an account to a later period when a clock is a day ahead for a while: ${period}`, async t => {
        const day = 86_400_000
        const eve = december - day / 2
        let now = eve
        let ahead = 0
        const right = await open(t, () => now + ahead)
        // Of another instance where there can be one, which is wrong all the time.
        const wrong = name === 'redis' ? await open(t, () => now + day) : null
        const account = fresh()
        const allowance = { quota: 3, period }
        const give = async ({ quota }: Backend) => {
          const grant = await quota.reserve(account, allowance)
          return grant.allowed ? (await grant.commit()).used : null
        }
        const giveAhead = async () => {
          if (wrong !== null) return give(wrong)
          ahead = day
          const used = await give(right)
          ahead = 0
          return used
        }
        const isRolling = period.startsWith('rolling')
        assert.equal(await give(right), 1)
        assert.equal(await giveAhead(), isRolling ? 2 : 1)
        assert.equal(await give(right), isRolling ? 3 : 2)
        const { reset } = await right.quota.usage(account, allowance)
        const ends = {
          month: december,
          day: december,
          rolling_30d: december + 30 * day,
          rolling_24h: eve + 25 * 3_600_000,
        }
        assert.equal(reset, ends[period] / 1_000)
        now = ends[period]
        assert.equal((await right.quota.usage(account, allowance)).used, 1)
        // No window gets the answer of that while back too early, because nothing says when it was given.
        now += day
        assert.equal((await right.quota.usage(account, allowance)).used, period === 'month' ? 1 : 0)
      })
    }

    it('count an answer that was reserved before midnight in the new month', async t => {
      let now = december - 1
      const { quota } = await open(t, () => now)
      const account = fresh()
      const grant = granted(await quota.reserve(account, monthly(1)))
      now = december
      assert.equal((await quota.reserve(account, monthly(1))).allowed, false)
      assert.deepEqual(await grant.commit(), { limit: 1, used: 1, remaining: 0, reset: january / 1000 })
    })

    it('belong to the account: each answer counts in its day and its month under any plan', async t => {
      let now = november
      const { quota } = await open(t, () => now)
      const account = fresh()
      const daily = { quota: 2, period: 'day' } as const
      const commit = async (allowance: Allowance) => granted(await quota.reserve(account, allowance)).commit()
      await commit(daily)
      await commit(daily)
      assert.equal((await quota.reserve(account, daily)).allowed, false)
      now += 86_400_000
      const usage = await commit(daily)
      assert.deepEqual(usage, { limit: 2, used: 1, remaining: 1, reset: Date.parse('2026-11-17') / 1000 })
      assert.deepEqual(await commit(monthly(50)), { limit: 50, used: 4, remaining: 46, reset: december / 1000 })
      assert.equal((await quota.reserve(account, monthly(4))).allowed, false)
      assert.equal((await quota.reserve(account, daily)).allowed, false)
    })

    it('of a rolling window become available again when the oldest answers leave it, also after a restart', async t => {
      let now = november
      const settings = { ...store(), data: freshDirectory(t), command_ms: PATIENT_MS, now: () => now }
      const [account, hour] = [fresh(), 3_600_000]
      const last24h = { quota: 3, period: 'rolling_24h' } as const
      const first = await openWith(settings)
      const commit = async ({ quota }: Pick<Backend, 'quota'>) =>
        granted(await quota.reserve(account, last24h)).commit()
      await commit(first)
      now += 20 * hour
      await commit(first)
      assert.deepEqual(await commit(first), { limit: 3, used: 3, remaining: 0, reset: (november + 25 * hour) / 1000 })
      await first.close()
      const second = await openFor(t, settings)
      now = november + 25 * hour - 1
      assert.equal((await second.quota.reserve(account, last24h)).allowed, false)
      now = november + 25 * hour
      assert.deepEqual(await commit(second), { limit: 3, used: 3, remaining: 0, reset: (november + 45 * hour) / 1000 })
      assert.equal((await second.quota.usage(account, { quota: 9, period: 'day' })).used, 1)
      assert.equal((await second.quota.usage(account, monthly(9))).used, 4)
      now = november + 45 * hour
      assert.equal((await second.quota.usage(account, last24h)).used, 1)
    })

    it('of a rolling window begin with what the account used today or this month', async t => {
      let now = november
      const { quota } = await open(t, () => now)
      const account = fresh()
      const commit = async (allowance: Allowance) => granted(await quota.reserve(account, allowance)).commit()
      await commit(monthly(9))
      now += 86_400_000
      await commit(monthly(9))
      assert.equal((await commit({ quota: 9, period: 'rolling_24h' })).used, 2)
      assert.equal((await commit({ quota: 9, period: 'rolling_30d' })).used, 4)
      await commit({ quota: 9, period: 'day' })
      assert.equal((await quota.usage(account, { quota: 9, period: 'rolling_24h' })).used, 4)
      assert.equal((await quota.usage(account, { quota: 5, period: 'rolling_30d' })).remaining, 0)
    })

    it('count reservations of the previous plan against the new plan', async t => {
      const { quota } = await open(t, () => november)
      const account = fresh()
      const daily = { quota: 5, period: 'day' } as const
      const grants = [granted(await quota.reserve(account, daily)), granted(await quota.reserve(account, daily))]
      const [first] = await Promise.all([quota.reserve(account, monthly(3)), quota.usage(account, daily)])
      assert.equal((await quota.reserve(account, monthly(3))).allowed, false)
      for (const grant of grants) await grant.commit()
      assert.equal((await granted(first).commit()).used, 3)
      assert.equal((await quota.usage(account, daily)).used, 3)
    })

    it('apply the current plan: a smaller one leaves zero, never less', async t => {
      const { quota } = await open(t)
      const account = fresh()
      for (let n = 0; n < 3; n++) await granted(await quota.reserve(account, monthly(5))).commit()
      assert.equal((await quota.usage(account, monthly(2))).remaining, 0)
      assert.equal((await quota.reserve(account, monthly(2))).allowed, false)
      assert.equal((await quota.reserve(account, monthly(4))).allowed, true)
    })
  })

  describe(`results in the ${name} store`, { skip: name === 'redis' && withoutRedis }, () => {
    const bytes = Buffer.from('{"a":1,"process_time_ms":')

    it('are found under their own name, for any name', async t => {
      const { cache } = await open(t)
      const tricky = ['a:b', 'a', 'b', '__proto__', 'constructor', '["a","b"]', 'a\u0000b']
      for (const name of tricky) await cache.put(name, Buffer.concat([bytes, Buffer.from(name)]), 'complete')
      for (const name of tricky) {
        const found = await cache.get(name)
        assert.deepEqual(found?.bytes.toString(), `${bytes}${name}`)
        assert.equal(found?.class, 'complete')
      }
      assert.equal(await cache.get('never put'), null)
    })

    const replaced: readonly (readonly [old: ResultClass, next: ResultClass, kept: ResultClass])[] = [
      ['complete', 'incomplete', 'complete'],
      ['complete', 'withheld', 'complete'],
      ['complete', 'not_found', 'not_found'],
      ['not_found', 'incomplete', 'not_found'],
      ['not_found', 'withheld', 'not_found'],
      ['not_found', 'complete', 'complete'],
      ['withheld', 'incomplete', 'withheld'],
      ['withheld', 'complete', 'complete'],
      ['withheld', 'not_found', 'not_found'],
      ['incomplete', 'withheld', 'withheld'],
      ['incomplete', 'complete', 'complete'],
      ['incomplete', 'not_found', 'not_found'],
    ]
    for (const [old, next, kept] of replaced) {
      it(`that are ${next} ${kept === next ? 'replace' : 'do not replace'} a live one that is ${old}`, async t => {
        const { cache } = await open(t)
        const name = fresh()
        await cache.put(name, Buffer.from(old), old)
        await cache.put(name, Buffer.from(next), next)
        const found = await cache.get(name)
        assert.deepEqual([found?.class, found?.bytes.toString()], [kept, kept])
      })
    }

    it('that have expired are not found, and the last complete one is returned on request', async t => {
      const { cache } = await open(t)
      const put = async (name: string, ...kinds: readonly ResultClass[]) => {
        for (const kind of kinds) {
          await cache.put(name, Buffer.from(kind), kind, 20)
          await pause(40)
          // Another process may begin the life of the entry later, when the machine is busy.
          const end = performance.now() + PATIENT_MS
          while ((await cache.get(name)) !== null && performance.now() < end) await pause(10)
        }
        return name
      }
      for (const [kinds, stale] of [
        [['complete'], 'complete'],
        [['complete', 'incomplete'], 'complete'],
        [['complete', 'incomplete', 'incomplete'], 'complete'],
        [['complete', 'withheld', 'incomplete'], 'complete'],
        [['complete', 'withheld', 'withheld'], 'complete'],
        [['complete', 'not_found'], null],
        [['complete', 'not_found', 'incomplete'], null],
        [['incomplete'], null],
        [['withheld'], null],
      ] as const) {
        const name = await put(fresh(), ...kinds)
        assert.equal(await cache.get(name), null, `${kinds}`)
        const found = await cache.getStale(name)
        assert.deepEqual([found?.bytes.toString() ?? null, found?.class ?? null], [stale, stale], `${kinds}`)
      }
    })

    it('share one run between concurrent callers', async t => {
      const { flights } = await open(t)
      const name = fresh()
      let runs = 0
      const start = async () => {
        runs += 1
        await new Promise(resolve => setTimeout(resolve, 50))
        return bytes
      }
      const all = await Promise.all(Array.from({ length: 100 }, () => flights.run(name, start)))
      assert.equal(runs, 1)
      for (const one of all) assert.deepEqual(one, bytes)
    })

    it('fail for all waiting callers, and are retried by the next', async t => {
      const { flights } = await open(t)
      const name = fresh()
      const fail = () => Promise.reject(new StoreError('key_store_error', 'broken'))
      const settled = await Promise.allSettled([flights.run(name, fail), flights.run(name, fail)])
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
      assert.deepEqual(await flights.run(name, async () => bytes), bytes)
    })
  })
}
