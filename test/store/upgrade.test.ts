// Stores that an earlier release wrote, when each key had a plan and an account a counter for each kind of period.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import { createClient } from '@redis/client'
import Database from 'libsql'
import { generateKey, hashKey } from '../../src/store/api_key.ts'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'
import { lockDirectory } from '../../src/store/embedded/file.ts'
import { schema_version } from '../../src/store/embedded/migrations.ts'
import { openKeys } from '../../src/store/open_backend.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { cacheDefaults, openFor, openWith, PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const DAY_MS = 86_400_000
const now = Date.parse('2026-11-15T12:00:00Z')
const november = Date.parse('2026-11-01')
const october = Date.parse('2026-10-01')
const today = Date.parse('2026-11-15')
const monthly = { quota: 1_000, period: 'month' } as const
const daily = { quota: 1_000, period: 'day' } as const

interface FormerKey {
  readonly account: string
  readonly plan: string
  readonly created: number
  readonly expires?: number
  readonly revoked?: number
}

/** In the order they were made; ids are `key_0`, `key_1`, … */
const keys: readonly FormerKey[] = [
  { account: 'acc_alike', plan: 'startup', created: 1 },
  { account: 'acc_alike', plan: 'startup', created: 2 },
  { account: 'acc_moved', plan: 'startup', created: 3 },
  { account: 'acc_moved', plan: 'business', created: 4, expires: 4e12 },
  { account: 'acc_back', plan: 'startup', created: 5 },
  { account: 'acc_back', plan: 'business', created: 6, revoked: 7 },
  { account: 'acc_back', plan: 'daily', created: 7, expires: 8 },
  { account: 'acc_ended', plan: 'startup', created: 8, revoked: 9 },
  { account: 'acc_ended', plan: 'business', created: 9, revoked: 9 },
  { account: 'acc_twins', plan: 'startup', created: 10 },
  { account: 'acc_twins', plan: 'business', created: 10 },
]

const plans = {
  acc_alike: 'startup',
  acc_moved: 'business',
  acc_back: 'startup',
  acc_ended: 'business',
  acc_twins: 'startup',
}

const chosen = [
  { account: 'acc_back', plan: 'startup', of: ['business', 'daily', 'startup'] },
  { account: 'acc_ended', plan: 'business', of: ['business', 'startup'] },
  { account: 'acc_moved', plan: 'business', of: ['business', 'startup'] },
  { account: 'acc_twins', plan: 'startup', of: ['business', 'startup'] },
]

type FormerCount = readonly [account: string, period: 'month' | 'day', start: number, used: number]

/** Of accounts that had keys with plans of one period, or of both. */
const counts: readonly FormerCount[] = [
  ['acc_month', 'month', november, 7],
  ['acc_day', 'day', today, 5],
  ['acc_yesterday', 'day', today - DAY_MS, 5],
  ['acc_both', 'month', november, 7],
  ['acc_both', 'day', today, 5],
  ['acc_late', 'month', october, 90],
  ['acc_late', 'day', today, 5],
  ['acc_early', 'month', november, 7],
  ['acc_early', 'day', october, 50],
]

const byAccount = (listed: readonly { account: string; plan: string }[]) =>
  Object.fromEntries(listed.map(({ account, plan }) => [account, plan]))

describe('a file of an earlier release', () => {
  const formerSchema = `
CREATE TABLE keys (id TEXT PRIMARY KEY, account TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, display TEXT NOT NULL,
  plan TEXT NOT NULL, label TEXT NOT NULL, created INTEGER NOT NULL, last_used INTEGER, expires INTEGER, revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_account ON keys (account);
CREATE TABLE quota (account TEXT NOT NULL, period TEXT NOT NULL, start INTEGER NOT NULL, used INTEGER NOT NULL,
  PRIMARY KEY (account, period)) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;`

  function formerStore(t: TestContext, more: readonly FormerCount[] = []) {
    const directory = freshDirectory(t)
    mkdirSync(directory)
    const database = new Database(join(directory, 'assay.db'))
    database.exec(`PRAGMA journal_mode = WAL; ${formerSchema}`)
    const texts = keys.map(() => generateKey('assay'))
    const key = database.prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    keys.forEach(({ account, plan, created, expires = null, revoked = null }, n) => {
      const text = texts[n] ?? ''
      key.run(
        `key_${n}`,
        account,
        hashKey(text),
        text.slice(0, 10),
        plan,
        `label ${n}`,
        created,
        null,
        expires,
        revoked,
      )
    })
    const count = database.prepare('INSERT INTO quota VALUES (?, ?, ?, ?)')
    for (const row of [...counts, ...more]) count.run(...row)
    database.close()
    return { directory, texts }
  }

  const versionOf = (directory: string) => {
    const database = new Database(join(directory, 'assay.db'))
    const [version] = database.prepare('PRAGMA user_version').raw().get() as [number]
    database.close()
    return version
  }

  it('gives each account the plan of its newest valid key, and logs each choice once', async t => {
    const { directory, texts } = formerStore(t)
    const told: unknown[] = []
    const options = { directory, now: () => now, chosen: (plans: unknown) => told.push(plans) }
    const first = await openStore(options)
    const listed = await first.keys.list()
    assert.deepEqual(byAccount(listed), plans)
    assert.deepEqual(
      new Map(listed.map(({ id, label }) => [id, label])),
      new Map(keys.map((_, n) => [`key_${n}`, `label ${n}`])),
    )
    assert.equal((await first.keys.find(hashKey(texts[2] ?? '')))?.plan, 'business')
    await first.close()
    const second = await openStore(options)
    t.after(() => second.close())
    assert.deepEqual(byAccount(await second.keys.list()), plans)
    assert.deepEqual(told, [chosen])
  })

  it('keeps every count: counts per day only also count for the month', async t => {
    const { directory } = formerStore(t)
    const { quota, close } = await openStore({ directory, now: () => now })
    t.after(close)
    const used = async (account: string) => [
      (await quota.usage(account, monthly)).used,
      (await quota.usage(account, daily)).used,
    ]
    for (const [account, expected] of [
      ['acc_month', [7, 0]],
      ['acc_day', [5, 5]],
      ['acc_yesterday', [5, 0]],
      ['acc_both', [12, 5]],
      ['acc_late', [5, 5]],
      ['acc_early', [7, 0]],
      ['acc_never', [0, 0]],
    ] as const) {
      assert.deepEqual(await used(account), expected, account)
      const grant = await quota.reserve(account, monthly)
      assert.ok(grant.allowed)
      await grant.commit()
      assert.deepEqual(
        await used(account),
        expected.map(count => count + 1),
        account,
      )
    }
  })

  it('keeps a damaged counter as an error of its account', async t => {
    const broken: FormerCount[] = [
      ['bad_0', 'month', november, -5],
      ['bad_1', 'month', november, Number.MAX_SAFE_INTEGER + 1],
      ['bad_2', 'month', 12_345, 1],
      ['bad_3', 'day', -1, 1],
      ['bad_4', 'day', 9e18, 1],
      ['bad_5', 'day', today, -7],
      ['bad_6', 'month', november, 9],
      ['bad_6', 'day', today, -7],
    ]
    const { directory } = formerStore(t, broken)
    const { quota, close } = await openStore({ directory, now: () => now })
    t.after(close)
    for (const account of new Set(broken.map(([account]) => account))) {
      assert.throws(() => quota.usage(account, monthly), { code: 'quota_store_error' }, account)
    }
    assert.equal((await quota.usage('acc_both', monthly)).used, 12)
  })

  it('is upgraded by the command line too, but not under a running service', async t => {
    const { directory } = formerStore(t)
    const lock = lockDirectory(directory)
    await assert.rejects(openKeyFile({ directory }), {
      code: 'store_in_use',
      message:
        `A service of an earlier release is running on ${directory}. ` +
        'Restart that service with this release, which migrates the store.',
    })
    lock.release()
    assert.equal(versionOf(directory), 1)
    const { keys, close } = await openKeyFile({ directory, now: () => now })
    assert.deepEqual(byAccount(await keys.list()), plans)
    await close()
    assert.equal(versionOf(directory), schema_version)
  })

  it('that cannot be upgraded is refused and left unchanged', async t => {
    const { directory } = formerStore(t)
    const database = new Database(join(directory, 'assay.db'))
    database.exec('CREATE TABLE former (a TEXT)')
    database.close()
    await assert.rejects(openStore({ directory }), {
      code: 'store_unavailable',
      message: /cannot migrate .*assay\.db: migration 2: .*former.* It was rolled back\./,
    })
    assert.equal(versionOf(directory), 1)
    const again = new Database(join(directory, 'assay.db'))
    t.after(() => again.close())
    assert.deepEqual(again.prepare('SELECT count(*) FROM keys WHERE plan IS NOT NULL').raw().get(), [keys.length])
  })
})

describe('a Redis that an earlier release wrote to', { skip: withoutRedis }, () => {
  let redis: RedisServer
  before(async () => {
    redis = await startRedis()
  })
  after(() => redis.stop())

  type Client = Awaited<ReturnType<typeof connected>>
  const connected = () => createClient({ url: redis.url }).connect()

  async function direct<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await connected()
    try {
      return await work(client)
    } finally {
      client.destroy()
    }
  }

  /** As that release did it. */
  async function insert(client: Client, id: string, key: FormerKey): Promise<string> {
    const text = generateKey('assay')
    const { account, plan, created, expires, revoked } = key
    const fields = { id, account, display: text.slice(0, 10), plan, label: id, created, expires, revoked }
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    await client.hSet(
      `assay:v1:key:${hashKey(text)}`,
      Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    )
    await client.set(`assay:v1:key-id:${id}`, hashKey(text))
    await client.set(`assay:v1:account:${account}`, '1')
    await client.zAdd('assay:v1:keys', { score: created, value: hashKey(text) })
    return text
  }

  const write = () =>
    direct(async client => {
      await client.flushAll()
      for (const [n, key] of keys.entries()) await insert(client, `key_${n}`, key)
      for (const [account, period, start, used] of counts) {
        await client.hSet(`assay:v1:quota-${period}:${account}`, { start: `${start}`, used: `${used}` })
      }
    })

  const openRedis = (t: TestContext, events: Record<string, unknown>[] = []) =>
    openFor(t, { store: redis.confined, command_ms: PATIENT_MS, now: () => now, events })

  it('gives each account the plan of its newest valid key, and logs each choice once', async t => {
    await write()
    const events: Record<string, unknown>[] = []
    const first = await openRedis(t, events)
    assert.deepEqual(byAccount(await first.keys.list()), plans)
    const second = await openRedis(t, events)
    assert.deepEqual(byAccount(await second.keys.list()), plans)
    const told = events.filter(({ store }) => store === 'account-plan-chosen')
    assert.deepEqual(
      told.sort((a, b) => (String(a['account']) < String(b['account']) ? -1 : 1)),
      chosen.map(one => ({ level: 'warn', store: 'account-plan-chosen', ...one })),
    )
    assert.deepEqual(await second.keys.unknownPlans(['startup', 'daily']), [{ plan: 'business', accounts: 1, keys: 2 }])
  })

  it('is upgraded consistently by several instances and the command line at once', async t => {
    await write()
    const settings = {
      store: redis.confined,
      data: '',
      cache: cacheDefaults,
      keys: { prefix: 'assay', rotation_hours: 24 },
    }
    const [first, second, command] = await Promise.all([openRedis(t), openRedis(t), openKeys(settings, () => {})])
    t.after(command.close)
    for (const store of [first, second, command]) assert.deepEqual(byAccount(await store.keys.list()), plans)
  })

  it('knows the account of a key that an earlier instance creates later', async t => {
    await write()
    const { keys } = await openRedis(t)
    await keys.list()
    const later = { plan: 'daily', created: now }
    const [text, joined] = await direct(async client => [
      await insert(client, 'key_new', { account: 'acc_new', ...later }),
      await insert(client, 'key_joined', { account: 'acc_moved', ...later }),
    ])
    await direct(async client => insert(client, 'key_unused', { account: 'acc_unused', ...later }))
    assert.equal((await keys.find(hashKey(text ?? '')))?.plan, 'daily')
    assert.equal((await keys.find(hashKey(joined ?? '')))?.plan, 'business')
    assert.deepEqual(await keys.changePlan('acc_unused', 'startup'), {
      account: 'acc_unused',
      plan: 'startup',
      before: 'daily',
    })
    assert.deepEqual(await keys.unknownPlans(['startup', 'business']), [{ plan: 'daily', accounts: 1, keys: 1 }])
  })

  it('keeps every count, and includes what earlier instances count later', async t => {
    await write()
    const { quota } = await openRedis(t)
    const commit = async (account: string, allowance: typeof monthly | typeof daily) => {
      const grant = await quota.reserve(account, allowance)
      assert.ok(grant.allowed)
      return (await grant.commit()).used
    }
    for (const [account, month, day] of [
      ['acc_month', 7, 0],
      ['acc_day', 5, 5],
      ['acc_both', 7, 5],
      ['acc_late', 5, 5],
      ['acc_early', 7, 0],
    ] as const) {
      assert.equal((await quota.usage(account, monthly)).used, month, account)
      assert.equal((await quota.usage(account, daily)).used, day, account)
      assert.equal(await commit(account, daily), day + 1, account)
      await direct(client => client.hIncrBy(`assay:v1:quota-month:${account}`, 'used', 10))
      assert.equal(await commit(account, monthly), month + 12, account)
      assert.equal((await quota.usage(account, daily)).used, day + 2, account)
    }
  })

  it('counts answers in a journal of that release in their own period', async t => {
    await write()
    const data = freshDirectory(t)
    const line = (given: object) => {
      const text = JSON.stringify(given)
      return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
    }
    mkdirSync(join(data, 'instance-0'), { recursive: true })
    const given = { instance: 'gone', account: 'acc_both' }
    writeFileSync(
      join(data, 'instance-0', 'journal'),
      line({ ...given, sequence: 1, period: 'day', start: today, count: 2 }) +
        line({ ...given, sequence: 2, period: 'month', start: november, count: 3 }) +
        line({ ...given, sequence: 3, period: 'day', start: today - DAY_MS, count: 4 }),
    )
    const store = await openWith({ store: redis.confined, data, command_ms: PATIENT_MS, now: () => now })
    t.after(() => store.close())
    assert.equal((await store.quota.usage('acc_both', monthly)).used, 7 + 2 + 3 + 4)
    assert.equal((await store.quota.usage('acc_both', daily)).used, 5 + 2)
  })
})
