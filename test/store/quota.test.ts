import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { createQuota, type Entry, type Ledger } from '../../src/store/embedded/quota.ts'
import { balanceAt, type Counts, periodKinds, spanOf, usedIn } from '../../src/store/quota_rule.ts'
import { type Grant, type Refusal, StoreError } from '../../src/store/store.ts'

const november = Date.parse('2026-11-01T00:00:00Z')
const december = Date.parse('2026-12-01T00:00:00Z')
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const monthly = (quota: number) => ({ quota, period: 'month' }) as const

/** A ledger in memory that counts its writes, and fails or dawdles on request. */
function memoryLedger(rows = new Map<string, Counts>()) {
  const ledger = { rows, reads: 0, writes: 0, fault: null as Error | null, read, record }
  function read(account: string): Counts | null {
    ledger.reads += 1
    return rows.get(account) ?? null
  }
  async function record(entries: readonly Entry[]): Promise<boolean[]> {
    ledger.writes += 1
    await new Promise(resolve => setImmediate(resolve))
    if (ledger.fault !== null) throw ledger.fault
    return entries.map(({ account, before, after }) => {
      if (!isDeepStrictEqual(read(account), before)) return false
      rows.set(account, after)
      return true
    })
  }
  return ledger satisfies Ledger
}

/** Counts of an account that used so much on the first day of a month. */
const counts = (start: number, used: number): Counts => ({ month: [start, used], day: [start, used] })

function setUp(now = november) {
  const clock = { now }
  const ledger = memoryLedger()
  return { clock, ledger, quota: createQuota(ledger, () => clock.now) }
}

function granted(answer: Grant | Refusal): Grant {
  assert.equal(answer.allowed, true)
  return answer as Grant
}

const isQuotaError = (error: unknown) => error instanceof StoreError && error.code === 'quota_store_error'

test('an answer counts once, and reports what is left until the month ends', async () => {
  const { quota } = setUp()
  const grant = granted(await quota.reserve('a', monthly(10)))
  assert.deepEqual(await grant.commit(), { limit: 10, used: 1, remaining: 9, reset: december / 1000 })
})

test('the last answer leaves nothing, and the next is refused', async () => {
  const { quota } = setUp()
  const grant = granted(await quota.reserve('a', monthly(1)))
  assert.equal((await grant.commit()).remaining, 0)
  assert.deepEqual(await quota.reserve('a', monthly(1)), {
    allowed: false,
    usage: { limit: 1, used: 1, remaining: 0, reset: december / 1000 },
  })
})

test('with 37 left, exactly 37 of 500 concurrent requests are answered, each with its own remainder', async () => {
  const { quota, ledger } = setUp()
  const answers = await Promise.all(Array.from({ length: 500 }, async () => quota.reserve('a', monthly(37))))
  const usages = await Promise.all(answers.map(answer => (answer.allowed ? answer.commit() : null)))
  const remaining = usages.flatMap(usage => usage?.remaining ?? [])
  assert.deepEqual(
    remaining,
    Array.from({ length: 37 }, (_, index) => 36 - index),
  )
  assert.deepEqual(ledger.rows.get('a'), counts(november, 37))
})

test('answers that arrive during a write share the next one', async () => {
  const { quota, ledger } = setUp()
  const commit = async () => granted(await quota.reserve('a', monthly(1000))).commit()
  const first = commit()
  while (ledger.writes === 0) await new Promise(resolve => setImmediate(resolve))
  await Promise.all([first, ...Array.from({ length: 99 }, commit)])
  assert.equal(ledger.writes, 2)
})

test('no answer is sent before its count is durable', async () => {
  const { quota, ledger } = setUp()
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const usage = await granted(await quota.reserve('a', monthly(1000))).commit()
      assert.ok((ledger.rows.get('a')?.month[1] ?? 0) >= usage.used)
    }),
  )
})

test('a failed request counts nothing and releases its reservation', async () => {
  const { quota, ledger } = setUp()
  const grant = granted(await quota.reserve('a', monthly(1)))
  assert.equal((await quota.reserve('a', monthly(1))).allowed, false)
  grant.release()
  grant.release()
  const next = granted(await quota.reserve('a', monthly(1)))
  assert.equal((await quota.reserve('a', monthly(1))).allowed, false)
  next.release()
  assert.equal((await quota.usage('a', monthly(1))).used, 0)
  assert.equal(ledger.writes, 0)
})

test('a release after the commit changes nothing, and nothing counts twice', async () => {
  const { quota } = setUp()
  const grant = granted(await quota.reserve('a', monthly(10)))
  await grant.commit()
  grant.release()
  await assert.rejects(grant.commit(), isQuotaError)
  assert.equal((await quota.usage('a', monthly(10))).used, 1)
  await Promise.all(Array.from({ length: 9 }, async () => granted(await quota.reserve('a', monthly(10))).commit()))
  assert.equal((await quota.reserve('a', monthly(10))).allowed, false)
})

test('a new month starts at zero, and a small clock correction does not leave it', async () => {
  const { quota, clock } = setUp(december - 1)
  const commit = async () => granted(await quota.reserve('a', monthly(2))).commit()
  await commit()
  await commit()
  assert.equal((await quota.reserve('a', monthly(2))).allowed, false)
  clock.now = december
  assert.deepEqual(await commit(), { limit: 2, used: 1, remaining: 1, reset: Date.parse('2027-01-01') / 1000 })
  clock.now = december - HOUR_MS
  assert.deepEqual(await commit(), { limit: 2, used: 2, remaining: 0, reset: Date.parse('2027-01-01') / 1000 })
  assert.equal((await quota.reserve('a', monthly(2))).allowed, false)
})

test('a clock that was far ahead leaves each month its own count', async () => {
  const { quota, clock } = setUp(november)
  const commit = async () => granted(await quota.reserve('a', monthly(5))).commit()
  await commit()
  await commit()
  clock.now = Date.parse('2038-01-19')
  assert.equal((await commit()).used, 1)
  clock.now = november + DAY_MS
  assert.deepEqual(await quota.usage('a', monthly(5)), { limit: 5, used: 2, remaining: 3, reset: december / 1000 })
  assert.equal((await commit()).used, 3)
  clock.now = Date.parse('2038-01-20')
  assert.equal((await commit()).used, 2)
  clock.now = november + 2 * DAY_MS
  assert.equal((await commit()).used, 4)
  clock.now = december
  assert.equal((await commit()).used, 1)
})

test('a clock set back before a restart grants nothing again: unknown usage is at least the usage since', async () => {
  const ledger = memoryLedger(new Map([['a', counts(december, 2)]]))
  const quota = createQuota(ledger, () => november)
  assert.deepEqual(await quota.usage('a', monthly(2)), { limit: 2, used: 2, remaining: 0, reset: december / 1000 })
})

test('a request reserved in one month and answered in the next counts in the next', async () => {
  const { quota, clock, ledger } = setUp(december - 1)
  const grant = granted(await quota.reserve('a', monthly(1)))
  clock.now = december
  assert.equal((await quota.reserve('a', monthly(1))).allowed, false)
  assert.equal((await grant.commit()).used, 1)
  assert.deepEqual(ledger.rows.get('a'), {
    month: [december, 1, november, 0],
    day: [december, 1, december - DAY_MS, 0],
  })
})

test('an answer counts in its day and in its month, whatever the period of the plan', async () => {
  const { quota, clock } = setUp(november)
  const daily = { quota: 5, period: 'day' } as const
  await granted(await quota.reserve('a', monthly(5))).commit()
  const usage = await granted(await quota.reserve('a', daily)).commit()
  assert.deepEqual(usage, { limit: 5, used: 2, remaining: 3, reset: (november + DAY_MS) / 1000 })
  clock.now = november + DAY_MS
  assert.equal((await granted(await quota.reserve('a', daily)).commit()).used, 1)
  assert.deepEqual(await quota.usage('a', monthly(5)), { limit: 5, used: 3, remaining: 2, reset: december / 1000 })
})

test('a plan smaller than the usage leaves zero, never less', async () => {
  const ledger = memoryLedger(new Map([['a', counts(november, 7)]]))
  const quota = createQuota(ledger, () => november)
  assert.equal((await quota.usage('a', monthly(5))).remaining, 0)
})

test('when the ledger fails, nothing is answered or counted, and the next request works', async () => {
  const { quota, ledger } = setUp()
  await granted(await quota.reserve('a', monthly(5))).commit()
  ledger.fault = new StoreError('quota_store_error', 'the disk is full')
  const grants = [granted(await quota.reserve('a', monthly(5))), granted(await quota.reserve('a', monthly(5)))]
  const later = granted(await quota.reserve('a', monthly(5)))
  for (const settled of await Promise.allSettled(grants.map(grant => grant.commit()))) {
    assert.ok(settled.status === 'rejected' && isQuotaError(settled.reason))
  }
  ledger.fault = null
  await assert.rejects(later.commit(), isQuotaError)
  assert.equal((await granted(await quota.reserve('a', monthly(5))).commit()).used, 2)
})

test('a counter changed by another process is not overwritten, and the others in the write are counted', async () => {
  const { quota, ledger } = setUp()
  await granted(await quota.reserve('a', monthly(5))).commit()
  ledger.rows.set('a', counts(november, 4))
  const [a, b] = [granted(await quota.reserve('a', monthly(5))), granted(await quota.reserve('b', monthly(5)))]
  const [first, second] = await Promise.allSettled([a.commit(), b.commit()])
  assert.ok(first?.status === 'rejected' && isQuotaError(first.reason))
  assert.equal(second?.status, 'fulfilled')
  assert.equal((await granted(await quota.reserve('a', monthly(5))).commit()).used, 5)
})

test('idle accounts are evicted when there are very many, those with a running request are not', async () => {
  const { quota, ledger } = setUp()
  const grant = granted(await quota.reserve('a', monthly(2)))
  for (let n = 0; n < 100_000; n++) await quota.usage(`idle-${n}`, monthly(2))
  const { reads } = ledger
  await quota.usage('idle-99999', monthly(2))
  assert.equal(ledger.reads, reads)
  await quota.usage('idle-0', monthly(2))
  assert.equal(ledger.reads, reads + 1)
  assert.equal((await grant.commit()).used, 1)
  const again = granted(await quota.reserve('a', monthly(2)))
  assert.equal((await quota.reserve('a', monthly(2))).allowed, false)
  again.release()
})

test('for any mix of answers and errors, usage equals the answers and never exceeds the limit', async () => {
  const steps = fc.array(fc.constantFrom('commit', 'release', 'hold'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20 }), steps, async (limit, moves) => {
      const { quota, ledger } = setUp()
      const held: Grant[] = []
      const settling: Promise<unknown>[] = []
      for (const move of moves) {
        const answer = await quota.reserve('a', monthly(limit))
        if (!answer.allowed) assert.equal(settling.length + held.length, limit)
        else if (move === 'commit') settling.push(answer.commit())
        else if (move === 'release') answer.release()
        else held.push(answer)
      }
      await Promise.all(settling)
      assert.equal(ledger.rows.get('a')?.month[1] ?? 0, settling.length)
      assert.ok(settling.length <= limit)
    }),
  )
})

test('no 24 hours hold more answers than a rolling quota, and each answer is available again within 25', async () => {
  const minutes = fc.array(fc.integer({ min: 0, max: 72 * 60 }), { maxLength: 80 })
  const rolling = { quota: 5, period: 'rolling_24h' } as const
  await fc.assert(
    fc.asyncProperty(minutes, async moments => {
      const { quota, clock } = setUp(november)
      const given: number[] = []
      for (const minute of moments.sort((a, b) => a - b)) {
        clock.now = november + minute * 60_000
        const answer = await quota.reserve('a', rolling)
        const since = (hours: number) => given.filter(at => at > clock.now - hours * HOUR_MS).length
        if (answer.allowed) {
          assert.ok(since(24) < 5)
          await answer.commit()
          given.push(clock.now)
        } else {
          assert.ok(since(25) >= 5)
          assert.ok(answer.usage.reset * 1000 > clock.now && answer.usage.reset * 1000 <= clock.now + 25 * HOUR_MS)
        }
      }
    }),
  )
})

test('a clock that jumps ahead removes no answer from any month, and grants none twice', async () => {
  const moments = fc.integer({ min: 0, max: 24 * 40 }).map(hours => november + hours * HOUR_MS)
  const wrong = Date.parse('2038-01-19')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(moments, fc.boolean()), { maxLength: 60 }), async given => {
      const { quota, clock } = setUp(november)
      const honest = new Map<string, number>()
      // Time passes; now and then the clock is far ahead for a moment.
      for (const [moment, isWrong] of [[november, false] as const, ...given.sort(([a], [b]) => a - b)]) {
        clock.now = isWrong ? wrong : moment
        const answer = await quota.reserve('a', monthly(9))
        if (isWrong) {
          if (answer.allowed) await answer.commit()
          continue
        }
        const month = new Date(clock.now).toISOString().slice(0, 7)
        const before = honest.get(month) ?? 0
        assert.equal(answer.allowed, before < 9, `${month}: ${before}`)
        if (answer.allowed) assert.equal((await answer.commit()).used, before + 1)
        if (answer.allowed) honest.set(month, before + 1)
      }
    }),
  )
})

test('a balance of an earlier time can be carried to now, and no count gets lower', () => {
  const moment = fc.integer({ min: 0, max: 4e12 })
  fc.assert(
    fc.property(moment, moment, fc.nat(), (before, now, used) => {
      for (const kind of periodKinds) {
        const [former = 0] = balanceAt(kind, null, before)
        const [start = 0, current, ...past] = balanceAt(kind, [former, used], now)
        assert.equal(usedIn(kind, [start, current ?? 0, ...past]), start <= former + spanOf(kind) ? used : 0)
        assert.deepEqual(past, start === former ? [] : [former, used])
        assert.ok(start <= now + HOUR_MS)
      }
    }),
  )
})
