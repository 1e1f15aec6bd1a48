// API keys and the accounts they belong to: create, find, rotate, revoke, and note when each was last used.
import { CompiledQuery, type ExpressionBuilder, sql } from 'kysely'
import { createCache, ownText } from '../../base/cache/cache.ts'
import { caps, tables } from '../../base/cache/caps.ts'
import { type Allowance, type Usage, usageAt } from '../../config/quota_rule.ts'
import { displayKey, generateKey, hashKey, randomText } from '../api_key.ts'
import {
  type IssuedKey,
  type Key,
  type KeyOrder,
  type KeyStore,
  type MaybeAsync,
  type PlanHolders,
  StoreError,
} from '../store.ts'
import type { Change, Database, Dialect } from './database.ts'
import { EMPTY } from './locked_rows.ts'
import { asciiJson, type Schema } from './schema.ts'
import { createUsageRows, toCounts, unlessDamaged, usageByDay } from './usage.ts'

export interface KeyOptions {
  /** Prefix of the text of new keys. */
  readonly prefix: string
  /** Milliseconds that a rotated key stays valid. */
  readonly grace_ms: number
  /** The wall clock, in milliseconds. */
  readonly now: () => number
}

export interface Keys extends KeyStore {
  /** Writes the uses noted so far and stops noting. */
  close(): Promise<void>
}

/** Base62 characters of an ID: too many for a collision. */
const ID_LENGTH = 16

/** What a key is made for. */
type Terms = Pick<Key, 'account' | 'plan' | 'label' | 'expires'>

export function createKeys(database: Database, options: KeyOptions): Keys {
  const { dialect, read } = database
  const { now } = options
  // The lifetime limits how long a revocation by another process may go unseen.
  const keysByHash = createCache<Key>('keys', { life_ms: caps.keys.life_ms.usual })
  const uses = createUseLog(database)
  const usageRows = createUsageRows(database)

  const change = <T>(work: (change: Change) => Promise<T>): Promise<T> => withStoreError(database.transaction(work))

  async function find(hash: string): Promise<Key | null> {
    const row = await withStoreError(keysIn(read).where('hash', '=', hash).executeTakeFirst())
    const key = row === undefined ? null : toKey(row)
    return key === null || !isActive(key, now()) ? null : keysByHash.set(hash, key)
  }

  return {
    create: order => change(change => createKey(database, change, order, options)),
    find(hash): MaybeAsync<Key | null> {
      const key = keysByHash.get(hash)
      if (key === undefined) return find(hash)
      return isActive(key, now()) ? key : null
    },
    createFirst: ({ plan, label }) =>
      change(async change => {
        // Whoever creates a key at the same time waits, also for the first.
        if (dialect === 'postgres') await sql`LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE`.execute(change)
        const any = await within(database, change).selectFrom('keys').select('id').limit(1).executeTakeFirst()
        return any === undefined ? insertKey(change, { ...newAccount(plan), label, expires: null }, options) : null
      }),
    async rotate(id) {
      const issuedKey = await change(change => rotateKey(database, change, id, options))
      keysByHash.clear()
      return issuedKey
    },
    async revoke(id) {
      await change(change =>
        change
          .updateTable('keys')
          .set(eb => ({ revoked: eb.fn.coalesce('revoked', eb.val(now())) }))
          .where('id', '=', id)
          .execute(),
      )
      keysByHash.clear()
      const key = await withStoreError(keyById(read, id))
      if (key === null) throw noKey(id)
      return key
    },
    async changePlan(account, plan) {
      const before = await change(async change => {
        if (dialect === 'postgres')
          await change.selectFrom('accounts').select('id').where('id', '=', account).forUpdate().execute()
        const before = await planOf(within(database, change), account)
        await change.updateTable('accounts').set({ plan }).where('id', '=', account).execute()
        return before
      })
      keysByHash.clear()
      return { account, plan, before }
    },
    unknownPlans: planNames => withStoreError(unknownPlans(database, planNames, now())),
    usages: allowances => withStoreError(usageRows.read([...allowances.keys()]).then(usagesBy(allowances, now()))),
    usageByDay: (accounts, span) => withStoreError(usageByDay(database, accounts, span, now())),
    async holder(account, id) {
      const all = (await withStoreError(keysOf(read, account))).filter(key => isActive(key, now()))
      return all.find(key => key.id === id) ?? all.at(-1) ?? null
    },
    ofAccount: account => withStoreError(keysOf(read, account)),
    list: async () => (await withStoreError(keysIn(read).orderBy('created').orderBy('keys.id').execute())).map(toKey),
    touch: id => uses.note(id, now()),
    close: () => uses.close(),
  }
}

/** What rows are read from: the database, or a change of it. */
type Rows = Pick<Change, 'selectFrom'>

/** Rows to read within a change. The writing connection of SQLite would read on a thread, and the file is locked already. */
const within = ({ dialect, read }: Database, change: Change): Rows => (dialect === 'sqlite' ? read : change)

const keysIn = (rows: Rows) =>
  rows
    .selectFrom('keys')
    .leftJoin('accounts', 'accounts.id', 'keys.account')
    .select(['keys.id', 'account', 'display', 'plan', 'label', 'created', 'last_used', 'expires', 'revoked'])

async function keyById(rows: Rows, id: string): Promise<Key | null> {
  const row = await keysIn(rows).where('keys.id', '=', id).executeTakeFirst()
  return row === undefined ? null : toKey(row)
}

async function keysOf(rows: Rows, account: string): Promise<readonly Key[]> {
  const all = await keysIn(rows).where('account', '=', account).orderBy('created').orderBy('keys.id').execute()
  return all.map(toKey)
}

async function planOf(rows: Rows, account: string): Promise<string> {
  const row = await rows.selectFrom('accounts').select('plan').where('id', '=', account).executeTakeFirst()
  if (row === undefined) throw new StoreError('account_not_found', `account ${account} does not exist`)
  return row.plan
}

/** Makes a key, with its account if that is new. */
async function insertKey(change: Change, terms: Terms, { prefix, now }: KeyOptions): Promise<IssuedKey> {
  const text = generateKey(prefix)
  const id = `key_${randomText(ID_LENGTH)}`
  const createdAt = new Date(now())
  const key = { id, ...terms, display: displayKey(text), created: createdAt, last_used: null, revoked: null }
  const { account, plan, label, expires, display } = key
  await change
    .insertInto('accounts')
    .values({ id: account, plan })
    .onConflict(oc => oc.doNothing())
    .execute()
  const times = { created: createdAt.getTime(), last_used: null, expires: expires?.getTime() ?? null, revoked: null }
  await change
    .insertInto('keys')
    .values({ id, account, hash: hashKey(text), display, label: asciiJson(label), ...times })
    .execute()
  return { key, text }
}

async function createKey(
  database: Database,
  change: Change,
  { label, expires = null, account, plan }: KeyOrder,
  options: KeyOptions,
): Promise<IssuedKey> {
  if (account === undefined) return insertKey(change, { ...newAccount(plan), label, expires }, options)
  const rows = within(database, change)
  const present = await planOf(rows, account)
  if (plan !== undefined && plan !== present)
    throw new StoreError(
      'plan_differs',
      `account ${account} has plan ${present}; all keys of an account share its plan`,
    )
  // Links ended with the last valid key: another key does not bring them back.
  if (!(await keysOf(rows, account)).some(key => isActive(key, options.now())))
    await change.deleteFrom('shares').where('account', '=', account).execute()
  return insertKey(change, { account, plan: present, label, expires }, options)
}

async function rotateKey(database: Database, change: Change, id: string, options: KeyOptions): Promise<IssuedKey> {
  // Two that rotate one key at once would both find it without a successor.
  if (database.dialect === 'postgres')
    await change.selectFrom('keys').select('id').where('id', '=', id).forUpdate().execute()
  const rows = within(database, change)
  const old = await keyById(rows, id)
  if (old === null) throw noKey(id)
  const { account, plan, label, expires } = old
  const time = options.now()
  if (!isActive(old, time)) throw new StoreError('key_not_active', `${id} is revoked or expired: create a key instead`)
  // The expiry of a rotated key is the end of its grace period, which a successor would inherit.
  if (expires !== null && (await keysOf(rows, account)).some(key => replaces(key, old)))
    throw new StoreError(
      'key_not_active',
      `${id} was already rotated: rotate the newest key of ${account}, or create a key`,
    )
  const end = Math.min(time + options.grace_ms, endOf(old))
  await change.updateTable('keys').set({ expires: end }).where('id', '=', id).execute()
  return insertKey(change, { account, plan, label, expires }, options)
}

/** The usage of each account by its stored counts; null where they are damaged. */
const usagesBy =
  (allowances: ReadonlyMap<string, Allowance>, now: number) =>
  (texts: ReadonlyMap<string, string>): ReadonlyMap<string, Usage | null> =>
    new Map(
      [...allowances].map(([account, allowance]) => [
        account,
        unlessDamaged(() => usageAt(allowance, toCounts(texts.get(account) ?? EMPTY), now)),
      ]),
    )

interface KeyRow extends Readonly<Record<'id' | 'account' | 'display' | 'label', string>> {
  readonly plan: string | null
  readonly created: number
  readonly last_used: number | null
  readonly expires: number | null
  readonly revoked: number | null
}

/** Throws a StoreError when its account is missing. */
function toKey({ plan, label, created, last_used, expires, revoked, ...rest }: KeyRow): Key {
  if (plan === null) throw new StoreError('key_store_error', `key ${rest.id} has no account`)
  const times = { last_used: toDate(last_used), expires: toDate(expires), revoked: toDate(revoked) }
  return { ...rest, plan, label: String(JSON.parse(label)), created: storedTime(created), ...times }
}

const toDate = (value: number | null): Date | null => (value === null ? null : storedTime(value))

/** A damaged time becomes 1970, which can be displayed and which ends the key: damage must not undo a revocation. */
function storedTime(value: number): Date {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? new Date(0) : time
}

const newAccount = (plan: string) => ({ account: `acc_${randomText(ID_LENGTH)}`, plan })

const noKey = (id: string) => new StoreError('key_not_found', `key ${id} does not exist`)

/** A rotation leaves a later key of the same account and label that outlives the old key. */
function replaces(later: Key, old: Key): boolean {
  return later.label === old.label && later.created >= old.created && endOf(later) > endOf(old)
}

/** Whether a key is neither revoked nor expired. */
export function isActive({ revoked, expires }: Pick<Key, 'revoked' | 'expires'>, now: number): boolean {
  return revoked === null && now < endOf({ expires })
}

/** The same of a row of `keys`. */
export const validAt = (now: number) => (eb: ExpressionBuilder<Schema, 'keys'>) =>
  eb.and([eb('keys.revoked', 'is', null), eb.or([eb('keys.expires', 'is', null), eb('keys.expires', '>', now)])])

const endOf = ({ expires }: Pick<Key, 'expires'>): number => expires?.getTime() ?? Number.POSITIVE_INFINITY

async function withStoreError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    throw new StoreError('key_store_error', `the keys cannot be accessed: ${String(cause)}`, cause)
  }
}

/** One index step for each plan; `DISTINCT` would read the whole index, even with a million accounts. */
const DISTINCT_PLANS = `
WITH RECURSIVE held (name) AS (
  SELECT min(plan) FROM accounts
  UNION ALL SELECT (SELECT min(plan) FROM accounts WHERE plan > name) FROM held WHERE name IS NOT NULL
)
SELECT name FROM held WHERE name IS NOT NULL`

async function unknownPlans(
  { read }: Database,
  planNames: readonly string[],
  now: number,
): Promise<readonly PlanHolders[]> {
  const planRows = await read.executeQuery<{ name: string }>(CompiledQuery.raw(DISTINCT_PLANS))
  const strange = planRows.rows.map(({ name }) => name).filter(name => !planNames.includes(name))
  if (strange.length === 0) return []
  return read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account')
    .where('plan', 'in', strange)
    .where(validAt(now))
    .groupBy('plan')
    .orderBy('plan')
    .select(eb => [
      'plan',
      eb.fn.count<number>('account').distinct().as('accounts'),
      eb.fn.countAll<number>().as('keys'),
    ])
    .execute()
}

/** Milliseconds between writes: a write for each request would cost more than it is worth. */
const WRITE_MS = 60_000

const most = tables.uses.entries

/** Uses in one write, which then blocks the event loop for at most a few milliseconds. */
const BATCH = 500

/** Never moves the time of the last use back. */
const setLastUsed: Readonly<Record<Dialect, string>> = {
  sqlite: `UPDATE keys SET last_used = used.value FROM json_each(?1) AS used
WHERE keys.id = used.key AND (last_used IS NULL OR last_used < used.value)`,
  postgres: `UPDATE keys SET last_used = used.value::bigint FROM json_each_text($1) AS used
WHERE keys.id = used.key AND (last_used IS NULL OR last_used < used.value::bigint)`,
}

function createUseLog(database: Database) {
  const noteTimes = new Map<string, number>()
  const timer = setInterval(write, WRITE_MS).unref()
  let writing: Promise<void> | null = null

  /** Writes everything that is noted now. */
  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return writing
  }

  async function writeAll(): Promise<void> {
    const uses = [...noteTimes]
    noteTimes.clear()
    for (let from = 0; from < uses.length; from += BATCH) await record(uses.slice(from, from + BATCH))
  }

  /** A batch that cannot be written waits for the next round, because nothing depends on it. */
  async function record(uses: readonly (readonly [id: string, at: number])[]): Promise<void> {
    const ids = uses.map(([id]) => id)
    const text = JSON.stringify(Object.fromEntries(uses))
    const writing = database.transaction(async change => {
      // In order, because another process may write the same keys at the same time.
      if (database.dialect === 'postgres')
        await change.selectFrom('keys').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
      await change.executeQuery(CompiledQuery.raw(setLastUsed[database.dialect], [text]))
    })
    await writing.catch(() => {
      for (const [id, at] of uses) if (!noteTimes.has(id) && noteTimes.size < most) noteTimes.set(id, at)
    })
  }

  return {
    note(id: string, at: number): void {
      if (noteTimes.has(id)) return void noteTimes.set(id, at)
      // More keys than that within a minute are written early. While that write runs, further keys are not noted.
      if (noteTimes.size >= most) void write()
      if (noteTimes.size < most) noteTimes.set(ownText(id), at)
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
