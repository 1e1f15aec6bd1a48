// The rows of API keys in Redis: a hash per key under the digest of its text, and what leads to it.
import { type KeyRows, storedTime, type Use } from '../key_rows.ts'
import { type Key, StoreError } from '../store.ts'
import type { KeyMirror } from './key_mirror.ts'
import { RedisDown, type Run } from './link.ts'
import { redisKey } from './names.ts'
import { fieldsOf, isWhole, textOrNone } from './reply.ts'
import { script } from './script.ts'

/** Revocations and rotations, newest last, for instances that hold keys in memory; trimmed to about so many. */
export const feed = { key: redisKey('feed'), length: 10_000 } as const

const rowKey = (hash: string) => redisKey('key', hash)
const idKey = (id: string) => redisKey('key-id', id)
const accountKey = (account: string) => redisKey('account', account)
/** Hashes by the time their keys were made. */
const index = redisKey('keys')

/** Keys: row, id, account, index. Arguments: hash, created, "first" or "any", then the fields. */
const insertScript = script<number>(
  `
if ARGV[3] == 'first' and redis.call('ZCARD', KEYS[4]) > 0 then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], '1')
redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
return 1
`,
  isWhole,
)

/** Keys: row, feed. Arguments: field, value, "keep" for the first value to stay, id, feed length. */
const endScript = script<number>(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[3] == 'keep' then redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[5], '*', 'id', ARGV[4])
return 1
`,
  isWhole,
)

/** Keys: rows. Arguments: times. */
const touchScript = script<number>(
  `
for i = 1, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 and (tonumber(redis.call('HGET', KEYS[i], 'last_used')) or 0) < tonumber(ARGV[i]) then
    redis.call('HSET', KEYS[i], 'last_used', ARGV[i])
  end
end
return 1
`,
  isWhole,
)

/** Rows in one question when all are listed. */
const page = 500

/** `emptied` tells whether Redis has lost its data; it has been put right then, as far as that can be done from here. */
export function redisKeyRows(run: Run, mirror: KeyMirror, emptied: () => Promise<boolean>): KeyRows {
  async function insert(hash: string, key: Key, when: 'first' | 'any' = 'any'): Promise<boolean> {
    return (await insertScript(run, ...insertion(hash, key, when))) === 1
  }

  async function hashOf(id: string): Promise<string | null> {
    return run(async client => textOrNone(await client.get(idKey(id))))
  }

  async function row(hash: string): Promise<Key | null> {
    // The client makes an empty row of whatever is none: then a key that is there would be unknown.
    const fields = await run(async client => fieldsOf(await client.sendCommand(['HGETALL', rowKey(hash)])))
    return toKey(fields)
  }

  async function end(id: string, field: string, at: Date, keep: boolean): Promise<void> {
    const hash = await hashOf(id)
    if (hash === null) return
    const args = [field, String(at.getTime()), keep ? 'keep' : 'set', id, String(feed.length)]
    await endScript(run, [rowKey(hash), feed.key], args)
    mirror.forget(id)
  }

  async function all(): Promise<Key[]> {
    const keys: Key[] = []
    for (let from = 0; ; from += page) {
      const hashes = await run(client => client.zRange(index, from, from + page - 1))
      const rows = await Promise.all(hashes.map(row))
      keys.push(...rows.flatMap(key => key ?? []))
      if (hashes.length < page) break
    }
    return keys.sort((a, b) => a.created.getTime() - b.created.getTime() || (a.id < b.id ? -1 : 1))
  }

  return guarded({
    byHash: hash => mirror.through(hash, () => row(hash), emptied),
    async byId(id: string) {
      const hash = await hashOf(id)
      return hash === null ? null : row(hash)
    },
    all,
    any: async () => (await run(client => client.zCard(index))) > 0,
    hasAccount: async account => (await run(client => client.exists(accountKey(account)))) === 1,
    async insert(hash, key) {
      await insert(hash, key)
    },
    insertFirst: (hash, key) => insert(hash, key, 'first'),
    async succeed(id, expires, hash, key) {
      // In this order a failure between the two leaves a key too many, never a holder without one.
      await insert(hash, key)
      await end(id, 'expires', expires, false)
    },
    revoke: (id, at) => end(id, 'revoked', at, true),
    async touch(uses: readonly Use[]) {
      const found = await Promise.all(uses.map(async ([id, at]) => [await hashOf(id), at] as const))
      const known = found.flatMap(([hash, at]) => (hash === null ? [] : [[rowKey(hash), String(at)] as const]))
      if (known.length === 0) return
      await touchScript(
        run,
        known.map(([key]) => key),
        known.map(([, at]) => at),
      )
    },
  })
}

/** Puts a key back as it was last known, unless it is there. */
export async function restoreRow(run: Run, hash: string, key: Key): Promise<void> {
  await insertScript(run, ...insertion(hash, key, 'any'))
}

function insertion(hash: string, key: Key, when: 'first' | 'any'): [string[], string[]] {
  const keys = [rowKey(hash), idKey(key.id), accountKey(key.account), index]
  return [keys, [hash, String(key.created.getTime()), when, ...toFields(key)]]
}

function toFields({ id, account, display, plan, label, ...times }: Key): string[] {
  const fields = Object.entries({ id, account, display, plan, label })
  for (const name of ['created', 'last_used', 'expires', 'revoked'] as const) {
    const time = times[name]
    if (time !== null) fields.push([name, String(time.getTime())])
  }
  return fields.flat()
}

function toKey(fields: Readonly<Record<string, string>>): Key | null {
  const { id, account, display, plan, label = '', created, last_used, expires, revoked } = fields
  if (id === undefined) return null
  if (account === undefined || plan === undefined) throw new StoreError('key_store_error', `the row of ${id} is torn`)
  const time = (text: string | undefined) => (text === undefined ? null : storedTime(text))
  return {
    id,
    account,
    display: display ?? '',
    plan,
    label,
    created: storedTime(created),
    last_used: time(last_used),
    expires: time(expires),
    revoked: time(revoked),
  }
}

/** Every failure is a StoreError to those above; only the mirror needs to know which are outages. */
function guarded(rows: KeyRows): KeyRows {
  const guard =
    (name: keyof KeyRows) =>
    async (...args: unknown[]) => {
      try {
        return await (rows[name] as (...args: unknown[]) => unknown)(...args)
      } catch (cause) {
        if (cause instanceof StoreError) throw cause
        const what = cause instanceof RedisDown ? cause.message : String(cause)
        throw new StoreError('key_store_error', `the keys cannot be reached: ${what}`, cause)
      }
    }
  return Object.fromEntries(Object.keys(rows).map(name => [name, guard(name as keyof KeyRows)])) as unknown as KeyRows
}
