// The rows of the keys in the embedded file.
import { type KeyRows, storedTime } from '../key_rows.ts'
import { type Key, StoreError } from '../store.ts'
import type { Reader, Row, Value, WriteConnection } from './connection.ts'
import type { Writer } from './writer.ts'

const columns = 'id, account, display, plan, label, created, last_used, expires, revoked'
/** Texts as their octets: the library ends the process at one that is not UTF-8, as in a damaged file. */
const octets = ['id', 'account', 'display', 'plan', 'label'].map(name => `CAST(${name} AS BLOB)`).join(', ')
const row = `${octets}, created, last_used, expires, revoked`

export async function openKeyRows(reader: Reader, connection: WriteConnection, writer: Writer): Promise<KeyRows> {
  const byHash = reader.prepare(`SELECT ${row} FROM keys WHERE hash = ?`)
  const byId = reader.prepare(`SELECT ${row} FROM keys WHERE id = ?`)
  const all = reader.prepare(`SELECT ${row} FROM keys ORDER BY created, id`)
  const any = reader.prepare('SELECT 1 FROM keys LIMIT 1')
  const ofAccount = reader.prepare('SELECT 1 FROM keys WHERE account = ? LIMIT 1')
  const insert = await connection.prepare(`INSERT INTO keys (hash, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const expire = await connection.prepare('UPDATE keys SET expires = ? WHERE id = ?')
  const revoke = await connection.prepare('UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?')
  const touch = await connection.prepare('UPDATE keys SET last_used = max(?, coalesce(last_used, 0)) WHERE id = ?')
  const change = (work: () => void): Promise<void> => writer.transaction(work).catch(fail)

  return {
    byHash: hash => guarded(() => toKey(byHash.get(hash))),
    byId: id => guarded(() => toKey(byId.get(id))),
    all: () => guarded(() => all.all().flatMap(row => toKey(row) ?? [])),
    any: () => guarded(() => any.get() !== undefined),
    hasAccount: account => guarded(() => ofAccount.get(account) !== undefined),
    insert: (hash, key) => change(() => insert.run(hash, ...toValues(key))),
    insertFirst: (hash, key) => {
      const first = () => any.get() === undefined && insert.run(hash, ...toValues(key)).changes === 1
      return writer.transaction(first).catch(fail)
    },
    succeed: (id, expires, hash, key) =>
      change(() => {
        insert.run(hash, ...toValues(key))
        expire.run(expires.getTime(), id)
      }),
    revoke: (id, at) => change(() => revoke.run(at.getTime(), id)),
    touch: uses =>
      change(() => {
        for (const [id, at] of uses) touch.run(at, id)
      }),
  }
}

function toKey(row: Row | undefined): Key | null {
  if (row === undefined) return null
  const [id, account, display, plan, label, created, last_used, expires, revoked] = row
  return {
    id: String(id),
    account: String(account),
    display: String(display),
    plan: String(plan),
    label: String(label),
    created: storedTime(created),
    last_used: toDate(last_used),
    expires: toDate(expires),
    revoked: toDate(revoked),
  }
}

const toDate = (value: unknown): Date | null => (value === null ? null : storedTime(value))

function toValues(key: Key): Value[] {
  const times = [key.created, key.last_used, key.expires, key.revoked].map(date => date?.getTime() ?? null)
  return [key.id, key.account, key.display, key.plan, key.label, ...times]
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    return fail(cause)
  }
}

function fail(cause: unknown): never {
  throw new StoreError('key_store_error', `the keys cannot be reached: ${String(cause)}`, cause)
}
