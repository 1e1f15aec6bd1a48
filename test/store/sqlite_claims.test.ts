// The file that holds the claims of one machine.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import Direct from 'libsql'
import type { Database } from '../../src/store/sql/database.ts'
import { emptyClaims, openSqliteClaims } from '../../src/store/sql/sqlite/claims.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const LIMITS = { at_once: 1, per_second: 9, waiting: 9, key_at_once: 9, key_per_second: 9 }
const request = { flight: 'f', target: 'a.com', key: 'k', background: false, fresh: false }

async function claimsIn(t: TestContext, directory: string, patience = 30_000) {
  const database = {} as Pick<Database, 'read'>
  const claims = await openSqliteClaims({ directory, database, owner: 'o', limits: LIMITS, patience_ms: patience })
  t.after(() => claims.close())
  return claims
}

/** Another process, which begins a transaction. */
function busyProcess(t: TestContext, directory: string): Direct.Database {
  const other = new Direct(join(directory, 'claims.db'))
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  return other
}

describe('the claims of a machine', () => {
  it('are readable by their owner only, and shared by all who open them', async t => {
    const directory = temporaryDirectory()
    const path = join(directory, 'claims.db')
    const first = await claimsIn(t, directory)
    assert.equal((await first.claim({ ...request, id: '1' })).state, 'running')
    chmodSync(path, 0o644)
    const second = await claimsIn(t, directory)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal((await second.claim({ ...request, id: '2' })).leader, '1')
  })

  it('wait while another process has a transaction', async t => {
    const directory = temporaryDirectory()
    const claims = await claimsIn(t, directory)
    const other = busyProcess(t, directory)
    const claim = claims.claim({ ...request, id: '1' })
    assert.equal((await claims.renew([], ['1'])).size, 0)
    other.exec('COMMIT')
    assert.equal((await claim).state, 'running')
  })

  it('are unavailable when another process does not end its transaction in time', async t => {
    const directory = temporaryDirectory()
    const claims = await claimsIn(t, directory, 0)
    const other = busyProcess(t, directory)
    const path = join(directory, 'claims.db')
    await assert.rejects(claims.claim({ ...request, id: '1' }), {
      code: 'store_unavailable',
      message: `cannot use ${path}: Error: another process did not end its transaction in time`,
    })
    other.exec('COMMIT')
    assert.equal((await claims.claim({ ...request, id: '1' })).state, 'running')
  })

  it('are gone when the file is emptied, and unavailable when it is closed', async t => {
    const directory = temporaryDirectory()
    const claims = await claimsIn(t, directory)
    await claims.claim({ ...request, id: '1' })
    await claims.close()
    await assert.rejects(claims.claim({ ...request, id: '2' }), { code: 'store_unavailable', message: /not open/ })
    emptyClaims(directory)
    assert.equal(existsSync(join(directory, 'claims.db')), false)
  })

  for (const [title, make, message] of [
    ['is a directory', (path: string) => mkdirSync(path, { recursive: true }), /unable to open/i],
    ['has no directory', () => {}, /ENOENT/],
  ] as const)
    it(`are unavailable when their file ${title}`, async () => {
      const directory = join(temporaryDirectory(), 'data')
      make(join(directory, 'claims.db'))
      const options = { directory, database: {} as Database, owner: 'o', limits: LIMITS, patience_ms: 0 }
      await assert.rejects(openSqliteClaims(options), { code: 'store_unavailable', message })
    })
})
