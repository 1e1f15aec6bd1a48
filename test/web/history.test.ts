// The history of a target: which results are compared, what counts as a change, and where the chart has its pins.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { changesBetween, inShort, neighbours, ofTarget, worst } from '../../src/web/changes.js'
import { forEachAtMost } from '../../src/web/concurrency.js'
import { pinsOf, scales } from '../../src/web/score_chart.js'

const result = (day: number, kept = true) => ({
  result_id: `r${day}`,
  checked_at: `2026-11-0${day}T12:00:00Z`,
  risk_score: day,
  verdict: 'safe',
  recommendation: 'allow' as const,
  kept,
})
const change = (severity: 'weakened' | 'strengthened' | 'changed', message: string, path = 'risk_score') => ({
  path,
  severity,
  message,
})

describe('neighbours of a history', () => {
  const pairs: readonly (readonly [what: string, kept: readonly boolean[], pairs: readonly string[]])[] = [
    ['no results', [], []],
    ['one result', [true], []],
    ['results that are all kept', [true, true, true], ['r8-r9', 'r7-r8']],
    ['a result that was removed', [true, false, true], ['r7-r9']],
    ['one kept result', [false, true, false], []],
  ]
  for (const [what, kept, expected] of pairs) {
    it(`of ${what} are ${expected.length === 0 ? 'none' : expected.join(', ')}`, () => {
      const results = kept.map((one, i) => result(9 - i, one))
      assert.deepEqual(
        neighbours(results).map(({ from, to }) => `${from.result_id}-${to.result_id}`),
        expected,
      )
    })
  }
})

describe('changes between results', () => {
  it('are those of the target, not what this installation learned', () => {
    const changes = [change('changed', 'Signal removed', 'signals.first_seen_here'), change('weakened', 'Risk score')]
    assert.deepEqual(ofTarget(changes), [changes[1]])
  })

  it('have the mark of the worst', () => {
    const [bad, good, other] = [change('weakened', ''), change('strengthened', ''), change('changed', '')]
    assert.deepEqual([[other, good, bad], [other, good], [other], []].map(worst), [
      'weakened',
      'strengthened',
      'changed',
      'changed',
    ])
  })

  it('are the first one and the number of others in short', () => {
    const changes = [change('weakened', 'Verdict: safe → suspicious'), change('weakened', 'Risk score: 1 → 40')]
    assert.deepEqual([changes, changes.slice(1), []].map(inShort), [
      'Verdict: safe → suspicious, and 1 more',
      'Risk score: 1 → 40',
      'nothing changed',
    ])
  })

  it('are asked for once, and again after a failure', async () => {
    const asked: string[] = []
    let broken = true
    const kept = {
      changes: async (from: string, to: string) => {
        asked.push(`${from}-${to}`)
        if (broken) throw new Error('no answer')
        return [change('changed', 'x')]
      },
    }
    await assert.rejects(changesBetween(kept, 'a', 'b'))
    broken = false
    const answers = await Promise.all([changesBetween(kept, 'a', 'b'), changesBetween(kept, 'a', 'b')])
    assert.deepEqual([asked, answers[0]], [['a-b', 'a-b'], answers[1]])
  })
})

describe('work on many items', () => {
  it('is done for each in order, at most so many at once', async () => {
    const begun: number[] = []
    let [now, most] = [0, 0]
    await forEachAtMost([1, 2, 3, 4, 5], 2, async item => {
      begun.push(item)
      most = Math.max(most, ++now)
      await new Promise(resolve => setImmediate(resolve))
      now--
    })
    assert.deepEqual([begun, most], [[1, 2, 3, 4, 5], 2])
  })

  it('begins nothing more after an error', async () => {
    const begun: number[] = []
    const work = forEachAtMost([1, 2, 3, 4], 2, async item => {
      begun.push(item)
      throw new Error(`${item}`)
    })
    await assert.rejects(work, /^Error: 1$/)
    assert.deepEqual(begun, [1, 2])
  })
})

describe('the chart', () => {
  const box = { left: 10, right: 110, top: 20, bottom: 120 }
  const at = (day: number) => `2026-11-0${day}T12:00:00Z`

  it('has the first result on the left, the last on the right, and score 0 at the bottom', () => {
    const { x, y } = scales([result(5), result(3), result(1)], box)
    assert.deepEqual([x(at(1)), x(at(3)), x(at(5)), y(0), y(50), y(100)], [10, 60, 110, 120, 70, 20])
  })

  it('has results of one moment in the middle', () => {
    assert.equal(scales([result(1), result(1)], box).x(at(1)), 60)
  })

  const annotation = (day: number) => ({ since: at(day - 1), at: at(day), changes: [change('changed', `${day}`)] })
  const days = (pins: ReturnType<typeof pinsOf>) =>
    pins.map(({ x, annotations }) => [x, ...annotations.map(one => Number(one.at.slice(9, 10)))])

  it('has one pin for changes that are nearer to each other than the gap', () => {
    const x = (time: string) => Number(time.slice(9, 10)) * 10
    assert.deepEqual(days(pinsOf([annotation(2), annotation(5), annotation(4)], x, 15)), [
      [50, 5, 4],
      [20, 2],
    ])
  })

  it('has every change at one pin, and no two pins nearer than the gap', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 2, max: 9 })), fc.integer({ min: 1, max: 50 }), (when, gap) => {
        const pins = pinsOf(when.map(annotation), time => Number(time.slice(9, 10)) * 10, gap)
        assert.equal(pins.flatMap(({ annotations }) => annotations).length, when.length)
        for (const [i, pin] of pins.slice(1).entries()) assert.ok((pins[i]?.x ?? 0) - pin.x >= gap)
      }),
    )
  })
})
