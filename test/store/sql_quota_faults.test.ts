// What a quota answers while its database takes too long or fails.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Usage } from '../../src/config/quota_rule.ts'
import type { Database } from '../../src/store/sql/database.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { type Refusal, StoreError } from '../../src/store/store.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const NOVEMBER = Date.parse('2026-11-01T00:00:00Z')
const monthly = (quota: number) => ({ quota, period: 'month' }) as const
const quotaError = (message: string) => ({ name: 'StoreError', code: 'quota_store_error', message })
const LATE = quotaError('the database takes too long to count answers')

/** How the charges have ended so far. */
function endsOf(charges: readonly Promise<Usage | Refusal>[]): readonly unknown[] {
  const ends: unknown[] = charges.map(() => 'waits')
  for (const [at, charge] of charges.entries()) {
    charge.then(
      answer => {
        ends[at] = 'used' in answer ? answer.used : 'refused'
      },
      (fault: Error) => {
        ends[at] = fault.message
      },
    )
  }
  return ends
}

async function turns(): Promise<void> {
  for (let left = 20; left > 0; left--) await turn()
}

/** Resolves `reached` when it is awaited, and stops there until `open` is called. */
function createGate() {
  let [reach, open] = [() => {}, () => {}]
  const reached = new Promise<void>(resolve => {
    reach = resolve
  })
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const pass = () => {
    reach()
    return opened
  }
  return { reached, pass, open }
}

describe('a quota', () => {
  let database: Database
  before(async () => {
    database = await openSqlite({ directory: temporaryDirectory(), patience_ms: PATIENCE_MS.command })
  })
  after(() => database.close())

  /** A quota whose transactions are run by `transaction`. */
  const quotaWith = (transaction: (run: () => Promise<unknown>) => Promise<unknown>) => {
    const around = (work: Parameters<Database['transaction']>[0]) => transaction(() => database.transaction(work))
    return createQuota({ ...database, transaction: around as Database['transaction'] }, () => NOVEMBER)
  }

  for (const [where, counted] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    it(`refuses what waits for five seconds when a transaction halts ${where} its work, and does not count it later`, async t => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const gate = createGate()
      const quota = quotaWith(async run => {
        if (where === 'before') await gate.pass()
        const value = await run()
        if (where === 'after') await gate.pass()
        return value
      })
      const [account, other] = [`acc_${where}`, `acc_other_${where}`]
      const first = quota.charge(account, monthly(1))
      await gate.reached
      const ends = endsOf([first, quota.charge(account, monthly(1)), quota.charge(other, monthly(9))])
      t.mock.timers.tick(4_999)
      await turns()
      assert.deepEqual(ends, ['waits', 'waits', 'waits'])
      assert.equal(quota.refusal(account, monthly(1)), null)
      t.mock.timers.tick(1)
      await turns()
      assert.deepEqual(ends, [LATE.message, LATE.message, LATE.message])
      assert.throws(() => quota.refusal(account, monthly(1)), LATE)
      await assert.rejects(quota.charge(account, monthly(1)), LATE)
      gate.open()
      await quota.drain()
      assert.equal(quota.refusal(account, monthly(1)), null)
      const later = endsOf([quota.charge(account, monthly(9)), quota.charge(other, monthly(9))])
      await quota.drain()
      assert.deepEqual(later, [counted + 1, 1])
    })
  }

  const stored = new StoreError('store_unavailable', 'The disk is full.')
  const failures = [
    ['before its work', new Error('no space'), 'the answers cannot be counted durably: Error: no space'],
    ['after its work', new Error('no space'), 'the answers cannot be counted durably: Error: no space'],
    ['after its work', stored, 'The disk is full.'],
  ] as const
  for (const [at, [where, fault, message]] of failures.entries()) {
    it(`refuses what a transaction that fails ${where} would have counted, and no more: ${fault.message}`, async () => {
      const gate = createGate()
      let isSound = true
      const quota = quotaWith(async run => {
        if (isSound) return run()
        isSound = true
        if (where === 'after its work') await run()
        await gate.pass()
        throw fault
      })
      const [account, later] = [`acc_failed_${at}`, `acc_later_${at}`]
      await quota.charge(account, monthly(1))
      assert.notEqual(quota.refusal(account, monthly(1)), null)
      isSound = false
      const failed = quota.charge(account, monthly(9))
      await gate.reached
      const ends = endsOf([failed, quota.charge(later, monthly(9))])
      gate.open()
      await quota.drain()
      assert.deepEqual(ends, [message, where === 'after its work' ? 1 : message])
      assert.equal(quota.refusal(account, monthly(1)), null)
      if (fault === stored) await assert.rejects(failed, stored)
      else await assert.rejects(failed, { ...quotaError(message), cause: fault })
    })
  }

  it('refuses by a known use for a minute after it was last read or written', async t => {
    const quota = createQuota(database, () => NOVEMBER)
    const start = Math.ceil(performance.now())
    let passed = 0
    t.mock.method(performance, 'now', () => start + passed)
    const refuses = (after: number) => {
      passed = after
      return quota.refusal('acc_minute', monthly(1)) !== null
    }
    await quota.charge('acc_minute', monthly(1))
    assert.deepEqual([refuses(60_000), refuses(60_001)], [true, false])
    await quota.charge('acc_minute', monthly(1))
    assert.deepEqual([refuses(120_001), refuses(120_002)], [true, false])
    await quota.usage('acc_minute', monthly(1))
    assert.deepEqual([refuses(180_002), refuses(180_003)], [true, false])
  })

  it('names the fault when the counters cannot be read', async () => {
    const closed = await openSqlite({ directory: temporaryDirectory(), patience_ms: PATIENCE_MS.command })
    await closed.close()
    const usage = createQuota(closed, () => NOVEMBER).usage('acc_unread', monthly(1))
    await assert.rejects(usage, { code: 'quota_store_error', message: /^the quota counters cannot be read: \w/ })
  })
})
