import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { riskScore, score } from '../../../src/engine/scoring/score.ts'
import type { Scored, WeighedSignal } from '../../../src/engine/scoring/scored.ts'
import { verdict } from '../../../src/engine/scoring/verdict.ts'
import { sampled } from '../../sample.ts'
import { shipped } from './evidence_engine.ts'

/** Every signal of every built-in plugin, with its section. */
const known = shipped.analyzers.flatMap(({ analyzer, signals }) =>
  Object.entries(signals).map(([id, definition]) => ({ section: analyzer.name, id, definition })),
)
const isRisk = (weight: number) => weight >= 0

const found = ({ section, id, definition }: (typeof known)[number], strength: number): WeighedSignal => ({
  section,
  definition,
  signal: { id, strength },
})

const anyStrength = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }))

/** Any of the shipped signals, each at most once, each as strong as may be. */
const anyFinds = fc
  .tuple(fc.subarray(known), fc.array(anyStrength, { minLength: known.length, maxLength: known.length }))
  .map(([signals, strengths]) => signals.map((signal, at) => found(signal, strengths[at] ?? 1)))

const of = (signals: readonly WeighedSignal[]): Scored => score(signals, DEFAULT_GROUPS)
const without = (signals: readonly WeighedSignal[], id: string) =>
  signals.filter(({ signal: found }) => found.id !== id)
const tenths = (points: number) => Math.round(points * 10)

describe('the score of the shipped signals', () => {
  it('uses only signals whose group has a ceiling', () => {
    assert.ok(known.length >= 60)
    for (const { id, definition } of known) assert.ok(Object.hasOwn(DEFAULT_GROUPS, definition.group), id)
  })

  it('is an integer from 0 to 100 that all points add up to', () => {
    fc.assert(
      fc.property(anyFinds, signals => {
        const { risk_score, details } = of(signals)
        assert.ok(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100)
        const sum = details.reduce((total, { points }) => total + tenths(points), 0)
        const floor = Math.max(0, ...details.map(({ floor }) => floor ?? 0))
        assert.equal(risk_score, Math.min(100, Math.max(0, floor, Math.round(sum / 10))))
        assert.equal(riskScore(details), risk_score)
        for (const { points } of details) assert.equal(tenths(points) / 10, points)
      }),
    )
  })

  it('keeps every group within its ceiling', () => {
    fc.assert(
      fc.property(anyFinds, signals => {
        for (const [group, ceiling] of Object.entries(DEFAULT_GROUPS)) {
          const own = of(signals).details.filter(detail => detail.group === group)
          const sum = own.reduce((total, { points }) => total + tenths(points), 0)
          assert.ok(Math.abs(sum) <= Math.abs(tenths(ceiling)) && sum * ceiling >= 0, `${group}: ${sum}`)
        }
      }),
    )
  })

  it('does not depend on the order of signals', () => {
    const shuffled = anyFinds.chain(signals =>
      fc.tuple(fc.constant(signals), fc.shuffledSubarray(signals, { minLength: signals.length })),
    )
    fc.assert(fc.property(shuffled, ([signals, others]) => assert.deepEqual(of(others), of(signals))))
  })

  for (const signal of sampled(known, 24)) {
    const { id, definition } = signal
    const risk = isRisk(definition.weight)
    it(`never ${risk ? 'falls' : 'rises'} when ${id} is raised, or raised with more strength`, () => {
      fc.assert(
        fc.property(anyFinds, anyStrength, anyStrength, (signals, one, other) => {
          const rest = without(signals, id)
          const [weaker, stronger] = [Math.min(one, other), Math.max(one, other)].map(strength =>
            of([...rest, found(signal, strength)]),
          )
          const scores = [of(rest), weaker, stronger].map(scored => scored?.risk_score ?? Number.NaN)
          const rising = risk ? scores : scores.toReversed()
          assert.deepEqual(
            rising,
            [...rising].sort((a, b) => a - b),
          )
        }),
        { numRuns: 25 },
      )
    })
  }

  it('gives the same verdict without hygiene', () => {
    fc.assert(
      fc.property(anyFinds, signals => {
        const rest = signals.filter(({ definition }) => definition.group !== 'hygiene')
        assert.equal(verdict(of(signals).risk_score), verdict(of(rest).risk_score))
      }),
    )
  })

  /** All that a group's shipped signals can do together. */
  const atWorst = (...groups: string[]) =>
    of(known.filter(({ definition }) => groups.includes(definition.group)).map(signal => found(signal, 1)))

  for (const [groups, worst] of [
    [['hygiene'], 'safe'],
    [['transport'], 'safe'],
    [['transport', 'hygiene'], 'safe'],
    [['network', 'transport', 'hygiene'], 'suspicious'],
    [['content'], 'suspicious'],
    [['identity'], 'suspicious'],
    [['identity', 'hygiene'], 'suspicious'],
    [['content', 'identity'], 'malicious'],
    [['reputation'], 'malicious'],
    [['trust'], 'safe'],
  ] as const) {
    it(`is at most ${worst} by ${groups.join(' and ')} alone`, () => {
      assert.equal(verdict(atWorst(...groups).risk_score), worst)
    })
  }

  it('is never malicious by the name model and hygiene alone', () => {
    const alone = known.filter(({ id, definition }) => id === 'suspicious_name' || definition.group === 'hygiene')
    assert.notEqual(verdict(of(alone.map(signal => found(signal, 1))).risk_score), 'malicious')
  })

  it('stays at the floor of a confirmed listing, however trusted the target is', () => {
    const trust = known.filter(({ id, definition }) => id === 'listed_as_malicious' || definition.group === 'trust')
    assert.ok(of(trust.map(signal => found(signal, 1))).risk_score >= 71)
  })
})
