// What the store does when Redis is killed, paused, emptied or damaged.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { parseKey } from '../src/store/api_key.ts'
import type { Backend } from '../src/store/backend.ts'
import { openKeys } from '../src/store/open_backend.ts'
import type { Allowance, Usage } from '../src/store/quota_rule.ts'
import { insured_max, insuredOf } from '../src/store/redis/quota.ts'
import type { Grant } from '../src/store/store.ts'
import { type RedisServer, startRedis, withoutRedis } from './redis_server.ts'
import { cacheDefaults, openFor, openWith, PATIENT_MS } from './store/backends.ts'
import { freshDirectory } from './store/fresh_directory.ts'
import { startRelay } from './tcp_relay.ts'

const DAY_MS = 86_400_000
const plan = (quota: number) => ({ quota, period: 'month' }) as const
const order = { plan: 'startup', label: 'label' }
const hashOf = (text: string) => parseKey(text) ?? ''
const isQuotaError = { name: 'StoreError', code: 'quota_store_error' }

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())
let account = ''
let names = 0
beforeEach(() => {
  account = `acc_${++names}`
})

async function give({ quota }: Backend, allowance: Allowance = plan(1_000)): Promise<Usage> {
  const grant = await quota.reserve(account, allowance)
  assert.equal(grant.allowed, true)
  return (grant as Grant).commit()
}

async function until(holds: () => Promise<boolean> | boolean, within_ms = 8_000): Promise<void> {
  const end = performance.now() + within_ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so within ${within_ms} ms: ${holds}`)
    await pause(20)
  }
}

const connection = () => createClient({ url: redis.url })
type Client = ReturnType<typeof connection>

/** Commands to Redis past the store. */
async function direct<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = connection()
  await client.connect()
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}

const counter = () => `assay:v1:quota-month:${account}`

describe('a store whose Redis is paused', { skip: withoutRedis }, () => {
  it('answers from the last known balance within the command timeout, and counts everything afterwards', async t => {
    const store = await openFor(t, { store: redis.url })
    const { text } = await store.keys.create(order)
    await store.keys.find(hashOf(text))
    assert.equal((await give(store)).used, 1)
    await redis.kill('SIGSTOP')
    try {
      assert.equal((await give(store)).used, 2)
      for (let n = 3; n <= 6; n++) assert.equal((await give(store)).used, n)
      await pause(1_100)
      assert.notEqual(await store.keys.find(hashOf(text)), null)
      await until(() => store.note() === 'redis-out')
      assert.equal((await give(store)).used, 7)
    } finally {
      await redis.kill('SIGCONT')
    }
    await until(() => store.note() === null)
    await until(async () => (await store.quota.usage(account, plan(1_000))).used === 7)
    assert.equal((await give(store)).used, 8)
  })

  it('gives no account more than its balance or the outage limit, and nothing to unknown accounts', async t => {
    const store = await openFor(t, { store: redis.url })
    const stranger = account
    account = `${account}_small`
    await give(store, plan(3))
    const small = account
    account = `${stranger}_rolling`
    const rolling = { quota: 3, period: 'rolling_24h' } as const
    await give(store, rolling)
    account = `${stranger}_large`
    await give(store)
    await redis.kill('SIGSTOP')
    try {
      for (const [name, allowance] of [
        [small, plan(3)],
        [`${stranger}_rolling`, rolling],
      ] as const) {
        const answers = await Promise.all(Array.from({ length: 5 }, async () => store.quota.reserve(name, allowance)))
        assert.deepEqual(
          answers.map(({ allowed }) => allowed),
          [true, true, false, false, false],
        )
        for (const answer of answers) if (answer.allowed) await answer.commit()
        assert.deepEqual((await store.quota.reserve(name, allowance)).allowed, false)
      }
      account = `${stranger}_large`
      const many = await Promise.allSettled(Array.from({ length: 130 }, () => give(store)))
      assert.equal(many.filter(({ status }) => status === 'fulfilled').length, insured_max)
      await assert.rejects(async () => store.quota.reserve(stranger, plan(5)), isQuotaError)
      await assert.rejects(async () => store.keys.find('0'.repeat(64)), { code: 'key_store_error' })
    } finally {
      await redis.kill('SIGCONT')
    }
    await until(() => store.note() === null)
    await until(async () => (await store.quota.usage(account, plan(1_000))).used === 1 + insured_max)
    assert.equal((await store.quota.usage(`${stranger}_rolling`, rolling)).used, 3)
  })
})

describe('answers that are counted and given in one step', { skip: withoutRedis }, () => {
  const charge = async ({ quota }: Backend) => {
    const usage = await quota.charge?.(account, plan(1_000))
    assert.ok(usage !== undefined && !('allowed' in usage))
    return usage.used
  }

  it('are not counted when they were refused because the reply of Redis was late', async t => {
    const store = await openFor(t, { store: redis.url })
    await give(store)
    await redis.kill('SIGSTOP')
    const asked = Promise.allSettled(Array.from({ length: insured_max + 30 }, () => charge(store)))
    await pause(400)
    await redis.kill('SIGCONT')
    assert.equal((await asked).filter(({ status }) => status === 'fulfilled').length, insured_max)
    await until(async () => store.note() === null && store.figures().owed === 0)
    assert.equal((await store.quota.usage(account, plan(1_000))).used, 1 + insured_max)
  })

  it('are not counted when they were refused, also when another instance has seen them counted', async t => {
    const relay = await startRelay(t, Number(new URL(redis.url).port))
    // Longer than the other instance needs for a look.
    const refuses = await openFor(t, { store: `redis://127.0.0.1:${relay.port}`, command_ms: 3_000 })
    const sees = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
    const used = async ({ quota }: Backend) => (await quota.usage(account, plan(1_000))).used
    await give(refuses)
    relay.weather = { replies_lost: true }
    const asked = Promise.allSettled(Array.from({ length: insured_max + 30 }, () => charge(refuses)))
    await until(async () => (await used(sees)) === 1 + insured_max + 30)
    relay.weather = {}
    const given = (await asked).filter(({ status }) => status === 'fulfilled').length
    await until(async () => refuses.note() === null && refuses.figures().owed === 0)
    for (const store of [sees, refuses, sees]) assert.equal(await used(store), 1 + given)
    assert.ok(given < insured_max + 30)
  })

  for (const [whom, ends] of [
    ['the other', false],
    ['a new process of the other', true],
  ] as const)
    it(`are not counted when they were refused in an outage of two instances, and ${whom} reports first`, async t => {
      const port = Number(new URL(redis.url).port)
      const [relay, second] = [await startRelay(t, port), await startRelay(t, port)]
      const refuses = await openFor(t, { store: `redis://127.0.0.1:${relay.port}`, command_ms: 3_000 })
      const place = { store: `redis://127.0.0.1:${second.port}`, command_ms: 1_000, data: freshDirectory(t) }
      let other = await openWith(place)
      t.after(() => other.close())
      const sees = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
      const used = async ({ quota }: Backend) => (await quota.usage(account, plan(1_000))).used
      await give(refuses)
      await give(other)
      relay.weather = { replies_lost: true }
      second.weather = { lost: true }
      const asked = Promise.allSettled(Array.from({ length: insured_max + 30 }, () => charge(refuses)))
      await until(async () => (await used(sees)) === 2 + insured_max + 30)
      relay.weather = { lost: true }
      await give(other)
      const given = (await asked).filter(({ status }) => status === 'fulfilled').length
      assert.ok(given < insured_max + 30)
      if (ends) await other.close()
      second.weather = {}
      if (ends) other = await openWith(place)
      await until(() => other.note() === null && other.figures().owed === 0)
      // The new process has settled once in its own name.
      const instances = async () => {
        const fields = await direct(client => client.hKeys(counter()))
        return fields.filter(name => name.startsWith('i:')).length
      }
      await until(async () => (await instances()) === (ends ? 4 : 3))
      relay.weather = {}
      await until(() => refuses.note() === null && refuses.figures().owed === 0)
      for (const store of [sees, other, refuses, sees]) assert.equal(await used(store), 3 + given)
    })

  it('are given within the outage limit while Redis is down, and counted afterwards', async t => {
    const store = await openFor(t, { store: redis.url })
    await give(store)
    await redis.kill('SIGSTOP')
    await until(async () => (await charge(store)) > 0 && store.note() === 'redis-out')
    const given = (await store.quota.usage(account, plan(1_000))).used
    const asked = await Promise.allSettled(Array.from({ length: insured_max }, () => charge(store)))
    await redis.kill('SIGCONT')
    assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, insured_max + 1 - given)
    await until(async () => store.note() === null && store.figures().owed === 0)
    assert.equal((await store.quota.usage(account, plan(1_000))).used, 1 + insured_max)
  })
})

describe('answers given while Redis is down', { skip: withoutRedis }, () => {
  const counters = () => ['month', 'day'].map(kind => `assay:v1:quota-${kind}:${account}`)
  const saved = () =>
    direct(client => Promise.all(counters().map(async key => [key, await client.hGetAll(key)] as const)))
  /** Redis loses what it counted since, as a crash without its latest writes does. */
  const loseSince = (before: Awaited<ReturnType<typeof saved>>) =>
    direct(client => {
      const all = client.multi()
      for (const [key, fields] of before) all.del(key).hSet(key, fields)
      return all.exec()
    })

  it('are counted again when Redis loses them after they were reported', async t => {
    const store = await openFor(t, { store: redis.url })
    await give(store)
    const before = await saved()
    await redis.kill('SIGSTOP')
    await give(store)
    await give(store)
    await redis.kill('SIGCONT')
    await until(() => store.note() === null && store.figures().owed === 0)
    await loseSince(before)
    assert.equal((await give(store)).used, 4)
  })

  it('are counted again with all that the report brought when Redis loses the report alone', async t => {
    const relay = await startRelay(t, Number(new URL(redis.url).port))
    const store = await openFor(t, { store: `redis://127.0.0.1:${relay.port}` })
    const other = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
    await give(store)
    relay.weather = { replies_lost: true }
    await give(store)
    await until(async () => (await other.quota.usage(account, plan(1_000))).used === 2)
    const before = await saved()
    await give(other)
    relay.weather = {}
    await until(() => store.note() === null && store.figures().owed === 0)
    await loseSince(before)
    assert.equal((await give(store)).used, 4)
  })

  it('are counted by the next process if theirs ends before Redis is back', async t => {
    const data = freshDirectory(t)
    const first = await openWith({ store: redis.url, data })
    await give(first)
    await redis.kill('SIGSTOP')
    let journal = ''
    try {
      for (let n = 0; n < 5; n++) await give(first)
      journal = readFileSync(join(data, 'instance-0', 'journal'), 'utf8')
      await first.close()
    } finally {
      await redis.kill('SIGCONT')
    }
    assert.equal(journal.trim().split('\n').length, 5)
    const second = await openFor(t, { store: redis.url, data })
    await until(async () => (await second.quota.usage(account, plan(1_000))).used === 6)
    await until(() => readFileSync(join(data, 'instance-0', 'journal'), 'utf8') === '')
    await pause(50)
    assert.equal((await second.quota.usage(account, plan(1_000))).used, 6)
  })

  it('are counted on the day they were given, however late, also by the next process', async t => {
    let now = Date.parse('2026-11-20T12:00:00Z')
    const data = freshDirectory(t)
    const first = await openWith({ store: redis.url, data, now: () => now })
    const other = await openFor(t, { store: redis.url, command_ms: PATIENT_MS, now: () => now })
    const byDay = async () => {
      const days = await other.keys.usageByDay([account], { from: now - 30 * DAY_MS, to: now })
      return days.get(account)?.map(({ day, answers }) => [day, answers])
    }
    await give(first)
    await redis.kill('SIGSTOP')
    try {
      for (let n = 0; n < 3; n++) await give(first)
      now += DAY_MS
      for (let n = 0; n < 2; n++) await give(first)
      await first.close()
    } finally {
      await redis.kill('SIGCONT')
    }
    await until(() => other.note() === null)
    // Two midnights later the first of these days has left the counter.
    for (const day of ['2026-11-22T01:00:00Z', '2026-11-23T01:00:00Z']) {
      now = Date.parse(day)
      await give(other)
    }
    const second = await openFor(t, { store: redis.url, data, now: () => now })
    await until(() => second.figures().owed === 0)
    const all = [
      ['2026-11-20', 4],
      ['2026-11-21', 2],
      ['2026-11-22', 1],
      ['2026-11-23', 1],
    ]
    assert.deepEqual(await byDay(), all)
    assert.equal((await second.quota.usage(account, plan(1_000))).used, 8)
    await pause(50)
    assert.deepEqual(await byDay(), all)
  })

  it('are refused as damage if their journal was modified, except for a torn last line', async t => {
    const data = freshDirectory(t)
    const store = await openWith({ store: redis.url, data })
    await give(store)
    await redis.kill('SIGSTOP')
    try {
      await give(store)
      await give(store)
      await store.close()
    } finally {
      await redis.kill('SIGCONT')
    }
    const path = join(data, 'instance-0', 'journal')
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, whole.replace('"count":1', '"count":0'))
    await assert.rejects(openWith({ store: redis.url, data }), { code: 'store_damaged' })
    writeFileSync(path, whole.slice(0, -5))
    const healed = await openFor(t, { store: redis.url, data })
    await until(async () => (await healed.quota.usage(account, plan(1_000))).used === 2)
  })
})

describe('a Redis that is emptied', { skip: withoutRedis }, () => {
  it('gets its keys and counters back from the instances', async t => {
    const events: Record<string, unknown>[] = []
    const store = await openFor(t, { store: redis.url, events })
    const known = await store.keys.create({ ...order, label: 'known' })
    const ended = await store.keys.create({ ...order, label: 'ended' })
    await store.keys.find(hashOf(known.text))
    await store.keys.find(hashOf(ended.text))
    await store.keys.revoke(ended.key.id)
    for (let n = 0; n < 3; n++) await give(store)
    await direct(client => client.flushAll())
    assert.equal((await give(store)).used, 4)
    await pause(1_100)
    assert.equal((await store.keys.find(hashOf(known.text)))?.id, known.key.id)
    assert.equal(await store.keys.find(hashOf(ended.text)), null)
    assert.equal(events.filter(({ store }) => store === 'redis-emptied').length, 1)
  })

  it('counts nothing before all instances have restored what they know', async t => {
    const [one, other] = [await openFor(t, { store: redis.url }), await openFor(t, { store: redis.url })]
    const hundred = plan(100)
    await give(one, hundred)
    await Promise.all(Array.from({ length: 90 }, () => give(other, hundred)))
    await direct(client => client.flushAll())
    const many = (store: Backend) => Promise.allSettled(Array.from({ length: 60 }, () => give(store, hundred)))
    const answers = (await Promise.all([many(one), many(other)])).flat()
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 9)
    assert.equal((await one.quota.usage(account, hundred)).used, 100)
  })

  it('counts for all other accounts when one of its counters is damaged', async t => {
    const store = await openFor(t, { store: redis.url })
    await give(store)
    const damaged = counter()
    account = `${account}_sound`
    await give(store)
    await direct(client => client.multi().flushAll().hSet(damaged, { start: 'x', used: 'x' }).exec())
    assert.equal((await give(store)).used, 2)
    assert.equal(store.figures().owed, 0)
  })

  it('gets the counters back although a key cannot be restored, which is logged', async t => {
    const events: Record<string, unknown>[] = []
    const store = await openFor(t, { store: redis.url, events })
    const { text, key } = await store.keys.create(order)
    await store.keys.find(hashOf(text))
    await give(store)
    await direct(client => client.multi().flushAll().set('assay:v1:keys', 'no index').exec())
    t.after(() => direct(client => client.del('assay:v1:keys')))
    assert.equal((await give(store)).used, 2)
    assert.equal(store.figures().owed, 0)
    assert.deepEqual(
      events.filter(({ store }) => store !== 'redis-reached').map(({ store, key }) => [store, key]),
      [
        ['redis-emptied', undefined],
        ['key-not-restored', key.id],
      ],
    )
  })

  it('counts reservations that other instances made before', async t => {
    const [one, other] = [await openFor(t, { store: redis.url }), await openFor(t, { store: redis.url })]
    const held = await Promise.all(Array.from({ length: 4 }, () => one.quota.reserve(account, plan(5))))
    await direct(client => client.flushAll())
    await give(other, plan(5))
    assert.equal((await other.quota.reserve(account, plan(5))).allowed, false)
    for (const grant of held) if (grant.allowed) await grant.commit()
    assert.equal((await one.quota.usage(account, plan(5))).used, 5)
  })
})

describe('instances that lose Redis together', { skip: withoutRedis }, () => {
  it('give what was left, and no more than the configured share of the quota beyond it', async t => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openFor(t, { store: redis.url })))
    // Each second they learn how many they are.
    await until(async () => {
      let live = 0
      await direct(async client => {
        live = await client.zCard('assay:v1:instances')
      })
      return live === stores.length
    })
    await pause(1_300)
    const allowance = plan(100)
    for (let n = 0; n < 20; n++) await give(stores[n % 4] as Backend, allowance)
    for (const store of stores) assert.equal((await store.quota.usage(account, allowance)).used, 20)
    await redis.kill('SIGSTOP')
    let given = 0
    try {
      const asked = stores.map(store => Promise.allSettled(Array.from({ length: 90 }, () => give(store, allowance))))
      given = (await Promise.all(asked)).flat().filter(({ status }) => status === 'fulfilled').length
    } finally {
      await redis.kill('SIGCONT')
    }
    assert.equal(given, 80)
    await until(() => stores.every(store => store.note() === null && store.figures().owed === 0))
    assert.equal((await (stores[0] as Backend).quota.usage(account, allowance)).used, 100)
  })

  const rows: readonly (readonly [left: number, instances: number, overshoot: number, insured: number])[] = [
    [80, 1, 0.01, 80],
    [80, 4, 0.01, 22],
    [80, 4, 0, 20],
    [3, 4, 0, 0],
    [3, 4, 0.01, 2],
    [0, 4, 1, 0],
    [1_000, 4, 0.01, insured_max],
  ]
  for (const [left, instances, overshoot, insured] of rows) {
    it(`may give ${insured} each: ${left} of 1000 left, ${instances} instances, ${overshoot} beyond`, () => {
      assert.equal(insuredOf(plan(1_000), left, instances, overshoot), insured)
    })
  }
})

describe('an account that many processes have used', { skip: withoutRedis }, () => {
  it('remembers a few of those that have ended', async t => {
    const store = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
    await give(store)
    await direct(async client => {
      const ended = Array.from({ length: 500 }, (_, n) => [`i:ended-${n}`, `1 1 0 ${Date.now() - 60_000 + n}`] as const)
      await client.hSet(counter(), Object.fromEntries(ended))
    })
    assert.equal((await give(store)).used, 2)
    await direct(async client => {
      const names = (await client.hKeys(counter())).filter(name => name.startsWith('i:ended'))
      assert.deepEqual(
        names.sort(),
        Array.from({ length: 16 }, (_, n) => `i:ended-${484 + n}`),
      )
    })
  })
})

describe('a Redis that is killed and comes back empty', { skip: withoutRedis }, () => {
  it('is reconnected automatically, and nothing is granted twice', async t => {
    const own = await startRedis()
    t.after(() => own.stop())
    const store = await openFor(t, { store: own.url })
    for (let n = 0; n < 3; n++) await give(store)
    await own.kill('SIGKILL')
    await until(() => store.note() === 'redis-out')
    assert.equal((await give(store)).used, 4)
    const again = await startRedis(own.port)
    t.after(() => again.stop())
    await until(() => store.note() === null)
    await until(async () => (await store.quota.usage(account, plan(1_000))).used === 4)
  })

  it('may be down at start: the store reports it and retries', async t => {
    const own = await startRedis()
    await own.stop()
    const store = await openFor(t, { store: own.url })
    assert.deepEqual([store.fault(), store.note()], ['redis-unreachable', 'redis-out'])
    const again = await startRedis(own.port)
    t.after(() => again.stop())
    await until(() => store.fault() === null)
    assert.equal((await give(store)).used, 1)
  })
})

describe('a Redis that cannot serve', { skip: withoutRedis }, () => {
  type Change = (client: Client) => Promise<unknown>
  const set = (name: string, value: string) => (client: Client) => client.configSet(name, value)
  const incapacities: readonly (readonly [reason: string, what: string, begin: Change, end: Change])[] = [
    [
      'READONLY',
      'it is a replica',
      client => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']),
      client => client.sendCommand(['REPLICAOF', 'NO', 'ONE']),
    ],
    ['OOM', 'its memory is full', set('maxmemory', '1'), set('maxmemory', '0')],
    ['NOREPLICAS', 'its replicas are gone', set('min-replicas-to-write', '1'), set('min-replicas-to-write', '0')],
    [
      'BUSY',
      'a script in it does not end',
      async client => {
        await client.configSet('busy-reply-threshold', '50')
        void direct(other => other.eval('while true do end')).catch(() => {})
        await pause(200)
      },
      client => client.sendCommand(['SCRIPT', 'KILL']),
    ],
  ]
  for (const [reason, what, begin, end] of incapacities) {
    it(`counts as down while ${what}: answers continue within the outage limit, and all are counted later`, async t => {
      const events: Record<string, unknown>[] = []
      const store = await openFor(t, { store: redis.url, events })
      const client = connection()
      await client.connect()
      t.after(() => client.destroy())
      assert.equal((await give(store)).used, 1)
      await begin(client)
      try {
        for (let n = 2; n <= 4; n++) assert.equal((await give(store)).used, n)
        await pause(1_500)
        assert.equal(store.note(), 'redis-out')
        assert.equal((await give(store)).used, 5)
      } finally {
        await end(client)
      }
      await until(() => store.note() === null && store.figures().owed === 0)
      assert.equal((await store.quota.usage(account, plan(1_000))).used, 5)
      assert.deepEqual(
        events.map(({ store, reason }) => [store, reason]),
        [
          ['redis-reached', 'connected'],
          ['redis-out', reason],
          ['redis-reached', 'connected'],
        ],
      )
    })
  }

  it('is detected even without requests', async t => {
    const store = await openFor(t, { store: redis.url })
    await direct(client => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']))
    try {
      await until(() => store.note() === 'redis-out')
    } finally {
      await direct(client => client.sendCommand(['REPLICAOF', 'NO', 'ONE']))
    }
    await until(() => store.note() === null)
  })

  it('is explained to key management commands, without the password', async () => {
    await direct(client => client.configSet('requirepass', 'right'))
    try {
      const store = redis.url.replace('//', '//:secret@')
      const keys = await openKeys(
        {
          store,
          data: '',
          cache: cacheDefaults,
          keys: { prefix: 'assay', rotation_hours: 24 },
        },
        () => {},
      )
      await assert.rejects(keys.keys.list(), {
        code: 'key_store_error',
        message: 'the keys cannot be accessed: Redis is down: Wrong user name or password (WRONGPASS)',
      })
      await keys.close()
    } finally {
      const client = createClient({ url: redis.url.replace('//', '//:right@') })
      await client.connect()
      await client.configSet('requirepass', '')
      client.destroy()
    }
  })
})

describe('a counter in Redis that is not a number', { skip: withoutRedis }, () => {
  const damages: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    'a word': client => client.hSet(counter(), 'used', 'abc'),
    'a negative number': client => client.hSet(counter(), 'used', '-5'),
    'a number past all counting': client => client.hSet(counter(), 'used', '9223372036854775808'),
    'no number': client => client.hDel(counter(), 'used'),
    'a list': async client => {
      await client.del(counter())
      await client.lPush(counter(), '1')
    },
    'a text': client => client.set(counter(), '1'),
  }
  for (const [name, damage] of Object.entries(damages)) {
    it(`but ${name} is logged and an error, never unlimited`, async (t: TestContext) => {
      const events: Record<string, unknown>[] = []
      const store = await openFor(t, { store: redis.url, events, command_ms: PATIENT_MS })
      await give(store)
      const open = await store.quota.reserve(account, plan(1_000))
      await direct(damage)
      await assert.rejects(async () => store.quota.reserve(account, plan(1_000)), isQuotaError)
      await assert.rejects((open as Grant).commit(), isQuotaError)
      assert.ok(events.some(event => event['store'] === 'quota-damaged' && event['level'] === 'error'))
    })
  }
})

describe('archived days in Redis that are damaged', { skip: withoutRedis }, () => {
  const days = () => `assay:v1:usage-days:${account}`
  for (const [name, damage] of Object.entries<(client: Client) => Promise<unknown>>({
    'a word': client => client.hSet(days(), `${Date.parse('2026-11-10')}`, 'many'),
    'a text': client => client.set(days(), 'many'),
  })) {
    it(`refuse no answer, and are reported as unknown: ${name}`, async t => {
      let now = Date.parse('2026-11-10T12:00:00Z')
      const store = await openFor(t, { store: redis.url, command_ms: PATIENT_MS, now: () => now })
      await give(store)
      await direct(damage)
      for (let day = 0; day < 3; day++) {
        now += DAY_MS
        await give(store)
      }
      assert.equal((await store.quota.usage(account, plan(1_000))).used, 4)
      const read = store.keys.usageByDay([account], { from: 0, to: now })
      const found = await read.then(days => days.get(account)).catch((fault: { code: string }) => fault.code)
      assert.equal(found, name === 'a text' ? 'key_store_error' : null)
    })
  }
})

describe('a time of a key in Redis that is not a time', { skip: withoutRedis }, () => {
  for (const field of ['expires', 'revoked']) {
    it(`ends the key: ${field}`, async t => {
      const store = await openFor(t, { store: redis.url, command_ms: PATIENT_MS })
      const { key, text } = await store.keys.create(order)
      await direct(client => client.hSet(`assay:v1:key:${hashOf(text)}`, { [field]: 'soon', created: '' }))
      assert.equal(await store.keys.find(hashOf(text)), null)
      const listed = (await store.keys.list()).find(({ id }) => id === key.id)
      assert.deepEqual([listed?.created, listed?.[field as 'expires' | 'revoked']], [new Date(0), new Date(0)])
    })
  }
})
