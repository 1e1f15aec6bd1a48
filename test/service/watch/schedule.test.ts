// When watches check and deliver, as pure functions.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everyText, nextAttempt, nextCheck, RETRY_MS, readEvery } from '../../../src/service/watch/schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('an interval', () => {
  const read: readonly (readonly [text: string, ms: number | null])[] = [
    ['30m', 30 * MINUTE],
    ['6h', 6 * HOUR],
    ['1d', 24 * HOUR],
    ['90m', 90 * MINUTE],
    ['0h', null],
    ['6', null],
    ['6 h', null],
    ['6H', null],
    ['1.5h', null],
    ['-6h', null],
    ['999999h', null],
    ['6hours', null],
    ['every 6h', null],
    ['', null],
  ]
  for (const [text, ms] of read) it(`reads "${text}" as ${ms}`, () => assert.equal(readEvery(text), ms))

  it('is written in the largest unit that fits', () => {
    assert.deepEqual(
      [60, 90, 360, 1_440, 2_880].map(minutes => everyText(minutes * MINUTE)),
      ['1h', '90m', '6h', '1d', '2d'],
    )
  })
})

describe('the next check', () => {
  it('follows the one before it, give or take a twentieth', () => {
    const next = [0, 0.5, 1].map(random => nextCheck(0, 100 * MINUTE, 5_000, random))
    assert.deepEqual(next, [95 * MINUTE, 100 * MINUTE, 105 * MINUTE])
  })

  it('comes a whole interval after a check that stood for several missed ones', () => {
    const next = [0.5, 1].map(random => nextCheck(0, 100 * MINUTE, 100 * HOUR, random))
    assert.deepEqual(next, [100 * HOUR + 100 * MINUTE, 100 * HOUR + 105 * MINUTE])
  })

  it('comes an interval after now when a clock that was ahead had planned the one before', () => {
    assert.equal(nextCheck(10_000 * HOUR, HOUR, 100 * HOUR, 0.5), 101 * HOUR)
  })
})

describe('a delivery that fails', () => {
  it('is tried ten times within some three days', () => {
    const waits = RETRY_MS.map((_, failed) => nextAttempt(failed, 0, 0.5))
    assert.deepEqual(waits, [...RETRY_MS])
    const hours = RETRY_MS.reduce((sum, ms) => sum + ms, 0) / HOUR
    assert.deepEqual([RETRY_MS.length, Math.round(hours)], [10, 76])
    assert.equal(nextAttempt(10, 0, 0.5), null)
  })

  it('varies its waits by a tenth', () => {
    assert.deepEqual(
      [0, 1].map(random => nextAttempt(2, 1_000, random)),
      [1_000 + 4.5 * MINUTE, 1_000 + 5.5 * MINUTE],
    )
  })

  it('waits as long as the receiver asks, up to an hour', () => {
    assert.deepEqual([nextAttempt(1, 0, 0.5, 90_000), nextAttempt(1, 0, 0.5, 99 * HOUR)], [90_000, HOUR])
  })
})
