// Stores as each release wrote them: `record_store.ts` wrote the fixtures, run with the release of that version.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createClient } from '@redis/client'
import Database from 'libsql'
import { hashKey } from '../../src/store/api_key.ts'
import type { Backend } from '../../src/store/backend.ts'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'
import { schema_version } from '../../src/store/embedded/migrations.ts'
import { openKeys } from '../../src/store/open_backend.ts'
import { layout_version } from '../../src/store/redis/layout.ts'
import { until } from '../redis_groups.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { cacheDefaults, openFor, openWith, PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const DAY_MS = 86_400_000
const monthly = { quota: 100, period: 'month' } as const
const daily = { quota: 100, period: 'day' } as const
const versionsUpTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

/** A fixture without its first line, and the texts of its keys by label, which that line holds. */
function recorded(name: string): { lines: string[]; texts: Record<string, string> } {
  const [first = '', ...lines] = readFileSync(join(import.meta.dirname, '../fixtures/stores', name), 'utf8')
    .trimEnd()
    .split('\n')
  return { lines, texts: JSON.parse(first.replace(/^-- /, '')) as Record<string, string> }
}

/** What every recorded store holds, whatever its version. */
async function holdsEverything(store: Pick<Backend, 'keys' | 'quota'>, texts: Record<string, string>): Promise<void> {
  const find = async (label: string) => store.keys.find(hashKey(texts[label] ?? ''))
  const [month, day] = [await find('monthly'), await find('daily')]
  assert.equal(month?.plan, 'startup')
  assert.equal(month.last_used?.getTime(), now)
  assert.equal(day?.plan, 'trial')
  assert.equal((await find('second'))?.account, month.account)
  assert.equal(await find('revoked'), null)
  assert.equal((await find('rotated'))?.expires?.getTime(), now + DAY_MS)
  assert.equal((await find('successor'))?.account, day.account)
  const listed = (await store.keys.list()).map(({ label, plan, account }) => [label, plan, account === month.account])
  assert.deepEqual(listed.sort(), [
    ['daily', 'trial', false],
    ['monthly', 'startup', true],
    ['revoked', 'startup', true],
    ['rotated', 'trial', false],
    ['rotated', 'trial', false],
    ['second', 'startup', true],
  ])
  assert.equal((await store.quota.usage(month.account, monthly)).used, 7)
  assert.equal((await store.quota.usage(day.account, daily)).used, 3)
  const grant = await store.quota.reserve(month.account, { ...monthly, quota: 8 })
  assert.ok(grant.allowed)
  assert.equal((await grant.commit()).remaining, 0)
}

describe('a file', () => {
  const write = (t: TestContext, version: number) => {
    const { lines, texts } = recorded(`embedded_v${version}.sql`)
    const directory = freshDirectory(t)
    mkdirSync(directory)
    const database = new Database(join(directory, 'assay.db'))
    database.exec(`PRAGMA journal_mode = WAL; ${lines.join('\n')}`)
    database.close()
    return { directory, texts }
  }

  const change = (directory: string, sql: string) => {
    const database = new Database(join(directory, 'assay.db'))
    database.exec(sql)
    database.close()
  }
  const versionOf = (directory: string) => {
    const database = new Database(join(directory, 'assay.db'))
    const [version] = database.prepare('PRAGMA user_version').raw().get() as [number]
    database.close()
    return version
  }

  for (const version of versionsUpTo(schema_version)) {
    it(`of schema version ${version} opens with its keys and counts, and again afterwards`, async t => {
      const { directory, texts } = write(t, version)
      const first = await openStore({ directory, now: () => now })
      await holdsEverything(first, texts)
      await first.close()
      assert.equal(versionOf(directory), schema_version)
      const second = await openStore({ directory, now: () => now })
      t.after(() => second.close())
      assert.equal((await second.keys.list()).length, 6)
    })
  }

  it('of the current version has the tables that a new file has', async t => {
    const tables = (directory: string) => {
      const database = new Database(join(directory, 'assay.db'))
      const rows = database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').raw().all()
      database.close()
      return rows
    }
    const { directory } = write(t, schema_version)
    const fresh = freshDirectory(t)
    await (await openStore({ directory: fresh })).close()
    assert.deepEqual(tables(fresh), tables(directory))
  })

  it('of a later version is refused by the service and the command line, and not changed', async t => {
    const { directory } = write(t, schema_version)
    change(directory, `PRAGMA user_version = ${schema_version + 1}`)
    for (const open of [openStore, openKeyFile]) {
      await assert.rejects(open({ directory }), {
        code: 'store_too_new',
        message:
          `${join(directory, 'assay.db')} was written by a later release (schema version ${schema_version + 1}; ` +
          `this release knows versions up to ${schema_version}). Run that release.`,
      })
    }
    assert.equal(versionOf(directory), schema_version + 1)
  })

  it('without a version is not a store, and is reported as damaged', async t => {
    const { directory } = write(t, schema_version)
    change(directory, 'PRAGMA user_version = 0')
    await assert.rejects(openStore({ directory }), {
      code: 'store_damaged',
      message: /schema version 0 does not exist/,
    })
  })
})

describe('a Redis', { skip: withoutRedis }, () => {
  let redis: RedisServer
  before(async () => {
    redis = await startRedis()
  })
  after(() => redis.stop())

  async function direct<T>(work: (ask: (...command: string[]) => Promise<unknown>) => Promise<T>): Promise<T> {
    const client = await createClient({ url: redis.url, RESP: 2 }).connect()
    try {
      return await work((...command) => client.sendCommand(command))
    } finally {
      client.destroy()
    }
  }

  const write = (version: number) =>
    direct(async ask => {
      const { lines, texts } = recorded(`redis_v${version}.txt`)
      await ask('FLUSHALL')
      for (const line of lines) await ask(...(JSON.parse(line) as string[]))
      return texts
    })
  const layout = () => direct(ask => ask('GET', 'assay:v1:layout'))
  const settings = () => ({
    ...{ store: redis.confined, data: '', cache: cacheDefaults },
    keys: { prefix: 'assay', rotation_hours: 24 },
  })

  for (const version of versionsUpTo(layout_version)) {
    it(`of layout version ${version} opens with its keys and counts, for several instances at once`, async t => {
      const texts = await write(version)
      const open = () => openFor(t, { store: redis.confined, command_ms: PATIENT_MS, now: () => now })
      const [first, second] = await Promise.all([open(), open()])
      await holdsEverything(first, texts)
      assert.equal((await second.keys.list()).length, 6)
      assert.equal(await layout(), `${layout_version}`)
    })
  }

  it('that is empty gets the current version', async t => {
    await direct(ask => ask('FLUSHALL'))
    const store = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    // Its first connection may take longer than a start waits on a busy machine.
    await until(() => store.note() === null)
    assert.equal(await layout(), `${layout_version}`)
  })

  it('of a later version is refused by the service and the command line, and not changed', async t => {
    await write(layout_version)
    await direct(ask => ask('SET', 'assay:v1:layout', `${layout_version + 1}`))
    const keys = () => direct(async ask => ((await ask('KEYS', '*')) as string[]).sort())
    const before = await keys()
    const tooNew = {
      code: 'store_too_new',
      message:
        `Redis was written by a later release (layout version ${layout_version + 1}; ` +
        `this release knows versions up to ${layout_version}). Run that release.`,
    }
    const data = freshDirectory(t)
    await assert.rejects(openWith({ store: redis.confined, data, command_ms: PATIENT_MS }), tooNew)
    for (const as_it_is of [false, true]) {
      await assert.rejects(
        openKeys(settings(), () => {}, { as_it_is }),
        tooNew,
      )
    }
    assert.deepEqual(await keys(), before)
    rmSync(data, { recursive: true, force: true })
  })
})
