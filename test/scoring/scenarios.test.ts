import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SignalDetail } from '../../src/scoring/scored.ts'
import { judge } from './evidence_engine.ts'
import { abuseSituations } from './scenarios/abuse.ts'
import { addressSituations } from './scenarios/addresses.ts'
import { honestSituations } from './scenarios/honest.ts'
import { NOW, seen, targetOf } from './scenarios/seen.ts'

const situations = [...honestSituations, ...abuseSituations, ...addressSituations]

/** For whoever must mend it: the points, most first. */
const reckoning = (risk: number, details: readonly SignalDetail[]): string =>
  `${risk}: ${details.map(({ id, points }) => `${id} ${points}`).join(', ')}`

describe('the verdict of a sober analyst', () => {
  for (const situation of situations) {
    const { of, verdict, signals, never = [] } = situation
    it(`is ${verdict} for ${of}`, async () => {
      const target = targetOf(situation)
      const judged = await judge(target, await seen(situation, target), NOW)
      const found = new Set(judged.details.map(({ id }) => id))
      const why = reckoning(judged.risk, judged.details)
      assert.equal(judged.verdict, verdict, why)
      assert.deepEqual(
        signals.filter(id => !found.has(id)),
        [],
        `signals are missing of ${why}`,
      )
      assert.deepEqual(
        never.filter(id => found.has(id)),
        [],
      )
    })
  }

  it('is asked for in at least sixty situations, each told once, of every verdict', () => {
    assert.ok(situations.length >= 60)
    assert.equal(new Set(situations.map(({ of }) => of)).size, situations.length)
    assert.deepEqual(new Set(situations.map(({ verdict }) => verdict)), new Set(['safe', 'suspicious', 'malicious']))
  })
})
