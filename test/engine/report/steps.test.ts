// The steps from nothing to the score.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { groupSums, type ScoredSignal, scoreSteps } from '../../../src/engine/report/steps.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { score } from '../../../src/engine/scoring/score.ts'
import type { WeighedSignal } from '../../../src/engine/scoring/scored.ts'

const detail = (id: string, points: number, floor: number | null = null, group = 'network'): ScoredSignal => ({
  id,
  group,
  points,
  floor,
  title: `Title of ${id}`,
})

const told = (details: readonly ScoredSignal[], risk: number) =>
  scoreSteps(details, risk).map(({ title, points, from, to }) => [title, points, from, to])

const rows: readonly (readonly [what: string, details: readonly ScoredSignal[], risk: number, told: unknown])[] = [
  ['nothing', [], 0, []],
  ['what costs nothing', [detail('a', 0)], 0, []],
  [
    'points that add up',
    [detail('a', 20), detail('b', 4)],
    24,
    [
      ['Title of a', 20, 0, 20],
      ['Title of b', 4, 20, 24],
    ],
  ],
  [
    'a sum that is rounded',
    [detail('a', 7.5)],
    8,
    [
      ['Title of a', 7.5, 0, 7.5],
      ['Rounded to a whole number', 0.5, 7.5, 8],
    ],
  ],
  [
    'a floor',
    [detail('a', 30, 71)],
    71,
    [
      ['Title of a', 30, 0, 30],
      ['Raised: “Title of a” means at least 71', 41, 30, 71],
    ],
  ],
  [
    'more than a hundred',
    [detail('a', 80), detail('b', 45)],
    100,
    [
      ['Title of a', 80, 0, 80],
      ['Title of b', 45, 80, 125],
      ['Capped at 100', -25, 125, 100],
    ],
  ],
  [
    'less than nothing',
    [detail('a', 3), detail('b', -10, null, 'trust')],
    0,
    [
      ['Title of a', 3, 0, 3],
      ['Title of b', -10, 3, -7],
      ['A score is never below 0', 7, -7, 0],
    ],
  ],
]

const signals = fc.array(
  fc.record({
    section: fc.constant('ssl_info'),
    definition: fc
      .record({
        weight: fc.integer({ min: 0, max: 90 }),
        group: fc.constantFrom(...Object.keys(DEFAULT_GROUPS)),
        floor: fc.integer({ min: 0, max: 100 }),
        floored: fc.boolean(),
      })
      .map(({ weight, group, floor, floored }) => ({
        weight: group === 'trust' ? -weight : weight,
        group,
        title: 't',
        ...(floored ? { floor } : {}),
      })),
    signal: fc.record({ id: fc.string({ minLength: 1 }), strength: fc.double({ min: 0, max: 1, noNaN: true }) }),
  }),
  { maxLength: 20 },
)

describe('the points', () => {
  for (const [what, details, risk, expected] of rows) {
    it(`are listed for ${what}`, () => assert.deepEqual(told(details, risk), expected))
  }

  it('lead from zero to the score without a gap, for any signals', () => {
    fc.assert(
      fc.property(signals, weighed => {
        const { details, risk_score } = score(weighed as unknown as WeighedSignal[], DEFAULT_GROUPS)
        const all = scoreSteps(details, risk_score)
        for (const [i, { from, to, points }] of all.entries()) {
          assert.equal(from, all[i - 1]?.to ?? 0)
          assert.equal(Math.round((to - from) * 10), Math.round(points * 10))
        }
        assert.equal(all.at(-1)?.to ?? 0, risk_score)
        assert.ok(all.every(({ title }) => title !== 'Adjusted by this service'))
      }),
    )
  })

  it('name an adjustment that the rules do not explain', () => {
    assert.deepEqual(told([detail('a', 10)], 12).at(-1), ['Adjusted by this service', 2, 10, 12])
  })
})

describe('the groups', () => {
  it('show the points of each, its ceiling, and whether it was reached', () => {
    const details = [
      detail('a', 10, null, 'hygiene'),
      detail('b', 5, null, 'hygiene'),
      detail('c', 20),
      detail('d', 1, null, 'own'),
    ]
    assert.deepEqual(groupSums(details, DEFAULT_GROUPS), [
      { group: 'network', points: 20, ceiling: 30, count: 1, reached: false },
      { group: 'hygiene', points: 15, ceiling: 15, count: 2, reached: true },
      { group: 'own', points: 1, ceiling: null, count: 1, reached: false },
    ])
  })

  it('can reach a negative ceiling too', () => {
    assert.equal(groupSums([detail('a', -30, null, 'trust')], DEFAULT_GROUPS)[0]?.reached, true)
  })
})
