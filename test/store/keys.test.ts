import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseKey } from '../../src/store/api_key.ts'
import { type EmbeddedOptions, openStore } from '../../src/store/embedded/embedded_store.ts'
import { StoreError, type StoreErrorCode } from '../../src/store/store.ts'
import { freshDirectory } from './fresh_directory.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
const hour = 60 * 60 * 1000
const order = { plan: 'startup', label: 'shop' }

async function setUp(t: TestContext, options: Partial<EmbeddedOptions> = {}) {
  const clock = { now: start }
  const directory = freshDirectory(t)
  const store = await openStore({ directory, now: () => clock.now, ...options })
  t.after(() => store.close())
  const find = (text: string) => store.keys.find(parseKey(text) ?? assert.fail('the key is malformed'))
  return { clock, directory, keys: store.keys, store, find }
}

const withCode = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code

test('a new key is found by the hash of its text, with all its properties', async t => {
  const { keys, find } = await setUp(t)
  const expires = new Date(start + hour)
  const { key, text } = await keys.create({ ...order, expires })
  assert.deepEqual(await find(text), key)
  assert.deepEqual(key, {
    id: key.id,
    account: key.account,
    display: text.slice(0, 'assay_'.length + 4),
    plan: 'startup',
    label: 'shop',
    created: new Date(start),
    last_used: null,
    expires,
    revoked: null,
  })
  assert.match(key.id, /^key_[0-9A-Za-z]{16}$/)
  assert.match(key.account, /^acc_[0-9A-Za-z]{16}$/)
})

test('the prefix of new keys is configurable', async t => {
  const { keys } = await setUp(t, { prefix: 'acme' })
  assert.match((await keys.create(order)).text, /^acme_/)
})

test('an unknown key is not found', async t => {
  const { find } = await setUp(t)
  const other = await setUp(t)
  assert.equal(await find((await other.keys.create(order)).text), null)
})

test('each key has its own account unless it joins one', async t => {
  const { keys } = await setUp(t)
  const [first, second] = [await keys.create(order), await keys.create(order)]
  assert.notEqual(first.key.account, second.key.account)
  const joined = await keys.create({ ...order, account: first.key.account })
  assert.equal(joined.key.account, first.key.account)
  assert.notEqual(joined.text, first.text)
})

test('an account without keys cannot be joined', async t => {
  const { keys } = await setUp(t)
  await assert.rejects(keys.create({ ...order, account: 'acc_mistyped' }), withCode('account_not_found'))
  assert.deepEqual(await keys.list(), [])
})

test('the list has every key, oldest first, including revoked ones, without hash or text', async t => {
  const { keys, clock } = await setUp(t)
  assert.deepEqual(await keys.list(), [])
  const made = []
  for (const label of ['a', 'b', 'c']) {
    clock.now += hour
    made.push(await keys.create({ ...order, label }))
  }
  await keys.revoke(made[1]?.key.id ?? '')
  const listed = await keys.list()
  assert.deepEqual(
    listed.map(({ label, revoked }) => [label, revoked]),
    [
      ['a', null],
      ['b', new Date(clock.now)],
      ['c', null],
    ],
  )
  const shown = JSON.stringify(listed)
  for (const { text } of made) assert.ok(!shown.includes(text) && !shown.includes(parseKey(text) ?? text))
})

test('a key ends when it expires, even while it is cached', async t => {
  const { keys, find, clock } = await setUp(t)
  const { text } = await keys.create({ ...order, expires: new Date(start + hour) })
  clock.now = start + hour - 1
  assert.notEqual(await find(text), null)
  clock.now = start + hour
  assert.equal(await find(text), null)
})

test('a revoked key is no longer found, and keeps the time of its first revocation', async t => {
  const { keys, find, clock } = await setUp(t)
  const { key, text } = await keys.create(order)
  assert.notEqual(await find(text), null)
  assert.deepEqual((await keys.revoke(key.id)).revoked, new Date(start))
  assert.equal(await find(text), null)
  clock.now += hour
  assert.deepEqual((await keys.revoke(key.id)).revoked, new Date(start))
})

test('a rotated key stays valid for a day beside its successor of the same account, plan and label', async t => {
  const { keys, find, clock } = await setUp(t)
  const old = await keys.create(order)
  const { key, text } = await keys.rotate(old.key.id)
  const { account, plan, label, expires } = old.key
  assert.deepEqual(key, { ...key, account, plan, label, expires })
  clock.now = start + 24 * hour - 1
  assert.equal((await find(old.text))?.id, old.key.id)
  clock.now = start + 24 * hour
  assert.equal(await find(old.text), null)
  assert.equal((await find(text))?.id, key.id)
})

test('the grace period of a rotated key is configurable', async t => {
  const { keys, find } = await setUp(t, { grace_ms: 0 })
  const old = await keys.create(order)
  await keys.rotate(old.key.id)
  assert.equal(await find(old.text), null)
})

test('a rotation extends nothing: neither the old key nor its successor outlives the expiry', async t => {
  const { keys } = await setUp(t)
  const expires = new Date(start + hour)
  const old = await keys.create({ ...order, expires })
  const { key } = await keys.rotate(old.key.id)
  assert.deepEqual(key.expires, expires)
  assert.deepEqual(
    (await keys.list()).map(({ expires }) => expires),
    [expires, expires],
  )
})

test('an inactive key cannot be rotated, and an unknown one neither rotated nor revoked', async t => {
  const { keys, clock } = await setUp(t)
  const revoked = await keys.create(order)
  await keys.revoke(revoked.key.id)
  await assert.rejects(keys.rotate(revoked.key.id), withCode('key_not_active'))
  const expired = await keys.create({ ...order, expires: new Date(start + hour) })
  clock.now += hour
  await assert.rejects(keys.rotate(expired.key.id), withCode('key_not_active'))
  await assert.rejects(keys.rotate('key_none'), withCode('key_not_found'))
  await assert.rejects(keys.revoke('key_none'), withCode('key_not_found'))
  assert.equal((await keys.list()).length, 2)
})

test('the last use is written every minute', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { keys, clock } = await setUp(t)
  const { key } = await keys.create(order)
  clock.now = start + hour
  keys.touch(key.id)
  t.mock.timers.tick(59_999)
  // Writes are done in order: once this one is, one that began before it is too.
  await keys.create(order)
  assert.equal((await keys.list())[0]?.last_used, null)
  t.mock.timers.tick(1)
  await keys.create(order)
  assert.deepEqual((await keys.list()).find(({ id }) => id === key.id)?.last_used, new Date(start + hour))
})

test('the last use is written when the store closes, and never moves back', async t => {
  const { keys, store, clock, directory } = await setUp(t)
  const { key } = await keys.create(order)
  clock.now = start + hour
  keys.touch(key.id)
  assert.equal((await keys.list())[0]?.last_used, null)
  await store.close()
  const again = await openStore({ directory, now: () => start })
  assert.deepEqual((await again.keys.list())[0]?.last_used, new Date(start + hour))
  again.keys.touch(key.id)
  await again.close()
  const last = await openStore({ directory })
  t.after(() => last.close())
  assert.deepEqual((await last.keys.list())[0]?.last_used, new Date(start + hour))
})
