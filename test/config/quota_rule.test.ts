import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Balance,
  balanceAt,
  bucketEnd,
  bucketStart,
  type Counts,
  countMore,
  hasRoom,
  type PeriodKind,
  readBalance,
  stableSpan,
  usageAt,
} from '../../src/config/quota_rule.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const NOVEMBER = Date.parse('2026-11-01T00:00:00Z')
const DECEMBER = Date.parse('2026-12-01T00:00:00Z')
/** The start of a day of November 2026, and of an hour of its first days. */
const day = (of: number) => NOVEMBER + (of - 1) * DAY_MS
const hour = (of: number) => NOVEMBER + of * HOUR_MS

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

const everyHour = Array.from({ length: 26 }, (_, at) => [hour(30 - at), 1]).flat()
const balances: readonly (readonly [
  title: string,
  kind: PeriodKind,
  stored: Balance | null,
  now: number,
  expected: Balance,
])[] = [
  ['nothing is stored', 'month', null, day(21), [NOVEMBER, 0]],
  ['the next day begins', 'day', [day(20), 5], day(21), [day(21), 0, day(20), 5]],
  ['the day before yesterday is dropped', 'day', [day(20), 1, day(19), 5], day(21), [day(21), 0, day(20), 1]],
  ['the clock lags by an hour', 'day', [day(21), 1, day(20), 5], day(21) - HOUR_MS, [day(21), 1, day(20), 5]],
  ['the clock lags by more', 'day', [day(21), 1, day(20), 5], day(21) - HOUR_MS - 1, [day(20), 5, day(21), 1]],
  ['the clock is before all days', 'day', [day(21), 1, day(20), 5], day(19), [day(19), 1, day(21), 1]],
  [
    'the clock is in a gap of a window',
    'rolling_24h',
    [hour(60), 9, hour(40), 3, hour(30), 4],
    hour(35),
    [hour(35), 0, hour(60), 9, hour(40), 3, hour(30), 4],
  ],
  [
    'the clock returns to an hour of a window',
    'rolling_24h',
    [hour(30), 2, hour(29), 3, hour(20), 4],
    hour(20),
    [hour(20), 4, hour(30), 2, hour(29), 3],
  ],
  ['a window is full', 'rolling_24h', everyHour, hour(31), [hour(31), 0, ...everyHour.slice(0, 50)]],
  [
    'the clock is before a window, all of which still counts',
    'rolling_24h',
    [hour(30), 2, hour(29), 3],
    hour(6),
    [hour(6), 0, hour(30), 2, hour(29), 3],
  ],
  [
    'the clock is before a window, some of which no longer counts',
    'rolling_24h',
    [hour(30), 2, hour(29), 3],
    hour(5),
    [hour(5), 2, hour(30), 2, hour(29), 3],
  ],
  [
    'the clock is before a window, and more counts than before',
    'rolling_24h',
    [hour(40), 2, hour(10), 4],
    hour(8),
    [hour(8), 0, hour(40), 2, hour(10), 4],
  ],
]

for (const [title, kind, stored, now, expected] of balances) {
  test(`the answers of a ${kind} period stay where they were counted when ${title}`, () => {
    assert.deepEqual(balanceAt(kind, stored, now), expected)
  })
}

/** Counts of a month and a day, both of which began by `of` November. */
const countsOn = (of: number, month: number, today: number): Counts => ({
  month: [NOVEMBER, month],
  day: [day(of), today],
})

const plans: readonly (readonly [title: string, counts: Counts, now: number, period: PeriodKind, used: number])[] = [
  ['a new 24-hour plan has used what the day has', countsOn(2, 7, 4), day(2) + HOUR_MS, 'rolling_24h', 4],
  ['a new 24-hour plan has used what a month of less than a day has', countsOn(1, 7, 4), hour(23), 'rolling_24h', 7],
  ['a new 30-day plan has used what the month has', countsOn(21, 7, 4), day(21), 'rolling_30d', 7],
  [
    'a new 30-day plan has used what the month has on its 31st day',
    { month: [Date.parse('2026-10-01'), 9], day: [Date.parse('2026-10-31'), 3] },
    Date.parse('2026-10-31'),
    'rolling_30d',
    9,
  ],
  ['a daily plan has used what the month has on its first day', countsOn(1, 7, 4), hour(5), 'day', 7],
  ['a daily plan has used no more than the day has later', countsOn(2, 7, 4), day(2), 'day', 4],
  ['a monthly plan has used at least what the day has', countsOn(2, 3, 4), day(2), 'month', 4],
  [
    'a window that has more than the day keeps it',
    { ...countsOn(3, 7, 4), rolling_24h: [day(3), 4, day(2), 2] },
    day(3),
    'rolling_24h',
    6,
  ],
  [
    'a window that has less than the day gets what is missing',
    { ...countsOn(3, 7, 4), rolling_24h: [day(3), 1, day(2), 2, day(2) - HOUR_MS, 9] },
    day(3),
    'rolling_24h',
    4,
  ],
]

for (const [title, counts, now, period, used] of plans) {
  test(title, () => {
    assert.equal(usageAt({ quota: 9, period }, counts, now).used, used)
  })
}

test('counts hold until the first of their periods ends', () => {
  const counts = { ...countsOn(30, 7, 4), rolling_24h: [day(30) + HOUR_MS, 4] }
  assert.deepEqual(stableSpan(counts, 'month'), { from: day(30), until: DECEMBER })
  assert.deepEqual(stableSpan(counts, 'rolling_24h'), { from: day(30) + HOUR_MS, until: day(30) + 2 * HOUR_MS })
})

test('answers count in the period of the plan, the month and the day', () => {
  const counts = { ...countsOn(2, 7, 4), rolling_24h: [hour(25), 4], rolling_30d: [day(2), 5] }
  const expected = { ...countsOn(2, 10, 7), rolling_24h: [hour(25), 7], rolling_30d: [day(2), 5] }
  assert.deepEqual(countMore(counts, 'rolling_24h', 3), expected)
  assert.deepEqual(countMore(counts, 'month', 3), { ...expected, rolling_24h: [hour(25), 4] })
})

test('an answer fits while all that it counts as is left', () => {
  const allowance = { quota: 3, period: 'month' } as const
  assert.deepEqual(
    [0, 2, 3, 4].map(used => hasRoom(allowance, used)),
    [true, true, false, false],
  )
  assert.deepEqual(
    [0, 1].map(used => hasRoom(allowance, used, 3)),
    [true, false],
  )
})

const resets: readonly (readonly [title: string, window: Balance, reset: number])[] = [
  ['nothing is used', [hour(30), 0], hour(55)],
  ['the oldest answers leave', [hour(30), 1, hour(20), 1, hour(10), 1], hour(35)],
  ['answers leave that are exactly as old as the window', [hour(30), 1, hour(6), 1], hour(31)],
  ['older hours hold no answers', [hour(30), 1, hour(20), 1, hour(10), 0], hour(45)],
  ['older hours no longer count', [hour(30), 1, hour(20), 1, hour(5), 1], hour(45)],
  ['a clock that was ahead counted later hours', [hour(30), 1, hour(40), 1], hour(55)],
]

for (const [title, window, reset] of resets) {
  test(`answers are available again at the right hour when ${title}`, () => {
    const counts = { month: [NOVEMBER, 0], day: [day(2), 0], rolling_24h: window }
    const usage = usageAt({ quota: 1, period: 'rolling_24h' }, counts, hour(30))
    assert.equal(usage.reset, reset / 1000)
    assert.equal(usage.remaining, Math.max(0, 1 - usage.used))
  })
}

const stored: readonly (readonly [kind: PeriodKind, values: unknown, isSound: boolean])[] = [
  ['month', [NOVEMBER, 3, Date.parse('2026-10-01'), 0], true],
  ['rolling_24h', [hour(3), 3], true],
  ['rolling_24h', everyHour, true],
  ['rolling_24h', [...everyHour, hour(4), 1], false],
  ['day', [day(2), 3, day(1), 1, day(3), 1], false],
  ['month', undefined, false],
  ['month', { length: 2, 0: NOVEMBER, 1: 3 }, false],
  ['month', [], false],
  ['month', [NOVEMBER], false],
  ['month', [NOVEMBER, 3, Date.parse('2026-10-01')], false],
  ['month', [NOVEMBER + 1, 3], false],
  ['day', [day(2) + HOUR_MS, 3], false],
  ['rolling_24h', [hour(3) + 1, 3], false],
  ['month', [NOVEMBER, -1], false],
  ['month', [NOVEMBER, 0.5], false],
  ['month', [NOVEMBER, 2 ** 53], false],
  ['month', [NOVEMBER, '3'], false],
  ['month', [Number.NaN, 3], false],
  ['day', [-DAY_MS, 3], false],
]

for (const [kind, values, isSound] of stored) {
  test(`stored values are ${isSound ? '' : 'not '}counts by ${kind}: ${JSON.stringify(values)?.slice(0, 70)}`, () => {
    assert.deepEqual(readBalance(kind, values), isSound ? values : null)
  })
}
