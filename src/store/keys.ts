// The life of API keys, whatever keeps them: issued, found, rotated, revoked.
import { keepAtMost } from '../keep_at_most.ts'
import { displayKey, generateKey, hashKey, randomText } from './api_key.ts'
import type { KeyRows } from './key_rows.ts'
import { type IssuedKey, type Key, type KeyOrder, type KeyStore, type MaybeAsync, StoreError } from './store.ts'
import { createUseLog } from './use_log.ts'

export interface KeyOptions {
  /** What the text of new keys begins with. */
  readonly prefix: string
  /** Milliseconds that a rotated key stays valid. */
  readonly grace_ms: number
  /** The wall clock, in milliseconds. */
  readonly now: () => number
}

/** Looked-up keys held in memory, and for how many milliseconds: how late another process's revocation is seen. */
const found_max = 10_000
const found_ms = 1_000

/** Base62 characters of an id: too many to meet twice by chance. */
const id_length = 16

export interface Keys extends KeyStore {
  /** Writes the uses noted so far, and notes no more. */
  close(): Promise<void>
}

export function createKeys(rows: KeyRows, { prefix, grace_ms, now }: KeyOptions): Keys {
  const found = keepAtMost<Key>(found_max, { ttl: found_ms, ttlResolution: 0 })
  const uses = createUseLog(rows)

  async function create({ plan, label, account, expires = null }: KeyOrder): Promise<IssuedKey> {
    if (account !== undefined && !(await rows.hasAccount(account))) {
      throw new StoreError('account_not_found', `no key has the account ${account}`)
    }
    const terms = { account: account ?? `acc_${randomText(id_length)}`, plan, label, expires }
    const { hash, ...issued } = issue(prefix, terms, new Date(now()))
    await rows.insert(hash, issued.key)
    return issued
  }

  async function createFirst({ plan, label }: Pick<KeyOrder, 'plan' | 'label'>): Promise<IssuedKey | null> {
    if (await rows.any()) return null
    const terms = { account: `acc_${randomText(id_length)}`, plan, label, expires: null }
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
    found.set(hash, key)
    return key
  }

  async function known(id: string): Promise<Key> {
    const key = await rows.byId(id)
    if (key === null) throw new StoreError('key_not_found', `there is no key ${id}`)
    return key
  }

  async function rotate(id: string): Promise<IssuedKey> {
    const old = await known(id)
    const { account, plan, label, expires } = old
    const time = now()
    if (!isActive(old, time)) {
      throw new StoreError('key_not_active', `${id} is revoked or expired: create a key instead`)
    }
    // Its expiry is the end of its grace: a successor would end with it.
    if (expires !== null && (await rows.all()).some(key => replaces(key, old))) {
      throw new StoreError('key_not_active', `${id} was rotated: rotate the newest key of ${account}, or create a key`)
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
    find,
    rotate,
    revoke,
    list: async () => rows.all(),
    touch: id => uses.note(id, now()),
    close: () => uses.close(),
  }
}

type Terms = Pick<Key, 'account' | 'plan' | 'label' | 'expires'>

function issue(prefix: string, terms: Terms, created: Date): IssuedKey & { hash: string } {
  const text = generateKey(prefix)
  const id = `key_${randomText(id_length)}`
  const key = { id, ...terms, display: displayKey(text), created, last_used: null, revoked: null }
  return { key, text, hash: hashKey(text) }
}

/** What rotations leave behind: a later key of the same account, plan and label that outlives the other. */
function replaces(later: Key, old: Key): boolean {
  const isAlike = later.account === old.account && later.plan === old.plan && later.label === old.label
  return isAlike && later.created >= old.created && endOf(later) > endOf(old)
}

/** Neither revoked nor past its expiry. */
function isActive({ revoked, expires }: Pick<Key, 'revoked' | 'expires'>, now: number): boolean {
  return revoked === null && now < endOf({ expires })
}

const endOf = ({ expires }: Pick<Key, 'expires'>): number => expires?.getTime() ?? Number.POSITIVE_INFINITY
