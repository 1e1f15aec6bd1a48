import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sectionSignals } from '../../../src/engine/compose.ts'
import { findComposites } from '../../../src/engine/scoring/composites.ts'
import { DEFAULT_GROUPS, HYGIENE } from '../../../src/engine/scoring/groups.ts'
import { score, weigh } from '../../../src/engine/scoring/score.ts'
import type { SignalDetail } from '../../../src/engine/scoring/scored.ts'
import { verdict as verdictOf } from '../../../src/engine/scoring/verdict.ts'
import { type Judged, judge, shipped } from './evidence_engine.ts'
import { abuseSituations } from './scenarios/abuse.ts'
import { addressSituations } from './scenarios/addresses.ts'
import { brandLogInSituations } from './scenarios/brand_log_ins.ts'
import { honestSituations } from './scenarios/honest.ts'
import { honestPageSituations } from './scenarios/honest_pages.ts'
import { kitSituations } from './scenarios/kits.ts'
import { NOW, seen, targetOf } from './scenarios/seen.ts'

const situations = [
  ...honestSituations,
  ...honestPageSituations,
  ...abuseSituations,
  ...addressSituations,
  ...kitSituations,
  ...brandLogInSituations,
]

/** For whoever must mend it: the points, most first. */
const reckoning = (risk: number, details: readonly SignalDetail[]): string =>
  `${risk}: ${details.map(({ id, points }) => `${id} ${points}`).join(', ')}`

/** The verdict of the same evidence, were the site's housekeeping not looked at. */
function withoutHygiene({ analysis }: Judged): string {
  const found = weigh(sectionSignals(shipped, analysis.outcomes)).filter(one => one.definition.group !== HYGIENE)
  return verdictOf(score([...found, ...findComposites(found, shipped.composites)], DEFAULT_GROUPS).risk_score)
}

describe('the verdict that an analyst would give', () => {
  for (const situation of situations) {
    const { of, verdict, signals, never = [] } = situation
    it(`is ${verdict} for ${of}`, async () => {
      const target = targetOf(situation)
      const judged = await judge(target, await seen(situation, target), NOW)
      const found = new Set(judged.details.map(({ id }) => id))
      const why = reckoning(judged.risk, judged.details)
      assert.equal(judged.verdict, verdict, why)
      assert.equal(withoutHygiene(judged), verdict, 'hygiene neither tips nor saves')
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

  it('covers at least 280 different situations of every verdict, 120 of them kits', () => {
    assert.ok(situations.length >= 280)
    assert.ok(kitSituations.length >= 120)
    assert.equal(new Set(situations.map(({ of }) => of)).size, situations.length)
    assert.deepEqual(new Set(situations.map(({ verdict }) => verdict)), new Set(['safe', 'suspicious', 'malicious']))
  })
})
