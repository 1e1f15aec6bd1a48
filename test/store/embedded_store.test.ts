import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Database from 'libsql'
import { openKeyFile, openStore } from '../../src/store/embedded/embedded_store.ts'
import { schema_version } from '../../src/store/embedded/migrations.ts'
import { type Store, StoreError, type StoreErrorCode } from '../../src/store/store.ts'
import { freshDirectory } from './fresh_directory.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const plan = { quota: 10_000, period: 'month' } as const
const order = { plan: 'startup', label: 'shop' }

async function open(t: TestContext, directory: string): Promise<Store> {
  const store = await openStore({ directory })
  t.after(() => store.close())
  return store
}

async function charge({ quota }: Store, account = 'acc_a') {
  const grant = await quota.reserve(account, plan)
  if (!grant.allowed) assert.fail('the quota is used up')
  return grant.commit()
}

const withCode = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code

/** A closed store with one key and 20 counted answers. */
async function usedStore(t: TestContext): Promise<string> {
  const directory = freshDirectory(t)
  const store = await openStore({ directory })
  await store.keys.create(order)
  for (let n = 0; n < 20; n++) await charge(store)
  await store.close()
  return directory
}

/** Changes the file as an outsider would. */
function tamper(directory: string, sql: string): void {
  const database = new Database(join(directory, 'assay.db'))
  database.exec(sql)
  database.close()
}

test('counts and keys survive the process', async t => {
  const directory = await usedStore(t)
  const store = await open(t, directory)
  assert.equal((await store.quota.usage('acc_a', plan)).used, 20)
  assert.equal((await store.keys.list()).length, 1)
})

test('after closing, the single file is a complete backup', async t => {
  const [directory, copy] = [await usedStore(t), freshDirectory(t)]
  mkdirSync(copy)
  writeFileSync(join(copy, 'assay.db'), readFileSync(join(directory, 'assay.db')))
  const store = await open(t, copy)
  assert.equal((await store.quota.usage('acc_a', plan)).used, 20)
  assert.equal((await store.keys.list()).length, 1)
})

test('with 37 left, exactly 37 of 500 concurrent requests are answered, even after a restart', async t => {
  const directory = await usedStore(t)
  const store = await open(t, directory)
  const allowance = { quota: 57, period: 'month' } as const
  const answers = await Promise.all(Array.from({ length: 500 }, async () => store.quota.reserve('acc_a', allowance)))
  await Promise.all(answers.map(answer => (answer.allowed ? answer.commit() : null)))
  assert.equal(answers.filter(({ allowed }) => allowed).length, 37)
  await store.close()
  const again = await open(t, directory)
  assert.equal((await again.quota.reserve('acc_a', allowance)).allowed, false)
})

test('the directory and its files are private to their owner', async t => {
  const directory = freshDirectory(t)
  const store = await open(t, directory)
  await charge(store)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  const files = readdirSync(directory).sort()
  assert.deepEqual(files, ['assay.db', 'assay.db-shm', 'assay.db-wal', 'assay.lock'])
  for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
})

test('no file contains the text of a key', async t => {
  const directory = freshDirectory(t)
  const store = await open(t, directory)
  const { text } = await store.keys.create(order)
  for (const file of readdirSync(directory)) assert.ok(!readFileSync(join(directory, file)).includes(text), file)
})

test('a directory serves one store at a time, and another after it is closed', async t => {
  const directory = freshDirectory(t)
  const store = await open(t, directory)
  await assert.rejects(openStore({ directory }), withCode('store_in_use'))
  await assert.rejects(openStore({ directory }), withCode('store_in_use'))
  await store.close()
  await open(t, directory)
})

test('a directory stays locked while its process runs, also when nothing refers to its store', async t => {
  const directory = freshDirectory(t)
  await (async () => (await openStore({ directory })).quota.usage('acc_a', plan))()
  for (let n = 0; n < 3; n++) {
    collectGarbage()
    await pause(1)
  }
  await assert.rejects(openStore({ directory }), withCode('store_in_use'))
})

test('keys can be created and revoked beside a running server, which continues counting', async t => {
  const directory = freshDirectory(t)
  const store = await open(t, directory)
  const counting = Promise.all(Array.from({ length: 200 }, () => charge(store)))
  const file = await openKeyFile({ directory })
  const { key } = await file.keys.create(order)
  await file.keys.revoke(key.id)
  await file.close()
  assert.equal((await counting).at(-1)?.used, 200)
  assert.deepEqual(
    (await store.keys.list()).map(({ id }) => id),
    [key.id],
  )
})

test('two stores created at once in one directory are one store', async t => {
  const directory = freshDirectory(t)
  const files = await Promise.all([openKeyFile({ directory }), openKeyFile({ directory })])
  for (const { keys } of files) await keys.create(order)
  assert.equal((await files[0].keys.list()).length, 2)
  for (const file of files) await file.close()
})

for (const garbage of [
  "json_set(counts, '$.month[1]', -5)",
  "json_set(counts, '$.month[1]', 9223372036854775807)",
  "json_set(counts, '$.month[1]', 'abc')",
  "json_set(counts, '$.month[0]', 12345)",
  "json_set(counts, '$.month[0]', -1)",
  "json_set(counts, '$.day[1]', -1)",
  "json_set(counts, '$.day[0]', 12345)",
  "json_set(counts, '$.month[2]', 5)",
  "json_set(counts, '$.day[2]', -1, '$.day[3]', 3)",
  "json_set(counts, '$.rolling_24h', json('[]'))",
  "json_set(counts, '$.rolling_24h', json('[12345, 1]'))",
  "json_remove(counts, '$.day')",
  "'{'",
  "'null'",
  "CAST(x'ff' AS TEXT)",
]) {
  test(`a stored counter of ${garbage} is an error for its account alone, never a fresh quota`, async t => {
    const directory = await usedStore(t)
    tamper(directory, `UPDATE quota SET counts = ${garbage}`)
    const store = await open(t, directory)
    assert.throws(() => store.quota.reserve('acc_a', plan), withCode('quota_store_error'))
    assert.throws(() => store.quota.usage('acc_a', plan), withCode('quota_store_error'))
    assert.equal((await charge(store, 'acc_b')).used, 1)
  })
}

test('a counter changed under a running server is an error, and is then read again', async t => {
  const directory = await usedStore(t)
  const store = await open(t, directory)
  assert.equal((await charge(store)).used, 21)
  const change = (value: string) => tamper(directory, `UPDATE quota SET counts = ${value}`)
  change("replace(json_set(counts, '$.month[1]', 500), ',', ', ')")
  await assert.rejects(charge(store), withCode('quota_store_error'))
  assert.equal((await charge(store)).used, 501)
  change("json_set(counts, '$.month[1]', -1)")
  await assert.rejects(charge(store), withCode('quota_store_error'))
  await assert.rejects(charge(store), withCode('quota_store_error'))
})

test('a counter that is damaged under a running server fails alone', async t => {
  const directory = await usedStore(t)
  const store = await open(t, directory)
  assert.equal((await charge(store, 'acc_b')).used, 1)
  tamper(directory, "UPDATE quota SET counts = '{' WHERE account = 'acc_a'")
  const [damaged, sound] = await Promise.allSettled([charge(store), charge(store, 'acc_b')])
  assert.ok(damaged.status === 'rejected' && withCode('quota_store_error')(damaged.reason))
  assert.ok(sound.status === 'fulfilled' && sound.value.used === 2)
})

test('a missing table is a distinct error, not an answer', async t => {
  const directory = await usedStore(t)
  const store = await open(t, directory)
  tamper(directory, 'DROP TABLE quota; DROP TABLE keys; DROP TABLE accounts')
  await assert.rejects(charge(store), withCode('quota_store_error'))
  await assert.rejects(store.keys.create(order), withCode('key_store_error'))
  await assert.rejects(store.keys.list(), withCode('key_store_error'))
})

const damages: Readonly<Record<string, (path: string) => void>> = {
  'is empty': path => truncateSync(path, 0),
  'is cut within its header': path => truncateSync(path, 50),
  'is cut after its first page': path => truncateSync(path, 4096),
  'lacks its last page': path => truncateSync(path, statSync(path).size - 4096),
  'has another header': path => overwrite(path, 0, Buffer.from('SQLite format 4')),
  'is not a database': path => writeFileSync(path, 'a text\n'.repeat(2_000)),
  'has noise for pages': path => overwrite(path, 4096, Buffer.alloc(statSync(path).size - 4096, 0xa5)),
  'lacks a table': path => tamper(join(path, '..'), 'ALTER TABLE quota RENAME TO other'),
  'has a version of nobody': path => tamper(join(path, '..'), 'PRAGMA user_version = 0'),
}

for (const [damage, inflict] of Object.entries(damages)) {
  test(`a store that ${damage} is refused with a clear error and left unchanged`, async t => {
    const directory = await usedStore(t)
    const path = join(directory, 'assay.db')
    tamper(directory, 'PRAGMA wal_checkpoint(TRUNCATE)')
    inflict(path)
    const before = readFileSync(path)
    await assert.rejects(openStore({ directory }), withCode('store_damaged'))
    await assert.rejects(openKeyFile({ directory }), withCode('store_damaged'))
    assert.deepEqual(readFileSync(path), before)
  })
}

test('text that is not valid UTF-8 affects only its own field', async t => {
  const directory = await usedStore(t)
  tamper(directory, `UPDATE keys SET label = CAST(X'41FF42' AS TEXT); UPDATE accounts SET plan = CAST(X'C0' AS TEXT)`)
  const store = await open(t, directory)
  assert.deepEqual(
    (await store.keys.list()).map(({ label, plan }) => [label, plan]),
    [['A\ufffdB', '\ufffd']],
  )
})

test('a damaged time is read as 1970 and ends its key, also as JSON', async t => {
  const directory = await usedStore(t)
  for (const field of ['created', 'expires', 'revoked']) {
    tamper(directory, `UPDATE keys SET ${field} = 9000000000000000000`)
  }
  const store = await open(t, directory)
  const [key] = JSON.parse(JSON.stringify(await store.keys.list()))
  const first = '1970-01-01T00:00:00.000Z'
  assert.deepEqual([key.created, key.expires, key.revoked], [first, first, first])
})

test('a store with any bit inverted is either refused or works', async t => {
  const directory = await usedStore(t)
  const database = readFileSync(join(directory, 'assay.db'))
  // A prime, so that the places are spread over the pages and the octet's bits.
  for (let bit = 0; bit < database.length * 8; bit += 2_503) {
    const changed = Buffer.from(database)
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    const copy = freshDirectory(t)
    mkdirSync(copy)
    writeFileSync(join(copy, 'assay.db'), changed)
    const store = await openStore({ directory: copy }).catch((error: unknown) => error)
    if (store instanceof Error) assert.equal((store as StoreError).name, 'StoreError', `bit ${bit}: ${store}`)
    else {
      const { keys, close } = store as Store
      await keys.list()
      await close()
    }
  }
})

test('a store of a later release is refused', async t => {
  const directory = await usedStore(t)
  tamper(directory, `PRAGMA user_version = ${schema_version + 1}`)
  await assert.rejects(openStore({ directory }), withCode('store_too_new'))
})

test('a log without its database is refused, because a new database would discard it', async t => {
  const directory = freshDirectory(t)
  mkdirSync(directory)
  writeFileSync(join(directory, 'assay.db-wal'), 'left behind')
  await assert.rejects(openStore({ directory }), withCode('store_damaged'))
})

test('a lock file with content is refused by name, and the store works after its removal', async t => {
  const directory = await usedStore(t)
  const lock = join(directory, 'assay.lock')
  writeFileSync(lock, Buffer.alloc(4_096, 'x'))
  await assert.rejects(openStore({ directory }), {
    code: 'store_unavailable',
    message: `${lock} is not a lock file. It holds no data: remove it while no process serves from this directory.`,
  })
  rmSync(lock)
  assert.equal((await (await open(t, directory)).keys.list()).length, 1)
})

test('a data directory that is a file is refused', async t => {
  const directory = freshDirectory(t)
  writeFileSync(directory, '')
  await assert.rejects(openStore({ directory }), withCode('store_unavailable'))
})

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const content = readFileSync(path)
  bytes.copy(content, offset)
  writeFileSync(path, content)
}
