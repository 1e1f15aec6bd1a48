// API keys in Redis: a hash for each key under the digest of its text, an index, and the plans of accounts.
import { type KeyRows, storedTime, type Use } from '../key_rows.ts'
import { isActive } from '../keys.ts'
import { type Key, StoreError } from '../store.ts'
import type { KeyMirror } from './key_mirror.ts'
import { RedisDown, type Run, script } from './link.ts'
import { fieldsOf, isTexts, isWhole, textOrNone, textsOf } from './protocol.ts'
import { readCounts, readDays } from './quota_script.ts'

/**
 * Revocations, rotations and plan changes, newest last, for instances that hold keys in memory. Trimmed to about this length.
 */
export const feedKey = ({ key }: Run) => key('feed')
const FEED_LENGTH = '10000'

const rowKey = ({ key }: Run, hash: string) => key('key', hash)
const idKey = ({ key }: Run, id: string) => key('key-id', id)
/** Marks an account as existing. Its plan has a key of its own, which earlier releases do not overwrite. */
const accountKey = ({ key }: Run, account: string) => key('account', account)
const planKey = ({ key }: Run, account: string) => key('account-plan', account)
/** Names of the plans that accounts have or had. */
const plansKey = ({ key }: Run) => key('plans')
/** Hashes of keys by creation time. */
const indexKey = ({ key }: Run) => key('keys')

/**
 * Keys: row, id, account, index, plan of the account, plans. Arguments: hash, created, "first" or "any", plan, then the
 * fields. An existing plan of the account stays.
 */
const insertScript = script<number>(
  `
if ARGV[3] == 'first' and redis.call('ZCARD', KEYS[4]) > 0 then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], '1')
redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
if redis.call('SET', KEYS[5], ARGV[4], 'NX') then redis.call('SADD', KEYS[6], ARGV[4]) end
return 1
`,
  isWhole,
)

/** Keys: plans, then the plans of accounts. Arguments: a plan for each. An existing plan stays. */
const adoptScript = script<number>(
  `
for i = 2, #KEYS do
  if redis.call('SET', KEYS[i], ARGV[i - 1], 'NX') then redis.call('SADD', KEYS[1], ARGV[i - 1]) end
end
return 1
`,
  isWhole,
)

/**
 * Keys: account, its plan, plans, feed. Arguments: plan, account, feed length. Returns the previous plan, or nothing when the
 * account does not exist.
 */
const planScript = script<string | null>(
  `
local before = redis.call('GET', KEYS[2])
if not before or redis.call('EXISTS', KEYS[1]) == 0 then return false end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[3], '*', 'account', ARGV[2])
return before
`,
  reply => reply === null || typeof reply === 'string',
)

/** Keys: row, feed. Arguments: field, value, "keep" to keep an existing value, id, feed length. */
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

/** Keys: row. Arguments: prefix of the plans of accounts. Returns the plan, empty when none is stored, and the fields of the row. */
const rowScript = script<string[]>(
  `
local reply = redis.call('HGETALL', KEYS[1])
local plan = ''
for i = 1, #reply, 2 do
  if reply[i] == 'account' then plan = redis.call('GET', ARGV[1] .. ':' .. reply[i + 1]) or '' end
end
table.insert(reply, 1, plan)
return reply
`,
  isTexts,
)

/** Rows in one request when all are listed. */
const page = 500

/** `emptied` resolves with whether Redis has lost its data, after restoring what this instance knows. */
export function redisKeyRows(run: Run, mirror: KeyMirror, emptied: () => Promise<boolean>): KeyRows {
  async function insert(hash: string, key: Key, when: 'first' | 'any' = 'any'): Promise<boolean> {
    return (await insertScript(run, ...insertion(run, hash, key, when))) === 1
  }

  async function hashOf(id: string): Promise<string | null> {
    return run(async client => textOrNone(await client.get(idKey(run, id))))
  }

  async function row(hash: string): Promise<Key | null> {
    const [plan = '', ...fields] = await rowScript(run, [rowKey(run, hash)], [run.key('account-plan')])
    const key = toKey(fieldsOf(fields))
    return key && { ...key, plan: plan === '' ? await adopt(key) : plan }
  }

  const storedPlan = (account: string) => run(async client => textOrNone(await client.get(planKey(run, account))))

  /** An instance of an earlier release runs beside this one and created the account with the key. */
  async function adopt({ account, plan }: Key): Promise<string> {
    await adoptPlans(run, [{ account, plan }])
    return (await storedPlan(account)) ?? plan
  }

  async function planOf(account: string): Promise<string | null> {
    const plan = await storedPlan(account)
    if (plan !== null || (await run(client => client.exists(accountKey(run, account)))) === 0) return plan
    for await (const keys of pages(run)) {
      const key = keys.find(key => key.account === account)
      if (key !== undefined) return adopt(key)
    }
    return null
  }

  async function end(id: string, field: string, at: Date, keep: boolean): Promise<void> {
    const hash = await hashOf(id)
    if (hash === null) return
    const args = [field, String(at.getTime()), keep ? 'keep' : 'set', id, FEED_LENGTH]
    await endScript(run, [rowKey(run, hash), feedKey(run)], args)
    mirror.forget(id)
  }

  async function* pagesWithPlans(): AsyncGenerator<readonly Key[]> {
    for await (const found of pages(run)) {
      const accounts = found.map(({ account }) => planKey(run, account))
      const names = await run(async client => (accounts.length === 0 ? [] : await client.mGet(accounts)))
      yield found.map((key, at) => ({ ...key, plan: textOrNone(names[at] ?? null) ?? key.plan }))
    }
  }

  async function all(): Promise<Key[]> {
    const keys: Key[] = []
    for await (const page of pagesWithPlans()) keys.push(...page)
    return keys.sort((a, b) => a.created.getTime() - b.created.getTime() || (a.id < b.id ? -1 : 1))
  }

  return guarded({
    byHash: hash => mirror.through(hash, () => row(hash), emptied),
    async byId(id: string) {
      const hash = await hashOf(id)
      return hash === null ? null : row(hash)
    },
    all,
    any: async () => (await run(client => client.zCard(indexKey(run)))) > 0,
    planOf,
    counts: accounts => ofEach(accounts, account => readCounts(run, account)),
    days: accounts => ofEach(accounts, account => readDays(run, account)),
    async holders(known, now) {
      const names = textsOf(await run(client => client.sendCommand(['SMEMBERS', plansKey(run)])))
      if (names.every(name => known.includes(name))) return []
      const held = new Map<string, { accounts: Set<string>; keys: number }>()
      for await (const page of pagesWithPlans()) {
        for (const key of page) {
          if (known.includes(key.plan) || !isActive(key, now)) continue
          const holders = held.get(key.plan) ?? { accounts: new Set(), keys: 0 }
          holders.accounts.add(key.account)
          holders.keys += 1
          held.set(key.plan, holders)
        }
      }
      return [...held].map(([plan, { accounts, keys }]) => ({ plan, accounts: accounts.size, keys }))
    },
    setPlan: async (account, plan) => {
      if ((await planOf(account)) === null) return null
      return planScript(
        run,
        [accountKey(run, account), planKey(run, account), plansKey(run), feedKey(run)],
        [plan, account, FEED_LENGTH],
      )
    },
    async insert(hash, key) {
      await insert(hash, key)
    },
    insertFirst: (hash, key) => insert(hash, key, 'first'),
    async succeed(id, expires, hash, key) {
      // In this order a failure in between leaves one key too many, never a holder without a key.
      await insert(hash, key)
      await end(id, 'expires', expires, false)
    },
    revoke: (id, at) => end(id, 'revoked', at, true),
    async touch(uses: readonly Use[]) {
      const found = await Promise.all(uses.map(async ([id, at]) => [await hashOf(id), at] as const))
      const known = found.flatMap(([hash, at]) => (hash === null ? [] : [[rowKey(run, hash), String(at)] as const]))
      if (known.length === 0) return
      await touchScript(
        run,
        known.map(([key]) => key),
        known.map(([, at]) => at),
      )
    },
  })
}

/** What `read` resolves with for each account, without undefined; a page of accounts at once. */
async function ofEach<T>(
  accounts: readonly string[],
  read: (account: string) => Promise<T | undefined>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  for (let from = 0; from < accounts.length; from += page) {
    const some = accounts.slice(from, from + page)
    const values = await Promise.all(some.map(read))
    for (const [at, account] of some.entries()) {
      const value = values[at]
      if (value !== undefined) found.set(account, value)
    }
  }
  return found
}

/** All rows, a page at a time, each with the plan that it was created with. */
export async function* pages(run: Run): AsyncGenerator<readonly Key[]> {
  for (let from = 0; ; from += page) {
    const hashes = await run(client => client.zRange(indexKey(run), from, from + page - 1))
    const found = await Promise.all(hashes.map(hash => readRow(run, hash)))
    yield found.flatMap(key => key ?? [])
    if (hashes.length < page) return
  }
}

async function readRow(run: Run, hash: string): Promise<Key | null> {
  // The client turns any other type into an empty row, and an existing key would seem unknown.
  const fields = await run(async client => fieldsOf(await client.sendCommand(['HGETALL', rowKey(run, hash)])))
  return toKey(fields)
}

/** Gives each account this plan unless it has one. */
export async function adoptPlans(run: Run, given: readonly Pick<Key, 'account' | 'plan'>[]): Promise<void> {
  for (let from = 0; from < given.length; from += page) {
    const some = given.slice(from, from + page)
    const keys = [plansKey(run), ...some.map(({ account }) => planKey(run, account))]
    await adoptScript(
      run,
      keys,
      some.map(({ plan }) => plan),
    )
  }
}

/** Restores a key as it was last known, unless it exists. */
export async function restoreRow(run: Run, hash: string, key: Key): Promise<void> {
  await insertScript(run, ...insertion(run, hash, key, 'any'))
}

function insertion(run: Run, hash: string, key: Key, when: 'first' | 'any'): [string[], string[]] {
  const keys = [
    rowKey(run, hash),
    idKey(run, key.id),
    accountKey(run, key.account),
    indexKey(run),
    planKey(run, key.account),
    plansKey(run),
  ]
  return [keys, [hash, String(key.created.getTime()), when, key.plan, ...toFields(key)]]
}

/** The plan is the account's at creation. It is stored for earlier releases and no longer read here. */
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
  if (account === undefined || plan === undefined)
    throw new StoreError('key_store_error', `the row of ${id} is incomplete`)
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

/** Every failure becomes a StoreError; only the mirror needs to know which of them are outages. */
function guarded(rows: KeyRows): KeyRows {
  const guard =
    (name: keyof KeyRows) =>
    async (...args: unknown[]) => {
      try {
        return await (rows[name] as (...args: unknown[]) => unknown)(...args)
      } catch (cause) {
        if (cause instanceof StoreError) throw cause
        const what = cause instanceof RedisDown ? cause.message : String(cause)
        throw new StoreError('key_store_error', `the keys cannot be accessed: ${what}`, cause)
      }
    }
  return Object.fromEntries(Object.keys(rows).map(name => [name, guard(name as keyof KeyRows)])) as unknown as KeyRows
}
