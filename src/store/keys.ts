// The life cycle of API keys in any store: create, find, rotate, revoke, and note when each was last used.
import { createCache } from '../cache/cache.ts'
import { caps, tables } from '../cache/caps.ts'
import { ownText } from '../cache/own_copy.ts'
import { displayKey, generateKey, hashKey, randomText } from './api_key.ts'
import type { KeyRows, Use } from './key_rows.ts'
import { type Allowance, type Usage, usageAt } from './quota_rule.ts'
import {
  type IssuedKey,
  type Key,
  type KeyOrder,
  type KeyStore,
  type MaybeAsync,
  type PlanChange,
  type PlanHolders,
  StoreError,
} from './store.ts'
import { type DayCount, type DaySpan, daysWithin } from './usage_days.ts'

export interface KeyOptions {
  /** Prefix of the text of new keys. */
  readonly prefix: string
  /** Milliseconds that a rotated key stays valid. */
  readonly grace_ms: number
  /** The wall clock, in milliseconds. */
  readonly now: () => number
}

/** Base62 characters of an ID: too many for a collision. */
const id_length = 16

export interface Keys extends KeyStore {
  /** Writes the uses noted so far and stops noting. */
  close(): Promise<void>
}

export function createKeys(rows: KeyRows, { prefix, grace_ms, now }: KeyOptions): Keys {
  // The lifetime limits how long a revocation by another process may go unseen.
  const found = createCache<Key>('keys', { life_ms: caps.keys.life_ms.usual })
  const uses = createUseLog(rows)

  async function create({ label, expires = null, ...order }: KeyOrder): Promise<IssuedKey> {
    const { account, plan } = order.account === undefined ? newAccount(order.plan) : await joined(order)
    const terms = { account, plan, label, expires }
    const { hash, ...issued } = issue(prefix, terms, new Date(now()))
    await rows.insert(hash, issued.key)
    return issued
  }

  async function joined({ account, plan }: { account: string; plan?: string | undefined }) {
    const present = await rows.planOf(account)
    if (present === null) throw noAccount(account)
    if (plan === undefined || plan === present) return { account, plan: present }
    throw new StoreError(
      'plan_differs',
      `account ${account} has plan ${present}; all keys of an account share its plan`,
    )
  }

  async function changePlan(account: string, plan: string): Promise<PlanChange> {
    const before = await rows.setPlan(account, plan)
    if (before === null) throw noAccount(account)
    found.clear()
    return { account, plan, before }
  }

  async function unknownPlans(known: readonly string[]): Promise<readonly PlanHolders[]> {
    const holders = await rows.holders(known, now())
    return [...holders].sort((a, b) => (a.plan < b.plan ? -1 : 1))
  }

  async function usages(allowances: ReadonlyMap<string, Allowance>): Promise<ReadonlyMap<string, Usage | null>> {
    const stored = await rows.counts([...allowances.keys()])
    const time = now()
    return new Map(
      [...allowances].map(([account, allowance]) => {
        const counts = stored.get(account)
        return [account, counts === null ? null : usageAt(allowance, counts ?? null, time)]
      }),
    )
  }

  async function usageByDay(accounts: readonly string[], span: DaySpan) {
    const stored = await rows.days(accounts, span)
    const time = now()
    return new Map(
      accounts.map((account): [string, readonly DayCount[] | null] => {
        const days = stored.get(account)
        return [account, days === null ? null : daysWithin(span, days?.balance ?? [], days?.archived ?? [], time)]
      }),
    )
  }

  async function createFirst({ plan, label }: { plan: string; label: string }): Promise<IssuedKey | null> {
    if (await rows.any()) return null
    const terms = { ...newAccount(plan), label, expires: null }
    const { hash, ...issued } = issue(prefix, terms, new Date(now()))
    return (await rows.insertFirst(hash, issued.key)) ? issued : null
  }

  function find(hash: string): MaybeAsync<Key | null> {
    const key = found.get(hash)
    if (key !== undefined) return isActive(key, now()) ? key : null
    const row = rows.byHash(hash)
    return row instanceof Promise ? row.then(key => keep(hash, key)) : keep(hash, row)
  }

  function keep(hash: string, key: Key | null): Key | null {
    if (key === null || !isActive(key, now())) return null
    return found.set(hash, key)
  }

  async function known(id: string): Promise<Key> {
    const key = await rows.byId(id)
    if (key === null) throw new StoreError('key_not_found', `key ${id} does not exist`)
    return key
  }

  async function holder(account: string, id: string): Promise<Key | null> {
    const isIts = (key: Key | null) => key !== null && key.account === account && isActive(key, now())
    const key = await rows.byId(id)
    if (isIts(key)) return key
    return (await rows.all()).findLast(isIts) ?? null
  }

  async function rotate(id: string): Promise<IssuedKey> {
    const old = await known(id)
    const { account, plan, label, expires } = old
    const time = now()
    if (!isActive(old, time)) {
      throw new StoreError('key_not_active', `${id} is revoked or expired: create a key instead`)
    }
    // The expiry of a rotated key is the end of its grace period, which a successor would inherit.
    if (expires !== null && (await rows.all()).some(key => replaces(key, old))) {
      throw new StoreError(
        'key_not_active',
        `${id} was already rotated: rotate the newest key of ${account}, or create a key`,
      )
    }
    const { hash, ...issued } = issue(prefix, { account, plan, label, expires }, new Date(time))
    await rows.succeed(id, new Date(Math.min(time + grace_ms, endOf(old))), hash, issued.key)
    found.clear()
    return issued
  }

  async function revoke(id: string): Promise<Key> {
    await known(id)
    await rows.revoke(id, new Date(now()))
    found.clear()
    return known(id)
  }

  return {
    create,
    createFirst,
    changePlan,
    unknownPlans,
    usages,
    usageByDay,
    find,
    holder,
    rotate,
    revoke,
    list: async () => rows.all(),
    touch: id => uses.note(id, now()),
    close: () => uses.close(),
  }
}

const newAccount = (plan: string) => ({ account: `acc_${randomText(id_length)}`, plan })

const noAccount = (account: string) => new StoreError('account_not_found', `account ${account} does not exist`)

type Terms = Pick<Key, 'account' | 'plan' | 'label' | 'expires'>

function issue(prefix: string, terms: Terms, created: Date): IssuedKey & { hash: string } {
  const text = generateKey(prefix)
  const id = `key_${randomText(id_length)}`
  const key = { id, ...terms, display: displayKey(text), created, last_used: null, revoked: null }
  return { key, text, hash: hashKey(text) }
}

/** A rotation leaves a later key of the same account and label that outlives the old key. */
function replaces(later: Key, old: Key): boolean {
  const isAlike = later.account === old.account && later.label === old.label
  return isAlike && later.created >= old.created && endOf(later) > endOf(old)
}

/** Whether a key is neither revoked nor expired. */
export function isActive({ revoked, expires }: Pick<Key, 'revoked' | 'expires'>, now: number): boolean {
  return revoked === null && now < endOf({ expires })
}

const endOf = ({ expires }: Pick<Key, 'expires'>): number => expires?.getTime() ?? Number.POSITIVE_INFINITY

/** Milliseconds between writes: a write for each request would cost more than it is worth. */
const interval_ms = 60_000

const most = tables.uses.entries

/** Uses in one write, which then blocks the event loop for at most a few milliseconds. */
const batch_size = 500

export interface UseLog {
  note(id: string, at: number): void
  close(): Promise<void>
}

export function createUseLog(rows: KeyRows): UseLog {
  const noted = new Map<string, number>()
  const timer = setInterval(write, interval_ms).unref()
  let writing: Promise<void> | null = null

  /** Writes everything that is noted now. */
  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return writing
  }

  async function writeAll(): Promise<void> {
    const uses = [...noted]
    noted.clear()
    for (let from = 0; from < uses.length; from += batch_size) await record(uses.slice(from, from + batch_size))
  }

  /** A batch that cannot be written waits for the next round, because nothing depends on it. */
  async function record(uses: readonly Use[]): Promise<void> {
    await rows.touch(uses).catch(() => {
      for (const [id, at] of uses) if (!noted.has(id) && noted.size < most) noted.set(id, at)
    })
  }

  return {
    note(id, at) {
      if (noted.has(id)) return void noted.set(id, at)
      // More keys than that within a minute are written early. While that write runs, further keys are not noted.
      if (noted.size >= most) void write()
      if (noted.size < most) noted.set(ownText(id), at)
    },
    async close() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}
