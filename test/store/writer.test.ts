import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Direct from 'libsql'
import { createWriter, openWriteConnection, patience_ms } from '../../src/store/embedded/connection.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

/** A connection that only writes down what it is asked, and fails where told to; another holds it for `busy` looks. */
function recorder(failing: (sql: string) => boolean = () => false, busy = 0) {
  const log: string[] = []
  let open = false
  return {
    log,
    prepare: () => assert.fail('nothing is prepared here'),
    begin() {
      log.push('BEGIN IMMEDIATE')
      if (failing('BEGIN IMMEDIATE')) throw new Error('BEGIN IMMEDIATE failed')
      open = busy-- <= 0
      return open
    },
    inTransaction: () => open,
    close: () => log.push('close'),
    async exec(sql: string) {
      log.push(sql)
      await new Promise(resolve => setImmediate(resolve))
      if (failing(sql)) throw new Error(`${sql} failed`)
      open = false
    },
  }
}

test('transactions run one after the other, and closing waits for the last', async () => {
  const connection = recorder()
  const writer = createWriter(connection, patience_ms.server)
  const results = ['a', 'b'].map(name => writer.transaction(() => connection.log.push(name) && name))
  await writer.close()
  assert.deepEqual(await Promise.all(results), ['a', 'b'])
  assert.deepEqual(connection.log, ['BEGIN IMMEDIATE', 'a', 'COMMIT', 'BEGIN IMMEDIATE', 'b', 'COMMIT', 'close'])
})

test('work that throws is rolled back, and the next transaction runs', async () => {
  const connection = recorder()
  const writer = createWriter(connection, patience_ms.server)
  const failed = writer.transaction(() => assert.fail('no'))
  await assert.rejects(failed, /no/)
  assert.equal(await writer.transaction(() => 1), 1)
  assert.deepEqual(connection.log, ['BEGIN IMMEDIATE', 'ROLLBACK', 'BEGIN IMMEDIATE', 'COMMIT'])
})

test('a commit that fails is rolled back and reported', async () => {
  let broken = true
  const connection = recorder(sql => sql === 'COMMIT' && broken)
  const writer = createWriter(connection, patience_ms.server)
  await assert.rejects(
    writer.transaction(() => 1),
    /COMMIT failed/,
  )
  broken = false
  assert.equal(await writer.transaction(() => 2), 2)
  assert.deepEqual(connection.log, ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK', 'BEGIN IMMEDIATE', 'COMMIT'])
})

test('work does not start if the transaction cannot', async () => {
  const connection = recorder(sql => sql === 'BEGIN IMMEDIATE')
  const writer = createWriter(connection, patience_ms.server)
  await assert.rejects(
    writer.transaction(() => connection.log.push('work')),
    /BEGIN IMMEDIATE failed/,
  )
  assert.deepEqual(connection.log, ['BEGIN IMMEDIATE'])
})

test('a transaction of another process is waited for', async () => {
  const connection = recorder(undefined, 2)
  const writer = createWriter(connection, patience_ms.server)
  assert.equal(await writer.transaction(() => 1), 1)
  assert.deepEqual(connection.log, ['BEGIN IMMEDIATE', 'BEGIN IMMEDIATE', 'BEGIN IMMEDIATE', 'COMMIT'])
})

test('a transaction of another process is not waited for forever', async () => {
  const connection = recorder(undefined, Number.POSITIVE_INFINITY)
  const writer = createWriter(connection, 5)
  await assert.rejects(
    writer.transaction(() => connection.log.push('work')),
    /did not end/,
  )
  assert.ok(connection.log.every(line => line === 'BEGIN IMMEDIATE'))
})

test('a transaction on a closed connection is an error, and the process continues', async () => {
  const connection = await openWriteConnection(join(temporaryDirectory(), 'a.db'))
  const writer = createWriter(connection, patience_ms.server)
  await writer.close()
  await assert.rejects(
    writer.transaction(() => 1),
    { message: 'the connection is closed' },
  )
  assert.equal(connection.inTransaction(), false)
})

test('a file that another connection holds for a moment is opened, and transactions then wait for no lock', async () => {
  const path = join(temporaryDirectory(), 'a.db')
  const other = new Direct(path)
  other.exec('PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b)')
  setTimeout(() => other.close(), 50)
  const connection = await openWriteConnection(path)
  const holder = new Direct(path)
  holder.exec('BEGIN IMMEDIATE')
  assert.equal(connection.begin(), false)
  holder.close()
  assert.equal(connection.begin(), true)
  connection.close()
})
