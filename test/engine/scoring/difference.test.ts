import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differenceOf, isChanged, type Rescoring } from '../../../src/engine/scoring/difference.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'

const detail = (id: string, points: number, floor: number | null = null): SignalDetail => ({
  id,
  section: 'a_section',
  group: 'identity',
  severity: 'low',
  points,
  floor,
  title: id,
  detail: null,
  evidence: {},
})

const scored = (risk_score: number, ...signal_details: SignalDetail[]): Rescoring => ({
  scoring_policy: `p${risk_score}`,
  risk_score,
  verdict: risk_score > 30 ? 'suspicious' : 'safe',
  recommendation: risk_score > 30 ? 'review' : 'allow',
  recommendation_reason: 'A reason.',
  confidence: 'high',
  signal_details,
})

/** `id: before > after`, in order. */
const told = (before: Rescoring, after: Rescoring): string[] =>
  differenceOf(before, after).signals.map(
    signal =>
      `${signal.id}: ${signal.before?.points ?? '-'} > ${signal.after?.points ?? '-'}${isChanged(signal) ? '' : ' ='}`,
  )

describe('the difference of two scores', () => {
  const cases: [title: string, before: Rescoring, after: Rescoring, lines: string[]][] = [
    ['is none of what is equal', scored(5, detail('a', 5)), scored(5, detail('a', 5)), ['a: 5 > 5 =']],
    ['tells what costs more', scored(5, detail('a', 5)), scored(9, detail('a', 9)), ['a: 5 > 9']],
    ['tells what came', scored(0), scored(9, detail('a', 9)), ['a: - > 9']],
    ['tells what went', scored(9, detail('a', 9)), scored(0), ['a: 9 > -']],
    ['tells what came and costs nothing', scored(0), scored(0, detail('a', 0)), ['a: - > 0']],
    [
      'tells a severity that rose',
      scored(5, detail('a', 5)),
      scored(5, { ...detail('a', 5), severity: 'high' }),
      ['a: 5 > 5'],
    ],
    ['tells a floor that came', scored(0, detail('a', 0)), scored(31, detail('a', 0, 31)), ['a: 0 > 0']],
    ['counts in tenths', scored(0, detail('a', 0.1)), scored(0, detail('a', 0.3)), ['a: 0.1 > 0.3']],
    [
      'puts changes first, the greatest first, then what costs most',
      scored(40, detail('d', 1), detail('c', 30), detail('b', 5), detail('a', 4)),
      scored(48, detail('d', 1), detail('c', 30), detail('b', 7), detail('a', 10)),
      ['a: 4 > 10', 'b: 5 > 7', 'c: 30 > 30 =', 'd: 1 > 1 ='],
    ],
    [
      'puts equal changes by what they cost, before or after, then by ID',
      scored(46, detail('e', 20), detail('d', 1), detail('b', 3), detail('c', 2), detail('a', 3)),
      scored(52, detail('e', 22), detail('d', 3), detail('b', 5), detail('a', 5)),
      ['e: 20 > 22', 'a: 3 > 5', 'b: 3 > 5', 'd: 1 > 3', 'c: 2 > -'],
    ],
  ]
  for (const [title, before, after, lines] of cases) {
    it(title, () => assert.deepEqual(told(before, after), lines))
  }

  it('has both totals', () => {
    const { before, after, change, signals } = differenceOf(
      scored(20, detail('a', 20.1)),
      scored(40, detail('a', 40.4)),
    )
    const { signal_details: _, ...was } = scored(20)
    const { signal_details: __, ...is } = scored(40)
    assert.deepEqual([before, after], [was, is])
    assert.deepEqual([change, signals[0]?.change], [20, 20.3])
  })
})
