import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketEnd, bucketStart } from '../../src/config/quota_rule.ts'

const cases = [
  ['month', '2026-11-21T09:30:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['month', '2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['month', '2026-11-30T23:59:59.999Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['month', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', '2027-01-31T12:00:00Z', '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
  ['day', '2026-11-21T09:30:00Z', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'],
  ['day', '2026-12-31T23:59:59.999Z', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['day', '2028-02-28T00:00:00Z', '2028-02-28T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['rolling_24h', '2026-11-21T09:30:00Z', '2026-11-21T09:00:00Z', '2026-11-22T10:00:00Z'],
  ['rolling_24h', '2026-12-31T23:00:00Z', '2026-12-31T23:00:00Z', '2027-01-02T00:00:00Z'],
  ['rolling_30d', '2026-11-21T09:30:00Z', '2026-11-21T00:00:00Z', '2026-12-22T00:00:00Z'],
  ['rolling_30d', '2028-02-01T23:59:59.999Z', '2028-02-01T00:00:00Z', '2028-03-03T00:00:00Z'],
] as const

for (const [kind, at, start, end] of cases) {
  test(`an answer at ${at} counts in the ${kind} period from ${start}, until ${end}`, () => {
    assert.equal(bucketStart(kind, Date.parse(at)), Date.parse(start))
    assert.equal(bucketEnd(kind, Date.parse(at)), Date.parse(end))
  })
}

test('an invalid date has no period', () => {
  assert.equal(bucketStart('month', Number.MAX_SAFE_INTEGER), Number.NaN)
})
