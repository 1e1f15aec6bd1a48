// Records what this release stores, as text: `node --import tsx test/store/record_store.ts embedded|redis VERSION`. Run it at
// the last commit before a migration is added, so that `migrations.test.ts` opens a store which that release itself wrote.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import Database from 'libsql'
import { openBackend } from '../../src/store/open_backend.ts'
import { startRedis } from '../redis_server.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const cache = {
  ...{ complete_seconds: 3_600, incomplete_seconds: 60, not_found_seconds: 300, withheld_seconds: 600 },
  ...{ max_bytes: 2 ** 20, shared_max_bytes: 2 ** 20, store: null },
}
const monthly = { quota: 100, period: 'month' } as const
const daily = { quota: 100, period: 'day' } as const

/** Two accounts with counts, and every state that a key can be in. Returns the texts of the keys, by label. */
async function fill(store: string | null, data: string): Promise<Record<string, string>> {
  const clock = { now: () => now, monotonic: () => performance.now() }
  const keys = { prefix: 'assay', rotation_hours: 24 }
  const backend = await openBackend({ store, data, keys, cache, redis: { command_ms: 10_000 } }, clock, () => {})
  const texts: Record<string, string> = {}
  const create = async (label: string, plan: string, account?: string) => {
    const issued = await backend.keys.create({ plan, label, account } as never)
    texts[label] = issued.text
    return issued.key
  }
  const month = await create('monthly', 'startup')
  const day = await create('daily', 'trial')
  await create('second', 'startup', month.account)
  await backend.keys.revoke((await create('revoked', 'startup', month.account)).id)
  const rotated = await backend.keys.rotate((await create('rotated', 'trial', day.account)).id)
  texts['successor'] = rotated.text
  backend.keys.touch(month.id)
  for (const [{ account }, allowance, count] of [
    [month, monthly, 7],
    [day, daily, 3],
  ] as const) {
    for (let i = 0; i < count; i++) {
      const grant = await backend.quota.reserve(account, allowance)
      if (grant.allowed) await grant.commit()
    }
  }
  await backend.close()
  return texts
}

const quoted = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))

async function embeddedAsSql(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'assay-record-'))
  const texts = await fill(null, data)
  const database = new Database(join(data, 'assay.db'))
  const rows = (sql: string) => database.prepare(sql).raw().all() as unknown[][]
  const lines = [`-- ${JSON.stringify(texts)}`]
  for (const [name, sql] of rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'")) {
    lines.push(`${sql};`)
    for (const row of rows(`SELECT * FROM ${name}`))
      lines.push(`INSERT INTO ${name} VALUES (${row.map(quoted).join(', ')});`)
  }
  for (const [sql] of rows("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    lines.push(`${sql};`)
  lines.push(`PRAGMA user_version = ${rows('PRAGMA user_version')[0]?.[0]};`)
  database.close()
  rmSync(data, { recursive: true })
  return `${lines.join('\n')}\n`
}

/** One command a line. Leases, feeds and whatever else ends by itself within minutes is left out. */
async function redisAsCommands(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'assay-record-'))
  const redis = await startRedis()
  const texts = await fill(redis.url, data)
  const client = await createClient({ url: redis.url, RESP: 2 }).connect()
  const ask = (...command: string[]) => client.sendCommand(command) as Promise<string & string[]>
  const lines = [JSON.stringify(texts)]
  for (const key of (await ask('KEYS', '*')).sort()) {
    const type = await ask('TYPE', key)
    if (type === 'string') lines.push(JSON.stringify(['SET', key, await ask('GET', key)]))
    if (type === 'hash') lines.push(JSON.stringify(['HSET', key, ...(await ask('HGETALL', key))]))
    if (type === 'set') lines.push(JSON.stringify(['SADD', key, ...(await ask('SMEMBERS', key)).sort()]))
    if (type === 'zset') {
      const pairs = await ask('ZRANGE', key, '0', '-1', 'WITHSCORES')
      lines.push(JSON.stringify(['ZADD', key, ...pairs.map((_, at) => pairs[at ^ 1] ?? '')]))
    }
  }
  client.destroy()
  await redis.stop()
  rmSync(data, { recursive: true })
  return `${lines.join('\n')}\n`
}

const [kind = '', version = ''] = process.argv.slice(2)
const folder = join(import.meta.dirname, '../fixtures/stores')
if (kind === 'embedded') writeFileSync(join(folder, `embedded_v${version}.sql`), await embeddedAsSql())
else if (kind === 'redis') writeFileSync(join(folder, `redis_v${version}.txt`), await redisAsCommands())
else throw new Error('Usage: record_store.ts embedded|redis VERSION')
