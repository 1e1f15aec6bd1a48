// A Redis that is well, behind a network that is not.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Backend } from '../src/store/backend.ts'
import { openKeys } from '../src/store/open_backend.ts'
import { insured_max } from '../src/store/redis/quota.ts'
import type { Grant } from '../src/store/store.ts'
import { type RedisServer, startRedis, withoutRedis } from './redis_server.ts'
import { startSniServer } from './sni_server.ts'
import { cacheDefaults, openFor } from './store/backends.ts'
import { type Relay, startRelay, type Weather } from './tcp_relay.ts'

const plan = { quota: 100_000, period: 'month' } as const
/** Milliseconds between attempts to reach Redis, and what is watched of them. */
const probe_ms = 1_000
const watched_ms = 2_500

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

let accounts = 0

async function setUp(t: TestContext): Promise<{ store: Backend; relay: Relay; account: string }> {
  const relay = await startRelay(t, redis.port)
  const store = await openFor(t, { store: `redis://127.0.0.1:${relay.port}` })
  return { store, relay, account: `acc_network_${++accounts}` }
}

async function give({ quota }: Backend, account: string): Promise<void> {
  const grant = await quota.reserve(account, plan)
  assert.equal(grant.allowed, true)
  await (grant as Grant).commit()
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 15_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so: ${holds}`)
    await pause(20)
  }
}

const usedOf = async ({ quota }: Backend, account: string) => (await quota.usage(account, plan)).used

const outages: Readonly<Record<string, Weather>> = {
  'is half a second away': { delay_ms: () => 500 },
  'is lost without a word': { lost: true },
  'resets each connection': { reset: () => true },
}

describe('a Redis that', { skip: withoutRedis }, () => {
  for (const [what, weather] of Object.entries(outages)) {
    it(`${what} counts as down: answers continue within the outage limit, nothing queues, and all is counted afterwards`, async t => {
      const { store, relay, account } = await setUp(t)
      await give(store, account)
      relay.weather = weather
      await give(store, account)
      for (let given = 2; store.note() === null; given++) {
        assert.ok(given < insured_max)
        await give(store, account)
      }
      assert.equal(store.note(), 'redis-out')

      const before = { sent: relay.sent, connections: relay.connections, at: performance.now() }
      const asked = await Promise.allSettled(Array.from({ length: 1_000 }, () => give(store, account)))
      await pause(watched_ms)
      const probes = Math.ceil((performance.now() - before.at) / probe_ms) + 1
      assert.ok(relay.connections - before.connections <= probes, `${relay.connections} connections`)
      assert.ok(relay.sent - before.sent < probes * 100, `${relay.sent - before.sent} octets sent`)
      for (const one of asked) {
        if (one.status === 'rejected') assert.equal(one.reason.code, 'quota_store_error')
      }

      relay.weather = {}
      await until(() => store.note() === null)
      await until(() => store.figures().owed === 0)
      assert.equal(await usedOf(store, account), 1 + insured_max)
    })
  }

  it('has a latency of a third of a second still works for key management: a created key is printed', async t => {
    const relay = await startRelay(t, redis.port)
    relay.weather = { delay_ms: () => 150 }
    const store = `redis://127.0.0.1:${relay.port}`
    const settings = { store, data: '', cache: cacheDefaults, keys: { prefix: 'assay', rotation_hours: 24 } }
    const { keys, close } = await openKeys(settings, () => {})
    t.after(close)
    const { key } = await keys.create({ plan: 'startup', label: 'from afar' })
    assert.equal((await keys.revoke(key.id)).label, 'from afar')
  })

  const storms: Readonly<Record<string, () => Weather>> = {
    'is now and then too slow': () => ({ delay_ms: () => (Math.random() < 0.05 ? 400 : 1) }),
    'is now and then cut off': () => ({ delay_ms: () => 1, reset: () => Math.random() < 0.02 }),
  }
  for (const [what, weather] of Object.entries(storms)) {
    it(`${what} counts each answer once, even if its confirmation was lost`, async t => {
      const { store, relay, account } = await setUp(t)
      await give(store, account)
      relay.weather = weather()
      let given = 1
      for (let round = 0; round < 60; round++) {
        const charge = async () => store.quota.charge?.(account, plan).then(usage => assert.ok(!('allowed' in usage)))
        const asked = await Promise.allSettled([give(store, account), give(store, account), charge()])
        given += asked.filter(({ status }) => status === 'fulfilled').length
        await pause(10)
      }
      relay.weather = {}
      await until(() => store.note() === null)
      await until(() => store.figures().owed === 0)
      assert.equal(await usedOf(store, account), given)
      assert.ok(given > 60, `${given} given`)
    })
  }
})

describe('a rediss:// URL', { skip: withoutRedis }, () => {
  const hosts: readonly (readonly [host: string, what: string, told: readonly string[]])[] = [
    ['localhost', 'tells the name of its host, by which a server of several chooses', ['localhost']],
    ['127.0.0.1', 'tells no name when its host is an address', []],
  ]
  for (const [host, what, told] of hosts) {
    it(`${what}, and rejects an unknown authority`, async t => {
      const { port, names } = await startSniServer(t)
      const events: Record<string, unknown>[] = []
      await openFor(t, { store: `rediss://${host}:${port}`, events })
      assert.deepEqual(names, told)
      assert.deepEqual(
        events.map(({ reason }) => reason),
        ['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      )
    })
  }
})
