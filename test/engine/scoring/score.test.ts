import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { pointsAlone, riskScore, score } from '../../../src/engine/scoring/score.ts'
import type { WeighedSignal } from '../../../src/engine/scoring/scored.ts'
import { verdict } from '../../../src/engine/scoring/verdict.ts'

const signal = (
  id: string,
  group: string,
  weight: number,
  more: { strength?: number; floor?: number } = {},
): WeighedSignal => ({
  section: 'a_section',
  definition: { weight, group, severity: 'low', title: id, ...(more.floor === undefined ? {} : { floor: more.floor }) },
  signal: { id, ...(more.strength === undefined ? {} : { strength: more.strength }) },
})

const points = (found: readonly WeighedSignal[]) =>
  Object.fromEntries(score(found, DEFAULT_GROUPS).details.map(({ id, points }) => [id, points]))

describe('score', () => {
  const cases: { title: string; found: WeighedSignal[]; points: Record<string, number>; risk: number }[] = [
    { title: 'is zero when nothing was found', found: [], points: {}, risk: 0 },
    {
      title: 'adds up the weights of different groups',
      found: [signal('a', 'hygiene', 4), signal('b', 'transport', 20)],
      points: { b: 20, a: 4 },
      risk: 24,
    },
    {
      title: 'takes the share of the weight that the strength says',
      found: [signal('a', 'content', 15, { strength: 0.5 })],
      points: { a: 7.5 },
      risk: 8,
    },
    {
      title: 'fills a group up to its ceiling, costliest first, and says so in the points',
      found: [signal('a', 'hygiene', 4), signal('b', 'hygiene', 9), signal('c', 'hygiene', 4)],
      points: { b: 9, a: 4, c: 2 },
      risk: 15,
    },
    {
      title: 'gives nothing to what comes after a full group',
      found: [signal('a', 'transport', 30), signal('b', 'transport', 5)],
      points: { a: 30, b: 0 },
      risk: 30,
    },
    {
      title: 'takes trust off identity and hygiene, down to its own ceiling',
      found: [signal('a', 'identity', 40), signal('b', 'trust', -20), signal('c', 'trust', -15)],
      points: { a: 40, b: -20, c: -10 },
      risk: 10,
    },
    {
      title: 'takes no trust off content and listings',
      found: [signal('a', 'content', 20), signal('b', 'reputation', 15), signal('c', 'trust', -30)],
      points: { a: 20, b: 15, c: 0 },
      risk: 35,
    },
    { title: 'has nothing to take trust off', found: [signal('a', 'trust', -20)], points: { a: 0 }, risk: 0 },
    {
      title: 'keeps hygiene from leading to another verdict',
      found: [signal('a', 'content', 20), signal('b', 'hygiene', 15)],
      points: { a: 20, b: 10 },
      risk: 30,
    },
    {
      title: 'lets hygiene add to the points below a floor, within the verdict of the floor',
      found: [signal('a', 'content', 25, { floor: 31 }), signal('b', 'hygiene', 15)],
      points: { a: 25, b: 15 },
      risk: 40,
    },
    {
      title: 'keeps hygiene from the verdict that is reached after trust',
      found: [
        signal('a', 'content', 20),
        signal('b', 'identity', 20),
        signal('c', 'hygiene', 15),
        signal('d', 'trust', -15),
      ],
      points: { a: 20, b: 20, c: 5, d: -15 },
      risk: 30,
    },
    {
      title: 'takes trust off all points of identity and hygiene together',
      found: [signal('a', 'identity', 5), signal('b', 'hygiene', 10), signal('c', 'trust', -30)],
      points: { b: 10, a: 5, c: -15 },
      risk: 0,
    },
    {
      title: 'never goes above a hundred',
      found: [signal('a', 'reputation', 100), signal('b', 'identity', 45)],
      points: { a: 100, b: 45 },
      risk: 100,
    },
    {
      title: 'is raised to the highest floor, which trust cannot beat',
      found: [signal('a', 'identity', 40, { floor: 71 }), signal('b', 'trust', -30)],
      points: { a: 40, b: -30 },
      risk: 71,
    },
    {
      title: 'lists informational signals without points',
      found: [signal('a', 'network', 0)],
      points: { a: 0 },
      risk: 0,
    },
  ]
  for (const { title, found, points: expected, risk } of cases) {
    it(title, () => {
      assert.deepEqual(points(found), expected)
      assert.equal(score(found, DEFAULT_GROUPS).risk_score, risk)
    })
  }

  it('lists details by points, then by floor, then by ID', () => {
    const found = [
      signal('b', 'content', 10),
      signal('a', 'content', 10),
      signal('f', 'network', 10, { floor: 31 }),
      signal('z', 'reputation', 20),
    ]
    assert.deepEqual(
      score(found, DEFAULT_GROUPS).details.map(({ id }) => id),
      ['z', 'f', 'a', 'b'],
    )
  })

  it('gives the points of a signal by itself, to a tenth', () => {
    assert.deepEqual(
      [signal('a', 'content', 15, { strength: 0.5 }), signal('b', 'trust', -30), signal('c', 'hygiene', 9)].map(
        pointsAlone,
      ),
      [7.5, -30, 9],
    )
  })

  const anySignal = fc
    .record({
      group: fc.constantFrom(...Object.keys(DEFAULT_GROUPS)),
      size: fc.integer({ min: 0, max: 100 }),
      strength: fc.double({ min: 0, max: 1, noNaN: true }),
      floor: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    })
    .map(({ group, size, strength, floor }) => ({
      group,
      weight: group === 'trust' ? -size : size,
      more: floor === undefined ? { strength } : { strength, floor },
    }))
  const anyFinds = fc
    .array(anySignal, { maxLength: 20 })
    .map(list => list.map(({ group, weight, more }, i) => signal(`s${i}`, group, weight, more)))

  it('is an integer from 0 to 100 that the details add up to', () => {
    fc.assert(
      fc.property(anyFinds, found => {
        const scored = score(found, DEFAULT_GROUPS)
        assert.ok(Number.isInteger(scored.risk_score) && scored.risk_score >= 0 && scored.risk_score <= 100)
        const sum = Math.round(scored.details.reduce((total, { points }) => total + points, 0) * 10) / 10
        const floor = Math.max(0, ...scored.details.map(({ floor }) => floor ?? 0))
        assert.equal(scored.risk_score, Math.min(100, Math.max(floor, Math.round(sum))))
        assert.equal(riskScore(scored.details), scored.risk_score)
      }),
    )
  })

  it('does not depend on the order signals come in', () => {
    fc.assert(
      fc.property(anyFinds, found => {
        assert.deepEqual(score([...found].reverse(), DEFAULT_GROUPS), score(found, DEFAULT_GROUPS))
      }),
    )
  })

  it('never falls with one more risk signal', () => {
    fc.assert(
      fc.property(anyFinds, anySignal, (found, one) => {
        fc.pre(one.weight >= 0)
        const more = [...found, signal('one_more', one.group, one.weight, one.more)]
        assert.ok(score(more, DEFAULT_GROUPS).risk_score >= score(found, DEFAULT_GROUPS).risk_score)
      }),
    )
  })

  it('stays safe on hygiene alone, however many signals', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 })), weights => {
        const found = weights.map((weight, i) => signal(`s${i}`, 'hygiene', weight))
        assert.equal(verdict(score(found, DEFAULT_GROUPS).risk_score), 'safe')
      }),
    )
  })
})

describe('verdict', () => {
  for (const [risk, expected] of [
    [0, 'safe'],
    [30, 'safe'],
    [31, 'suspicious'],
    [70, 'suspicious'],
    [71, 'malicious'],
    [100, 'malicious'],
  ] as const) {
    it(`is ${expected} at ${risk}`, () => assert.equal(verdict(risk), expected))
  }
})
