// What accounts and their keys promise over both databases, also with two processes.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { caps } from '../../src/base/cache/caps.ts'
import { parseKey } from '../../src/store/api_key.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { createKeys, type Keys } from '../../src/store/sql/keys.ts'
import { openPostgres } from '../../src/store/sql/postgres/open.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { StoreError, type StoreErrorCode } from '../../src/store/store.ts'
import { startPostgres } from '../postgres_server.ts'
import { tier } from '../tiers.ts'
import { places } from './databases.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000
const order = { plan: 'startup', label: 'shop' }

const hashOf = (text: string) => parseKey(text) ?? assert.fail('the key is malformed')
const withCode = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code

for (const { name, create } of places) {
  describe(`the keys in ${name}`, () => {
    const clock = { now: START }
    const now = () => clock.now
    let open: () => Promise<Database>
    let database: Database
    let second: Database
    let keys: Keys
    let other: Keys
    before(async () => {
      open = await create()
      ;[database, second] = await Promise.all([open(), open()])
      keys = keysOf(database)
      other = keysOf(second)
    })
    after(async () => {
      await Promise.all([keys.close(), other.close()])
      await Promise.all([database.close(), second.close()])
    })
    beforeEach(() => {
      clock.now = START
    })
    const keysOf = (database: Database, options: { prefix?: string; grace_ms?: number } = {}) =>
      createKeys(database, { prefix: 'assay', grace_ms: 24 * HOUR_MS, now, ...options })
    const find = async (text: string, by = keys) => by.find(hashOf(text))

    it('are created first only when there is none, also by two processes at once', async () => {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? keys : other).createFirst(order)),
      )
      assert.equal(made.filter(one => one !== null).length, 1)
      assert.equal(await keys.createFirst(order), null)
      assert.equal((await keys.list()).length, 1)
    })

    it('are found by the hash of their text, with all their properties, in every process', async () => {
      const expires = new Date(START + HOUR_MS)
      const { key, text } = await keys.create({ ...order, label: 'Größe "€" 😀', expires })
      assert.deepEqual(key, {
        id: key.id,
        account: key.account,
        display: text.slice(0, 'assay_'.length + 4),
        plan: 'startup',
        label: 'Größe "€" 😀',
        created: new Date(START),
        last_used: null,
        expires,
        revoked: null,
      })
      assert.match(key.id, /^key_[0-9A-Za-z]{16}$/)
      assert.match(key.account, /^acc_[0-9A-Za-z]{16}$/)
      for (const by of [keys, keys, other]) assert.deepEqual(await find(text, by), key)
      assert.equal(await keys.find('0'.repeat(64)), null)
    })

    it('have the prefix that is configured', async () => {
      const named = keysOf(database, { prefix: 'acme' })
      assert.match((await named.create(order)).text, /^acme_/)
      await named.close()
    })

    it('have an account of their own or one that exists, and its plan', async () => {
      const [first, another] = [await keys.create(order), await keys.create(order)]
      const { account } = first.key
      assert.notEqual(account, another.key.account)
      const joined = await other.create({ account, label: 'second' })
      assert.deepEqual([joined.key.account, joined.key.plan], [account, 'startup'])
      await assert.rejects(keys.create({ account: 'acc_mistyped', label: 'third' }), withCode('account_not_found'))
      await assert.rejects(keys.create({ account, plan: 'business', label: 'third' }), {
        code: 'plan_differs',
        message: `account ${account} has plan startup; all keys of an account share its plan`,
      })
      assert.deepEqual(await keys.changePlan(account, 'business'), { account, plan: 'business', before: 'startup' })
      assert.deepEqual(await other.changePlan(account, 'business'), { account, plan: 'business', before: 'business' })
      await assert.rejects(keys.changePlan('acc_nobody', 'business'), withCode('account_not_found'))
      const rotated = await keys.rotate(first.key.id)
      for (const { text } of [first, joined, rotated]) assert.equal((await find(text))?.plan, 'business')
    })

    it('are listed oldest first, including revoked ones, without hash or text', async () => {
      const made = []
      for (const label of ['a', 'b', 'c']) {
        clock.now += HOUR_MS
        made.push(await keys.create({ ...order, label }))
      }
      await keys.revoke(made[1]?.key.id ?? '')
      const ids = made.map(({ key }) => key.id)
      const listed = (await other.list()).filter(({ id }) => ids.includes(id))
      assert.deepEqual(
        listed.map(({ label, revoked }) => [label, revoked]),
        [
          ['a', null],
          ['b', new Date(clock.now)],
          ['c', null],
        ],
      )
      const shown = JSON.stringify(listed)
      for (const { text } of made) assert.ok(!shown.includes(text) && !shown.includes(hashOf(text)))
    })

    it('end when they expire, even while they are cached', async () => {
      const { text } = await keys.create({ ...order, expires: new Date(START + HOUR_MS) })
      clock.now = START + HOUR_MS - 1
      assert.notEqual(await find(text), null)
      clock.now = START + HOUR_MS
      assert.equal(await find(text), null)
    })

    it('end when they are revoked, and keep the time of the first revocation', async () => {
      const { key, text } = await keys.create(order)
      assert.notEqual(await find(text), null)
      assert.deepEqual((await keys.revoke(key.id)).revoked, new Date(START))
      assert.equal(await find(text), null)
      clock.now += HOUR_MS
      assert.deepEqual((await other.revoke(key.id)).revoked, new Date(START))
      await assert.rejects(keys.revoke('key_none'), withCode('key_not_found'))
    })

    it('that another process revoked are remembered for five seconds at most', async () => {
      const { key, text } = await keys.create(order)
      assert.notEqual(await find(text), null)
      await other.revoke(key.id)
      while ((await find(text)) !== null) await pause(20)
      assert.ok(caps.keys.life_ms.usual <= 5_000)
    })

    it('stay valid for a grace period beside their successor of the same account, plan and label', async () => {
      const old = await keys.create(order)
      const { key, text } = await keys.rotate(old.key.id)
      const { account, plan, label, expires } = old.key
      assert.deepEqual(key, { ...key, account, plan, label, expires })
      clock.now = START + 24 * HOUR_MS - 1
      assert.equal((await find(old.text))?.id, old.key.id)
      clock.now = START + 24 * HOUR_MS
      assert.equal(await find(old.text), null)
      assert.equal((await find(text))?.id, key.id)
      const hasty = keysOf(database, { grace_ms: 0 })
      await hasty.rotate(key.id)
      assert.equal(await find(text, hasty), null)
      await hasty.close()
    })

    it('are rotated once, also by two processes at once; then only their successor is', async () => {
      const old = await keys.create(order)
      const rotations = await Promise.allSettled(
        Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? keys : other).rotate(old.key.id)),
      )
      const [young] = rotations.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      const refused = rotations.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
      assert.deepEqual([refused.length, refused.every(withCode('key_not_active'))], [5, true])
      const refusal = { code: 'key_not_active', message: /was already rotated: rotate the newest key of acc_/ }
      clock.now += HOUR_MS
      await assert.rejects(keys.rotate(old.key.id), refusal)
      await keys.revoke(young?.key.id ?? '')
      await assert.rejects(keys.rotate(old.key.id), refusal)
    })

    it('are not extended by a rotation: neither the old one nor its successor outlives the expiry', async () => {
      const expires = new Date(START + HOUR_MS)
      const old = await keys.create({ ...order, expires })
      const second = await keys.rotate(old.key.id)
      const third = await keys.rotate(second.key.id)
      const listed = (await keys.list()).filter(({ account }) => account === old.key.account)
      assert.deepEqual(
        listed.map(({ expires }) => expires),
        [expires, expires, expires],
      )
      assert.deepEqual(third.key.expires, expires)
    })

    it('are not rotated when they are inactive or unknown', async () => {
      const revoked = await keys.create(order)
      await keys.revoke(revoked.key.id)
      await assert.rejects(keys.rotate(revoked.key.id), withCode('key_not_active'))
      const expired = await keys.create({ ...order, expires: new Date(START + HOUR_MS) })
      clock.now += HOUR_MS
      await assert.rejects(keys.rotate(expired.key.id), withCode('key_not_active'))
      await assert.rejects(keys.rotate('key_none'), withCode('key_not_found'))
    })

    it('stand in for each other as the holder of work, as long as the account has a valid one', async () => {
      const first = await keys.create(order)
      const { account } = first.key
      clock.now += 1
      const second = await keys.create({ account, label: 'second' })
      assert.equal((await keys.holder(account, first.key.id))?.id, first.key.id)
      await other.revoke(first.key.id)
      assert.equal((await keys.holder(account, first.key.id))?.id, second.key.id)
      await keys.revoke(second.key.id)
      assert.equal(await keys.holder(account, first.key.id), null)
    })

    it('name the plans in use that a configuration lacks', async () => {
      const first = await keys.create({ plan: 'gone', label: 'first' })
      await keys.create({ account: first.key.account, label: 'second' })
      await keys.create({ plan: 'gone', label: 'third' })
      await keys.create({ plan: 'over', label: 'expires', expires: new Date(START + 1_000) })
      await keys.revoke((await keys.create({ plan: 'ended', label: 'revoked' })).key.id)
      const known = ['startup', 'business']
      clock.now += 1_000
      assert.deepEqual(await keys.unknownPlans(known), [{ plan: 'gone', accounts: 2, keys: 3 }])
      assert.deepEqual(await keys.unknownPlans([...known, 'gone', 'over', 'ended']), [])
    })

    it('report the usage of their accounts, and null for a damaged counter', async () => {
      const quota = createQuota(database, now)
      const [idle, busy, damaged] = [await keys.create(order), await keys.create(order), await keys.create(order)]
      const accounts = [idle, busy, damaged].map(({ key }) => key.account)
      await quota.charge(busy.key.account, { quota: 9, period: 'month' })
      await quota.charge(busy.key.account, { quota: 9, period: 'day' })
      await database.transaction(change =>
        change.insertInto('usage').values({ account: damaged.key.account, counts: '{"month":[1,1]}' }).execute(),
      )
      for (const [period, reset] of [
        ['month', '2026-12-01'],
        ['day', '2026-11-21'],
        ['rolling_30d', '2026-12-21'],
      ] as const) {
        const usages = await other.usages(new Map(accounts.map(account => [account, { quota: 9, period }])))
        const seconds = Date.parse(reset) / 1000
        assert.deepEqual(
          accounts.map(account => usages.get(account)),
          [
            { limit: 9, used: 0, remaining: 9, reset: seconds },
            { limit: 9, used: 2, remaining: 7, reset: seconds },
            null,
          ],
        )
      }
      const days = await other.usageByDay(accounts, { from: START - 30 * 24 * HOUR_MS, to: START })
      assert.deepEqual(
        accounts.map(account => days.get(account)),
        [[], [{ day: '2026-11-20', answers: 2 }], null],
      )
    })

    it('store every minute and at the end when they were last used, and never move it back', async t => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      const noting = keysOf(database)
      const { key } = await noting.create(order)
      const lastUsed = async () => (await other.list()).find(({ id }) => id === key.id)?.last_used
      clock.now = START + HOUR_MS
      noting.touch(key.id)
      t.mock.timers.tick(59_999)
      assert.equal(await lastUsed(), null)
      t.mock.timers.tick(1)
      while ((await lastUsed()) === null) await pause(5)
      assert.deepEqual(await lastUsed(), new Date(START + HOUR_MS))
      clock.now = START
      noting.touch(key.id)
      await noting.close()
      assert.deepEqual(await lastUsed(), new Date(START + HOUR_MS))
      const later = keysOf(second)
      clock.now = START + 2 * HOUR_MS
      later.touch(key.id)
      await later.close()
      assert.deepEqual(await lastUsed(), new Date(START + 2 * HOUR_MS))
    })
  })
}

// It crashes in `npm test` under the counts of answers and under the queues.
if (tier === 'all') {
  describe('the keys while PostgreSQL is away', () => {
    it('are an error of the key store, and are found again when it is back', async t => {
      const server = await startPostgres()
      const database = await openPostgres({ place: { url: await server.createDatabase() }, onLoss: () => {} })
      const keys = createKeys(database, { prefix: 'assay', grace_ms: HOUR_MS, now: () => START })
      t.after(async () => {
        await keys.close()
        await database.close()
        await server.stop()
      })
      const { key, text } = await keys.create(order)
      await server.crash()
      await assert.rejects(async () => keys.find(hashOf(text)), withCode('key_store_error'))
      await assert.rejects(keys.create(order), withCode('key_store_error'))
      keys.touch(key.id)
      await server.restart()
      for (;;) {
        const found = await Promise.resolve(keys.find(hashOf(text))).catch(() => null)
        if (found !== null) return assert.equal(found.id, key.id)
        await pause(50)
      }
    })
  })
}
